import type { ProviderKey } from "../core/model.ts";
import { claimKey, providerKey, type State } from "../core/state.ts";
import type { Instant } from "../core/time.ts";
import type { Statement, StatementResult } from "../database/port.ts";
import type { Keys } from "./keys.ts";
import {
  instant,
  isoText,
  toBooking,
  toCheckout,
  toClaim,
  toEntry,
  toPayment,
  toRefund,
  toResource,
} from "./mapping.ts";
import type { QueryBuilder } from "./query-builder.ts";
import { type Parts, readText } from "./read-text.ts";
import type {
  BookingRow,
  CheckoutRow,
  ClaimRow,
  PaymentRow,
  RefundRow,
  ResourceRow,
  WaitingListRow,
} from "./tables.ts";
import { namedBy } from "./wanted-bookings.ts";

/** What the decisions of a batch look at, and the one `now` of the operation. */
export interface Snapshot {
  readonly now: Instant;
  readonly state: State;
}

export interface Reader {
  statement(keys: Keys): Statement;
  parse(result: StatementResult): Snapshot;
}

interface ReadResult {
  readonly now: string;
  readonly bookings: readonly BookingRow[];
  readonly resources?: readonly Omit<ResourceRow, "created_at">[];
  readonly claims?: readonly ClaimRow[];
  readonly checkouts?: readonly CheckoutRow[];
  readonly payments?: readonly PaymentRow[];
  readonly refunds?: readonly RefundRow[];
  readonly entries?: readonly Omit<WaitingListRow, "number">[];
}

/** One statement that reads everything, sent after the locks are held. Parts that no command of the batch needs are left out. */
export function reader(q: QueryBuilder): Reader {
  const texts = new Map<string, string>();
  return {
    statement(keys) {
      const parts = partsOf(keys);
      const name = JSON.stringify(parts);
      const text = texts.get(name) ?? readText(q, parts);
      texts.set(name, text);
      // Asked for nothing, it reads the clock and takes no document.
      return { text, values: text.includes("$1") ? [JSON.stringify(documentOf(keys))] : [] };
    },
    parse,
  };
}

function partsOf(keys: Keys): Parts {
  const payments = keys.payments.length > 0;
  const byId = keys.paymentIds.length > 0 || keys.refundIds.length > 0;
  const entries = keys.entryIds.length > 0;
  const named = namedBy(keys);
  return {
    named,
    existing: named.length > 0,
    customers: keys.customers.length > 0,
    requests: keys.requests.length > 0,
    windows: keys.windows.length > 0,
    money: keys.checkouts.length > 0 || payments || keys.bookingIds.length > 0 || entries,
    payments: payments || byId || keys.bookingIds.length > 0,
    refunds: payments || byId || keys.bookingIds.length > 0,
    entries,
    waiters: keys.waiters.length > 0,
  };
}

function documentOf(keys: Keys): unknown {
  const external = (key: ProviderKey) => ({
    provider: key.provider,
    account: key.account,
    external_id: key.externalId,
  });
  return {
    bookingIds: keys.bookingIds,
    tokens: keys.tokens,
    windows: keys.windows.map(({ resource, start, end, day }) => ({
      resource,
      starts_at: isoText(start),
      ends_at: isoText(end),
      day_starts_at: isoText(day.start),
      day_ends_at: isoText(day.end),
    })),
    customers: keys.customers,
    requests: keys.requests.map(({ customer, requestId }) => ({ customer, request_id: requestId })),
    checkouts: keys.checkouts.map(external),
    payments: keys.payments.map(external),
    paymentIds: keys.paymentIds,
    refundIds: keys.refundIds,
    entryIds: keys.entryIds,
    waiters: keys.waiters.map(({ customer, requestId }) => ({ customer, request_id: requestId })),
  };
}

function parse(result: StatementResult): Snapshot {
  // The shape is the statement's own: json_build_object over columns that tables.ts describes.
  const read = JSON.parse(result ?? "") as ReadResult;
  return {
    now: instant(read.now),
    state: {
      resources: index((read.resources ?? []).map(toResource), (resource) => resource.id),
      bookings: index(read.bookings.map(toBooking), (booking) => booking.id),
      claims: index((read.claims ?? []).map(toClaim), claimKey),
      checkouts: index((read.checkouts ?? []).map(toCheckout), (checkout) => providerKey(checkout.key)),
      payments: index((read.payments ?? []).map(toPayment), (payment) => providerKey(payment.key)),
      refunds: index((read.refunds ?? []).map(toRefund), (refund) => refund.id),
      entries: index((read.entries ?? []).map(toEntry), (entry) => entry.id),
    },
  };
}

function index<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row> {
  return new Map(rows.map((row) => [keyOf(row), row]));
}
