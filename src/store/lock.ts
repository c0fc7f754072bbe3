import { type RawBuilder, sql } from "kysely";
import type { Statement } from "../database/port.ts";
import type { Keys } from "./keys.ts";
import { document, listed, type QueryBuilder, rows, textOf } from "./query-builder.ts";
import { isNamed, type NamedBy, namedBy } from "./wanted-bookings.ts";

/**
 * The locks of a batch, in the one order that every operation keeps: customers (advisory), bookings by id, resources by id, then
 * payments and refunds that belong to no booking. What is read, is read by a later statement, which sees what the wait has changed.
 * An entry of the waiting list is guarded by the lock of its customer, the first of all, and needs none of its own.
 *
 * FOR NO KEY UPDATE: FOR UPDATE would deadlock with the key-share lock that a foreign key takes when a claim is inserted.
 */
export interface Locks {
  statements(keys: Keys): Statement[];
}

// Our own namespace among the advisory locks of a database that others may use too: "book" in ASCII.
const customerLocks = 0x626f6f6b;

export function locks(q: QueryBuilder): Locks {
  const texts = new Map<string, LockTexts>();
  const textsFor = (by: readonly NamedBy[]): LockTexts => {
    const known = texts.get(by.join()) ?? lockTexts(q, by);
    texts.set(by.join(), known);
    return known;
  };
  return {
    statements(keys) {
      const values = [
        JSON.stringify({
          customers: keys.customers,
          bookingIds: keys.bookingIds,
          tokens: keys.tokens,
          entryIds: keys.entryIds,
          windows: keys.windows.map(({ resource }) => ({ resource })),
          paymentIds: keys.paymentIds,
          refundIds: keys.refundIds,
        }),
      ];
      const by = namedBy(keys);
      const text = textsFor(by);
      const statements: Statement[] = [];
      if (keys.customers.length > 0) statements.push({ text: text.customers, values });
      const money = keys.paymentIds.length + keys.refundIds.length > 0;
      if (money) statements.push({ text: text.bookingsOfMoney, values });
      if (by.length > 0 || keys.windows.length > 0) statements.push({ text: text.places, values });
      if (keys.paymentIds.length > 0) statements.push({ text: text.payments, values });
      if (money) statements.push({ text: text.refunds, values });
      return statements;
    },
  };
}

type LockTexts = Record<"customers" | "bookingsOfMoney" | "places" | "payments" | "refunds", string>;

function lockTexts(q: QueryBuilder, by: readonly NamedBy[]): LockTexts {
  const named = isNamed(by);
  const lock = (table: string, condition: RawBuilder<unknown>) =>
    sql`select count(*)::text as result from (
      select id from ${q.named(table)} where ${condition} order by id for no key update) as locked`;

  const customers = sql`select count(pg_advisory_xact_lock(${sql.lit(customerLocks)}, k))::text as result
    from (select distinct hashtext(e) as k from jsonb_array_elements_text(${document} -> 'customers') as e order by k) as c`;

  // The bookings of refunds and payments too: the history of a booking is written under its lock, and so in order.
  const bookingsOfMoney = lock(
    "bookings",
    sql`id in (
      select id from ${q.named("bookings")} where ${named}
      union all select booking_id from ${q.named("refunds")} where id = ${listed("refundIds", "uuid")}
      union all select booking_id from ${q.named("payments")} where id = ${listed("paymentIds", "uuid")})`,
  );

  // What a locking select returns is the row as it is now, not as it was before the wait; so these are the resources that the
  // bookings have now, and one statement is enough. A pool brings its members, for any of them may be chosen. Arrays, for with a
  // sub-select the planner expects hundreds of resources and scans the table.
  const places = sql`with locked as materialized (
      select wanted_ids, resource_ids from ${q.named("bookings")} where ${named} order by id for no key update),
    wanted as materialized (
      select r.resource from ${rows("windows", "resource text")}
      union all select unnest(wanted_ids || resource_ids) from locked)
    ${lock(
      "resources",
      sql`id = any(array(
        select resource from wanted
        union all select unnest(p.members) from ${q.named("resources")} p
          where p.kind = 'pool' and p.id = any(array(select resource from wanted))))`,
    )}`;

  return {
    customers: textOf(q, customers),
    bookingsOfMoney: textOf(q, bookingsOfMoney),
    places: textOf(q, places),
    payments: textOf(q, lock("payments", sql`id = ${listed("paymentIds", "uuid")}`)),
    // Those of the payments too: a worker may lease one while what went back elsewhere is written down.
    refunds: textOf(
      q,
      lock("refunds", sql`id = ${listed("refundIds", "uuid")} or payment_id = ${listed("paymentIds", "uuid")}`),
    ),
  };
}
