import { sql } from "kysely";
import { type Changes, claimKey, providerKey, type State } from "../core/state.ts";
import type { Statement } from "../database/port.ts";
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
import { document, type QueryBuilder, textOf } from "./query-builder.ts";

/** Writes what the decisions of a batch changed: at most one statement for changed rows and one for new ones. */
export interface Writer {
  statements(before: State, changes: readonly Changes[]): Statement[];
}

type Written = "resources" | "bookings" | "claims" | "checkouts" | "payments" | "refunds" | "waiting_list";
type Rows = Partial<Record<Written | "events", object[]>>;

export function writer(q: QueryBuilder): Writer {
  const texts = new Map<string, string>();
  const cached = (kind: string, rows: Rows, build: (rows: Rows) => string): Statement | null => {
    const tables = Object.keys(rows);
    if (tables.length === 0) return null;
    const name = `${kind} ${tables.join()}`;
    const text = texts.get(name) ?? build(rows);
    texts.set(name, text);
    return { text, values: [JSON.stringify(rows)] };
  };
  return {
    statements(before, changes) {
      const { updates, inserts } = collect(before, changes);
      // Changed rows first: a claim must be closed before another can take its place, and an approval void before another stands.
      return [
        cached("update", updates, (rows) => updateText(q, rows)),
        cached("insert", inserts, (rows) => insertText(q, rows)),
      ].filter((statement) => statement !== null);
    },
  };
}

/** The last version of every row that was put, parted into those that were read (changed) and those that were not (new). */
function collect(before: State, changes: readonly Changes[]): { updates: Rows; inserts: Rows } {
  const updates: Rows = {};
  const inserts: Rows = {};
  const collectTable = <Row>(
    table: Written,
    known: ReadonlyMap<string, Row>,
    put: readonly Row[],
    keyOf: (row: Row) => string,
    toRow: (row: Row) => object,
  ): void => {
    const last = new Map(put.map((row) => [keyOf(row), row]));
    for (const [key, row] of last) {
      const target = known.has(key) ? updates : inserts;
      const rows = target[table] ?? [];
      rows.push(toRow(row));
      target[table] = rows;
    }
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
  const events = changes.flatMap((one) => one.events ?? []).map(fromEvent);
  if (events.length > 0) inserts.events = events;
  return { updates, inserts };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function rows(q: QueryBuilder, table: string) {
  return sql`jsonb_populate_recordset(null::${q.named(table)}, ${document} -> ${sql.lit(table)})`;
}

function insertText(q: QueryBuilder, changed: Rows): string {
  const parts = (Object.keys(changed) as (Written | "events")[]).map((table) => {
    const names = sql.join(columns[table].map((column) => sql.ref(column)));
    return sql`${sql.ref(`${table}_inserted`)} as (insert into ${q.named(table)} (${names}) select ${names} from ${rows(q, table)}${table === "events" ? sql` on conflict do nothing` : sql``})`;
  });
  return textOf(q, sql`with ${sql.join(parts)} select null as result`);
}

function updateText(q: QueryBuilder, changed: Rows): string {
  const parts = (Object.keys(changed) as Written[]).map((table) => {
    const set = sql.join(changeable[table].map((column) => sql`${sql.ref(column)} = r.${sql.ref(column)}`));
    // The lists say once more what the join says, for the planner: it takes the document for a hundred rows and would rather scan
    // the table than look up each of them.
    const same = sql.join(
      primaryKeys[table].map((name) => {
        const column = sql.ref(name);
        return sql`t.${column} = r.${column} and t.${column} = any(array(select ${column} from ${rows(q, table)}))`;
      }),
      sql` and `,
    );
    return sql`${sql.ref(`${table}_updated`)} as (update ${q.named(table)} as t set ${set} from ${rows(q, table)} as r where ${same})`;
  });
  return textOf(q, sql`with ${sql.join(parts)} select null as result`);
}
