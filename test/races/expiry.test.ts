import type pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  databaseNow,
  minute,
  preCheckout,
  receipt,
  reserve,
  unique,
  untilBlocked,
} from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

// C1 and C7: decisions at the very instant of an expiry. The movable clock takes the place of waiting for it.
let db: TestDatabase;
beforeEach(async () => {
  db = await createFrozenDatabase({ timeouts: { lockMs: 20_000, statementMs: 20_000, idleMs: 20_000 } });
});
afterEach(() => db.drop());

const patient = { budgetMs: 20_000 };

/** Somebody who keeps a row locked until `release`. */
async function lockRow(table: "bookings" | "resources", id: string | undefined): Promise<{ release(): Promise<void> }> {
  const client = await db.pool.connect();
  await client.query("begin");
  await client.query(`select 1 from ${db.schema}.${table} where id = $1 for no key update`, [id]);
  return {
    async release() {
      await client.query("commit");
      client.release();
    },
  };
}

/** Runs `work` in a transaction of the caller's and leaves it open. */
async function inOpenTransaction<Result>(
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<{ result: Result; end(how: "commit" | "rollback"): Promise<void> }> {
  const client = await db.pool.connect();
  await client.query("begin");
  const result = await work(client);
  return {
    result,
    async end(how) {
      await client.query(how);
      client.release();
    },
  };
}

const within = (client: pg.PoolClient) => db.bookonce.within(client);
/** The shop, with the verbs of this transaction. */
const joined = (client: pg.PoolClient) => ({ ...db.bookonce, ...within(client), waitlist: db.bookonce.waitlist });

describe("C7, S4: a wait for a lock across the expiry: the time after the wait decides", () => {
  test.each(["bookings", "resources"] as const)(
    "a receipt that waited for %s is late, though it came in time",
    async (table) => {
      const booking = await book(db.bookonce);
      const lock = await lockRow(table, table === "bookings" ? booking.id : booking.resources[0]);
      const paying = receipt(db.bookonce, booking);
      await untilBlocked(db);
      await db.clock.advance(15 * minute);
      await lock.release();
      expect(await paying).toMatchObject({ outcome: "late", refund: { reason: "hold_lapsed" } });
    },
  );

  test.each(["bookings", "resources"] as const)("a query that waited for %s is declined", async (table) => {
    const booking = await book(db.bookonce);
    const lock = await lockRow(table, table === "bookings" ? booking.id : booking.resources[0]);
    const asking = preCheckout(db.bookonce, booking, {}, patient);
    await untilBlocked(db);
    await db.clock.advance(15 * minute);
    await lock.release();
    expect(await asking).toMatchObject({ outcome: "declined", reason: "hold_lapsed" });
  });

  test("a stored yes that is repeated after such a wait becomes a no", async () => {
    const booking = await book(db.bookonce);
    await preCheckout(db.bookonce, booking, { checkoutId: "q-1" });
    const lock = await lockRow("bookings", booking.id);
    const asking = preCheckout(db.bookonce, booking, { checkoutId: "q-1" }, patient);
    await untilBlocked(db);
    await db.clock.advance(15 * minute);
    await lock.release();
    expect(await asking).toMatchObject({ outcome: "declined", reason: "hold_lapsed", repeated: true });
  });

  test("a rival that waited past the end of the hold is served", async () => {
    const booking = await book(db.bookonce);
    const lock = await lockRow("resources", booking.resources[0]);
    const wanting = reserve(db.bookonce, { resources: booking.resources });
    await untilBlocked(db);
    await db.clock.advance(15 * minute);
    await lock.release();
    expect((await wanting).outcome).toBe("reserved");
  });

  test("a rival that waited past the start is refused", async () => {
    const resource = await aResource(db.bookonce);
    const start = new Date((await databaseNow(db)).getTime() + 5 * minute);
    const lock = await lockRow("resources", resource);
    const wanting = reserve(db.bookonce, { resources: [resource], start });
    await untilBlocked(db);
    await db.clock.advance(5 * minute);
    await lock.release();
    expect(await wanting).toMatchObject({ outcome: "refused", reason: "in_past" });
  });

  test("a new hold is counted from the end of the wait", async () => {
    const resource = await aResource(db.bookonce);
    const before = (await databaseNow(db)).getTime();
    const lock = await lockRow("resources", resource);
    const wanting = reserve(db.bookonce, { resources: [resource] });
    await untilBlocked(db);
    await db.clock.advance(60 * minute);
    await lock.release();
    const outcome = await wanting;
    const expires = outcome.outcome === "reserved" ? (outcome.booking.holdExpiresAt?.getTime() ?? 0) : 0;
    expect(expires - before).toBe(75 * minute);
  });
});

describe("C1: confirm and a rival's hold on both sides of the expiry", () => {
  test("the receipt is decided before the end and commits after it: the rival waits, and finds the slot sold", async () => {
    const booking = await book(db.bookonce);
    const open = await inOpenTransaction((client) => receipt(joined(client), booking));
    expect(open.result).toMatchObject({ outcome: "booked" });
    await db.clock.advance(15 * minute);
    const rival = reserve(db.bookonce, { resources: booking.resources });
    await untilBlocked(db);
    await open.end("commit");
    expect(await rival).toMatchObject({ outcome: "refused", reason: "slot_taken" });
    expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { bought: 1 } });
  });

  test("the same, but it is rolled back: the rival gets the slot, and the receipt that comes again is late", async () => {
    const booking = await book(db.bookonce);
    const open = await inOpenTransaction((client) => receipt(joined(client), booking, { chargeId: "c-1" }));
    await db.clock.advance(15 * minute);
    const rival = reserve(db.bookonce, { resources: booking.resources });
    await untilBlocked(db);
    await open.end("rollback");
    expect((await rival).outcome).toBe("reserved");
    expect(await receipt(db.bookonce, booking, { chargeId: "c-1" })).toMatchObject({
      outcome: "late",
      repeated: false,
    });
    expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { bought: 0, returning: 1 } });
  });

  test("the rival's hold is decided after the end and commits late: the receipt waits, and is late", async () => {
    const booking = await book(db.bookonce);
    await db.clock.advance(15 * minute);
    const open = await inOpenTransaction((client) =>
      within(client).reserveSlot({
        customer: unique("c"),
        resources: booking.resources,
        start: booking.start,
        end: booking.end,
      }),
    );
    expect(open.result.outcome).toBe("reserved");
    const paying = receipt(db.bookonce, booking);
    await untilBlocked(db);
    await open.end("commit");
    expect(await paying).toMatchObject({ outcome: "late" });
  });

  test("rebookIfFree: the rival's open hold is waited for, and then the money goes back", async () => {
    const shop = db.another({ policies: { latePayment: "rebookIfFree" } });
    const booking = await book(shop);
    await db.clock.advance(15 * minute);
    const open = await inOpenTransaction((client) =>
      within(client).reserveSlot({
        customer: unique("c"),
        resources: booking.resources,
        start: booking.start,
        end: booking.end,
      }),
    );
    const paying = receipt(shop, booking);
    await untilBlocked(db);
    await open.end("commit");
    expect(await paying).toMatchObject({ outcome: "late" });
  });

  test("the sweeper waits for a receipt in flight, and expires nothing that it bought", async () => {
    const booking = await book(db.bookonce);
    const open = await inOpenTransaction((client) => receipt(joined(client), booking));
    await db.clock.advance(15 * minute);
    const sweeping = db.bookonce.sweep();
    await untilBlocked(db);
    await open.end("commit");
    expect(await sweeping).toEqual({ expired: 0 });
    expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "confirmed" });
  });
});

test("B4: two bookings of different resources never wait for each other", async () => {
  const [one, other] = [await aResource(db.bookonce), await aResource(db.bookonce)];
  const lock = await lockRow("resources", one);
  const waiting = reserve(db.bookonce, { resources: [one] });
  await untilBlocked(db);
  // Answered while the first still waits.
  expect((await reserve(db.another(), { resources: [other] })).outcome).toBe("reserved");
  const { rows } = await db.pool.query(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0",
  );
  expect(rows).toEqual([{ n: 1 }]);
  await lock.release();
  expect((await waiting).outcome).toBe("reserved");
});
