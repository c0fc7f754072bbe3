import { type Changes, claimKey, providerKey, type State } from "../core/state.ts";
import { changeable, columns, primaryKeys } from "./columns.ts";
import {
  fromBooking,
  fromCheckout,
  fromClaim,
  fromEntry,
  fromEvent,
  fromPayment,
  fromRefund,
  fromResource,
} from "./mapping.ts";

type Changing = "resources" | "bookings" | "claims" | "checkouts" | "payments" | "refunds" | "waiting_list";
type Row = Readonly<Record<string, unknown>>;

/** Rows of one table that are new, or changed; of changed ones only the key and the columns that are another in any of them. */
export type Write = { readonly rows: readonly Row[]; readonly columns: readonly string[] } & (
  | { readonly kind: "insert"; readonly table: Changing | "events" }
  | { readonly kind: "update"; readonly table: Changing }
);

/** The last version of every row that was put, parted into those that were read (changed) and those that were not (new). */
export function writesOf(before: State, changes: readonly Changes[]): Write[] {
  const writes: Write[] = [];
  const collectTable = <Model extends object>(
    table: Changing,
    known: ReadonlyMap<string, Model>,
    put: readonly Model[],
    keyOf: (model: Model) => string,
    toRow: (model: Model) => object,
  ): void => {
    const last = [...new Map(put.map((model) => [keyOf(model), model]))];
    const changed = last.flatMap(([key, is]) => {
      const was = known.get(key);
      return was === undefined ? [] : [{ was, is }];
    });
    const others = columnsChanged(table, changed);
    if (others.length > 0) {
      const names = [...primaryKeys[table], ...others];
      writes.push({
        kind: "update",
        table,
        columns: others,
        rows: changed.map(({ is }) => pick({ ...toRow(is) }, names)),
      });
    }
    const added = last.filter(([key]) => !known.has(key)).map(([, model]) => ({ ...toRow(model) }));
    if (added.length > 0) writes.push({ kind: "insert", table, columns: columns[table], rows: added });
  };
  collectTable(
    "resources",
    before.resources,
    changes.flatMap((one) => one.resources ?? []),
    (resource) => resource.id,
    fromResource,
  );
  collectTable(
    "bookings",
    before.bookings,
    changes.flatMap((one) => one.bookings ?? []),
    (booking) => booking.id,
    fromBooking,
  );
  collectTable(
    "claims",
    before.claims,
    changes.flatMap((one) => one.claims ?? []),
    claimKey,
    fromClaim,
  );
  // Sorted, so that two processes that insert the same new keys wait for each other in one order.
  const checkouts = changes
    .flatMap((one) => one.checkouts ?? [])
    .sort((a, b) => compare(providerKey(a.key), providerKey(b.key)));
  collectTable("checkouts", before.checkouts, checkouts, (checkout) => providerKey(checkout.key), fromCheckout);
  const payments = changes
    .flatMap((one) => one.payments ?? [])
    .sort((a, b) => compare(providerKey(a.key), providerKey(b.key)));
  collectTable("payments", before.payments, payments, (payment) => providerKey(payment.key), fromPayment);
  collectTable(
    "refunds",
    before.refunds,
    changes.flatMap((one) => one.refunds ?? []),
    (refund) => refund.id,
    fromRefund,
  );
  collectTable(
    "waiting_list",
    before.entries,
    changes.flatMap((one) => one.entries ?? []),
    (entry) => entry.id,
    fromEntry,
  );
  const events = changes.flatMap((one) => one.events ?? []).map((event) => ({ ...fromEvent(event) }));
  if (events.length > 0) writes.push({ kind: "insert", table: "events", columns: columns.events, rows: events });
  return writes;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The columns of all that is another in any of the rows. A part of a model that is copied unchanged is the same object. */
function columnsChanged<Model extends object>(
  table: Changing,
  changed: readonly { readonly was: Model; readonly is: Model }[],
): string[] {
  const parts: [string, readonly string[]][] = Object.entries(changeable[table]);
  return parts.flatMap(([part, names]) =>
    changed.some(({ was, is }) => partOf(was, part) !== partOf(is, part)) ? names : [],
  );
}

function partOf(model: object, part: string): unknown {
  return Reflect.get(model, part);
}

function pick(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}
