import { type Expression, type RawBuilder, sql } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { ProviderKey } from "../core/model.ts";
import { claimKey, providerKey, type State } from "../core/state.ts";
import type { Instant } from "../core/time.ts";
import type { Statement, StatementResult } from "../database/port.ts";
import { columns } from "./columns.ts";
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
import { constants, listed, type QueryBuilder, rows, rowsOf, textOf, withMembers } from "./query-builder.ts";
import type {
  BookingRow,
  CheckoutRow,
  ClaimRow,
  PaymentRow,
  RefundRow,
  ResourceRow,
  WaitingListRow,
} from "./tables.ts";
import { isNamed } from "./wanted-bookings.ts";

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

interface Parts {
  readonly existing: boolean;
  readonly customers: boolean;
  readonly requests: boolean;
  readonly windows: boolean;
  readonly money: boolean;
  readonly payments: boolean;
  readonly refunds: boolean;
  readonly entries: boolean;
  readonly waiters: boolean;
}

function partsOf(keys: Keys): Parts {
  const payments = keys.payments.length > 0;
  const byId = keys.paymentIds.length > 0 || keys.refundIds.length > 0;
  const entries = keys.entryIds.length > 0;
  return {
    existing: keys.bookingIds.length + keys.tokens.length > 0 || entries,
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

function readText(q: QueryBuilder, parts: Parts): string {
  const named: [string, Expression<unknown>][] = [];
  named.push(["bookings", bookings(q, parts)]);
  const places = parts.existing || parts.windows;
  if (places) named.push(["resources", resources(q)], ["claims", claims(q, parts)]);
  if (parts.money) named.push(["checkouts", checkouts(q, parts)]);
  if (parts.money || parts.payments) named.push(["payments", payments(q, parts)]);
  if (parts.refunds) named.push(["refunds", refunds(q, parts)]);
  if (parts.entries || parts.waiters) named.push(["entries", entries(q, parts)]);
  // The clock is read last: what was read before is then a superset of what is live at `now`, and the core judges it exactly.
  named.push(["now", sql`${q.named("clock")}()`]);
  const pairs = named.map(([name, value]) => sql`${sql.lit(name)}, ${value}`);
  const withWanted = places ? sql`with wanted as materialized (${wantedResources(q, parts)})` : sql``;
  return textOf(q, sql`${withWanted} select json_build_object(${sql.join(pairs)})::text as result`);
}

function wanted(q: QueryBuilder, parts: Parts) {
  return q.db.selectFrom("bookings").where((eb) => isNamed(eb, parts.entries));
}

function bookings(q: QueryBuilder, parts: Parts): Expression<unknown> {
  const sources = [];
  if (parts.existing) sources.push(wanted(q, parts).select(columns.bookings));
  if (parts.customers) {
    // Those that stand: for "the same intention twice", the limit of live holds, and the limit of a day (at most 25 hours long), to which
    // visits that are over count too.
    sources.push(
      q.db
        .selectFrom("bookings")
        .select(columns.bookings)
        .where("customer", "=", listed("customers", "text"))
        .where("ends_at", ">", sql<string>`(select ${q.named("clock")}() - interval '26 hours')`)
        .where("state", "in", constants("pending", "held", "confirmed")),
    );
  }
  if (parts.requests) {
    sources.push(
      q.db
        .selectFrom("bookings")
        .innerJoin(
          rowsOf<{ customer: string; request_id: string }>("requests", "customer text, request_id text"),
          (join) => join.on(sql<boolean>`r.customer = bookings.customer and r.request_id = bookings.request_id`),
        )
        .select(columns.bookings.map((column) => `bookings.${column}` as const)),
    );
  }
  if (parts.entries || parts.waiters) {
    // Everything that was ever offered to them: what was passed is not offered again, and what was accepted was the entry's turn.
    sources.push(
      q.db
        .selectFrom("bookings")
        .select(columns.bookings)
        .where("waitlist_entry_id", "in", wantedEntries(q, parts).select("id")),
    );
  }
  if (parts.payments) {
    // The booking that a known charge belongs to, which is another than its payload says when a person has attached it.
    sources.push(
      q.db
        .selectFrom(byExternalId("payments"))
        .innerJoin("payments", (join) =>
          join.on(
            sql<boolean>`payments.provider = r.provider and payments.account = r.account and payments.external_id = r.external_id`,
          ),
        )
        .innerJoin("bookings", "bookings.id", "payments.booking_id")
        .select(columns.bookings.map((column) => `bookings.${column}` as const)),
    );
  }
  const [first, ...others] = sources;
  if (first === undefined) return sql`'[]'::json`;
  return jsonArrayFrom(others.reduce((query, other) => query.unionAll(other), first));
}

/** The resources and pools that are wanted or had, and the members of the pools. */
function resources(q: QueryBuilder): Expression<unknown> {
  const names = sql.join(columns.resources.map((column) => sql`res.${sql.ref(column)}`));
  return sql`(select coalesce(json_agg(x), '[]') from (
    select ${names} from ${q.named("resources")} res where res.id = any(${withMembers(q)})) x)`;
}

/** Resource (or pool), claimed interval, day: of the bookings, and of those still to be made. */
function wantedResources(q: QueryBuilder, parts: Parts): RawBuilder<unknown> {
  const windows = sql`select r.resource, r.starts_at, r.ends_at, r.day_starts_at, r.day_ends_at
    from ${rows("windows", "resource text, starts_at timestamptz, ends_at timestamptz, day_starts_at timestamptz, day_ends_at timestamptz")}`;
  if (!parts.existing) return windows;
  const ofBookings = wanted(q, parts).select([
    sql<string>`unnest(wanted_ids || resource_ids)`.as("resource"),
    sql<string>`starts_at - buffer_before_ms * interval '1 millisecond'`.as("starts_at"),
    sql<string>`ends_at + buffer_after_ms * interval '1 millisecond'`.as("ends_at"),
    "day_starts_at",
    "day_ends_at",
  ]);
  // Distinct: however many commands of a batch want one slot, it is looked up once.
  return sql`${windows} union ${ofBookings}`;
}

/** The bookings' own claims, and whatever is live in the times they want. */
function claims(q: QueryBuilder, parts: Parts): Expression<unknown> {
  const names = sql.join(columns.claims.map((column) => sql`c.${sql.ref(column)}`));
  // The clock stands in a sub-select, so that the indexes can answer; what lapses between here and `now` is judged by the core.
  const rivals = sql`select c.* from (
      select resource, starts_at, ends_at from wanted
      union
      select m.member, least(w.starts_at, w.day_starts_at), greatest(w.ends_at, w.day_ends_at)
      from ${q.named("resources")} p join wanted w on w.resource = p.id cross join lateral unnest(p.members) as m(member)
      where p.kind = 'pool' and p.id = any(array(select resource from wanted))
    ) w cross join lateral (
      select ${names} from ${q.named("claims")} c
      where c.resource_id = w.resource and c.exclusive
        and c.during && tstzrange(w.starts_at, w.ends_at) and c.live @> (select ${q.named("clock")}())
      union all
      select ${names} from ${q.named("claims")} c
      where c.resource_id = w.resource and not c.exclusive
        and c.during && tstzrange(w.starts_at, w.ends_at) and c.live @> (select ${q.named("clock")}())
    ) c`;
  const own = sql`union all (${q.db
    .selectFrom("claims")
    .select(columns.claims)
    .where("booking_id", "in", wanted(q, parts).select("id"))})`;
  return sql`(select coalesce(json_agg(x), '[]') from (${rivals} ${parts.existing ? own : sql``}) x)`;
}

function byExternalId(name: "checkouts" | "payments") {
  return rowsOf<{ provider: string; account: string; external_id: string }>(
    name,
    "provider text, account text, external_id text",
  );
}

/** The query's own stored decision, and the approvals of the bookings. */
function checkouts(q: QueryBuilder, parts: Parts): Expression<unknown> {
  const same = q.db
    .selectFrom(byExternalId("checkouts"))
    .innerJoin("checkouts", (join) =>
      join.on(
        sql<boolean>`checkouts.provider = r.provider and checkouts.account = r.account and checkouts.external_id = r.external_id`,
      ),
    )
    .select(columns.checkouts.map((column) => `checkouts.${column}` as const));
  const approved = q.db
    .selectFrom("checkouts")
    .select(columns.checkouts)
    .where("decision", "=", sql.lit("approved"))
    .where("booking_id", "in", wanted(q, parts).select("id"));
  return jsonArrayFrom(same.unionAll(approved));
}

/** The charge itself if it is known, the payments that bought the bookings, and those asked for by id. */
function payments(q: QueryBuilder, parts: Parts): Expression<unknown> {
  const booked = q.db
    .selectFrom("payments")
    .select(columns.payments)
    .where("disposition", "=", sql.lit("booked"))
    .where("booking_id", "in", wanted(q, parts).select("id"));
  if (!parts.payments) return jsonArrayFrom(booked);
  const same = q.db
    .selectFrom(byExternalId("payments"))
    .innerJoin("payments", (join) =>
      join.on(
        sql<boolean>`payments.provider = r.provider and payments.account = r.account and payments.external_id = r.external_id`,
      ),
    )
    .select(columns.payments.map((column) => `payments.${column}` as const));
  const byId = q.db.selectFrom("payments").select(columns.payments).where("id", "=", listed("paymentIds", "uuid"));
  return jsonArrayFrom(booked.unionAll(same).unionAll(byId));
}

function refunds(q: QueryBuilder, parts: Parts): Expression<unknown> {
  const byId = q.db.selectFrom("refunds").select(columns.refunds).where("id", "=", listed("refundIds", "uuid"));
  const ofPayments = q.db
    .selectFrom(byExternalId("payments"))
    .innerJoin("payments", (join) =>
      join.on(
        sql<boolean>`payments.provider = r.provider and payments.account = r.account and payments.external_id = r.external_id`,
      ),
    )
    .innerJoin("refunds", "refunds.payment_id", "payments.id")
    .select(columns.refunds.map((column) => `refunds.${column}` as const));
  // What was returned already of what bought the bookings: a cancellation returns the rest at most.
  const ofBookings = q.db
    .selectFrom("payments")
    .innerJoin("refunds", "refunds.payment_id", "payments.id")
    .select(columns.refunds.map((column) => `refunds.${column}` as const))
    .where("payments.booking_id", "in", wanted(q, parts).select("id"));
  return jsonArrayFrom(byId.unionAll(ofPayments).unionAll(ofBookings));
}

function wantedEntries(q: QueryBuilder, parts: Parts) {
  return q.db.selectFrom("waiting_list").where((eb) => {
    const byId = parts.entries ? [eb("id", "=", listed("entryIds", "uuid"))] : [];
    const ofWaiters = parts.waiters
      ? [
          sql<boolean>`(waiting_list.customer = any(array(select r.customer from ${rows("waiters", "customer text")}))
            and (waiting_list.state in ('waiting', 'unservable')
              or (waiting_list.customer, waiting_list.request_id) in
                (select r.customer, r.request_id from ${rows("waiters", "customer text, request_id text")})))`,
        ]
      : [];
    return eb.or([...byId, ...ofWaiters]);
  });
}

function entries(q: QueryBuilder, parts: Parts): Expression<unknown> {
  return jsonArrayFrom(wantedEntries(q, parts).select(columns.waiting_list));
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
