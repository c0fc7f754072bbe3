import { sql } from "kysely";
import type { Statement } from "../database/port.ts";
import type { Keys } from "./keys.ts";
import { document, listed, type QueryBuilder, rows, textOf, withMembers } from "./query-builder.ts";
import { isNamed } from "./wanted-bookings.ts";

/**
 * The locks of a batch, in the one order that every operation keeps: customers (advisory), bookings by id, resources by id, then
 * payments and refunds that belong to no booking. Each is a statement of its own, so that the next sees what the wait has changed.
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
  const plain = lockTexts(q, false);
  const withEntries = lockTexts(q, true);
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
      const texts = keys.entryIds.length > 0 ? withEntries : plain;
      const statements: Statement[] = [];
      const existing = keys.bookingIds.length + keys.tokens.length + keys.entryIds.length > 0;
      if (keys.customers.length > 0) statements.push({ text: texts.customers, values });
      const money = keys.paymentIds.length + keys.refundIds.length > 0;
      if (money) statements.push({ text: texts.bookingsWithMoney, values });
      else if (existing) statements.push({ text: texts.bookings, values });
      if (existing || keys.windows.length > 0) statements.push({ text: texts.resources, values });
      if (keys.paymentIds.length > 0) statements.push({ text: texts.payments, values });
      if (keys.refundIds.length > 0) statements.push({ text: texts.refunds, values });
      return statements;
    },
  };
}

type Locked = "customers" | "bookings" | "bookingsWithMoney" | "resources" | "payments" | "refunds";

function lockTexts(q: QueryBuilder, entries: boolean): Record<Locked, string> {
  const { db } = q;
  const bookingsWanted = db.selectFrom("bookings").where((eb) => isNamed(eb, entries));

  // The bookings of refunds and payments too: the history of a booking is written under its lock, and so in order.
  const bookingsOfMoney = db.selectFrom("bookings").where("id", "in", (eb) =>
    eb
      .selectFrom("bookings")
      .select("id")
      .where((e) => isNamed(e, entries))
      .unionAll(
        eb.selectFrom("refunds").select(sql<string>`booking_id`.as("id")).where("id", "=", listed("refundIds", "uuid")),
      )
      .unionAll(
        eb
          .selectFrom("payments")
          .select(sql<string>`booking_id`.as("id"))
          .where("id", "=", listed("paymentIds", "uuid")),
      ),
  );

  const customers = sql`select count(pg_advisory_xact_lock(${sql.lit(customerLocks)}, k))::text as result
    from (select distinct hashtext(e) as k from jsonb_array_elements_text(${document} -> 'customers') as e order by k) as c`;

  const bookings = sql`select count(*)::text as result from (${bookingsWanted
    .select("id")
    .orderBy("id")
    .forNoKeyUpdate()}) as locked`;

  const bookingsWithMoney = sql`select count(*)::text as result from (${bookingsOfMoney
    .select("id")
    .orderBy("id")
    .forNoKeyUpdate()}) as locked`;

  // A new snapshot: the bookings' resources as they are now that the bookings are locked. A pool brings its members, for any of them
  // may be chosen.
  const resources = sql`with wanted as materialized (
      select r.resource from ${rows("windows", "resource text")}
      union all
      ${bookingsWanted.select(sql<string>`unnest(wanted_ids || resource_ids)`.as("resource"))}
    )
    select count(*)::text as result from (
      select id from ${q.named("resources")} where id = any(${withMembers(q)}) order by id for no key update
    ) as locked`;

  const payments = sql`select count(*)::text as result from (${db
    .selectFrom("payments")
    .select("id")
    .where("id", "=", listed("paymentIds", "uuid"))
    .orderBy("id")
    .forNoKeyUpdate()}) as locked`;

  const refunds = sql`select count(*)::text as result from (${db
    .selectFrom("refunds")
    .select("id")
    .where("id", "=", listed("refundIds", "uuid"))
    .orderBy("id")
    .forNoKeyUpdate()}) as locked`;

  return {
    customers: textOf(q, customers),
    bookings: textOf(q, bookings),
    bookingsWithMoney: textOf(q, bookingsWithMoney),
    resources: textOf(q, resources),
    payments: textOf(q, payments),
    refunds: textOf(q, refunds),
  };
}
