import { randomUUID } from "node:crypto";
import type { BookingView } from "bookonce";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, book, count, preCheckout, receiptOf, reserve, soon, unique } from "../support/fixtures.ts";

/** Other writers in the way: a deadlock, and claims by somebody who takes none of our locks. */

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test("a deadlock with another session is retried, and nobody hears of it", async () => {
  const shop = db.another({ timeouts: { lockMs: 10_000 } });
  const [a, b] = [await aResource(shop, "a"), await aResource(shop, "b")];
  const foreign = await db.pool.connect();
  const lock = `select from ${db.schema}.resources where id = $1 for no key update`;
  await foreign.query("begin");
  // So that it is always our transaction that PostgreSQL picks.
  await foreign.query("set local deadlock_timeout = '60s'");
  await foreign.query(lock, [b]);
  const deadlocks = await deadlocksSeen();
  const running = reserve(shop, { resources: [a, b] });
  await blockedBackends(1);
  // Now it waits for a, which we hold, and we for b.
  await foreign.query(lock, [a]);
  await foreign.query("commit");
  foreign.release();
  expect(await running).toMatchObject({ outcome: "reserved" });
  expect(await deadlocksSeen()).toBe(deadlocks + 1);
});

async function deadlocksSeen(): Promise<number> {
  const { rows } = await db.pool.query<{ n: number }>(
    "select deadlocks::int as n from pg_stat_database where datname = current_database()",
  );
  return rows[0]?.n ?? -1;
}

/** Resolves when so many sessions of the database wait for a lock. */
async function blockedBackends(wanted: number): Promise<void> {
  for (;;) {
    const { rows } = await db.pool.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if ((rows[0]?.n ?? 0) >= wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A claim by a writer who takes none of our locks, in a transaction that is still open; commits when told. */
async function foreignClaim(
  resource: string,
  start: Date,
): Promise<{ commit(): Promise<void>; rollback(): Promise<void> }> {
  const owner = await book(db.bookonce);
  const client = await db.pool.connect();
  await client.query("begin");
  await client.query(
    `insert into ${db.schema}.claims (booking_id, number, resource_id, starts_at, ends_at, live_from, live_until)
      values ($1, 9, $2, $3, $4, clock_timestamp(), null)`,
    [owner.id, resource, start, new Date(start.getTime() + 3_600_000)],
  );
  const end = async (text: string): Promise<void> => {
    await client.query(text);
    client.release();
  };
  return { commit: () => end("commit"), rollback: () => end("rollback") };
}

test("a foreign writer who takes no lock and commits first: the buyer hears `slot_taken`, never a raw error (B5, O6)", async () => {
  const resource = await aResource(db.bookonce);
  const foreign = await foreignClaim(resource, soon);
  const running = reserve(db.bookonce, { resources: [resource] });
  // Our decision did not see the claim; our insert waits for the constraint.
  await blockedBackends(1);
  await foreign.commit();
  expect(await running).toEqual({ outcome: "refused", reason: "slot_taken", resource });
  expect(await count(db, "bookings", "resource_ids = array[$1]", [resource])).toBe(0);
});

test("a foreign writer who rolls back leaves the slot to the buyer", async () => {
  const resource = await aResource(db.bookonce);
  const foreign = await foreignClaim(resource, soon);
  const running = reserve(db.bookonce, { resources: [resource] });
  await blockedBackends(1);
  await foreign.rollback();
  expect(await running).toMatchObject({ outcome: "reserved" });
});

test("the same at pre-checkout: declined with `slot_taken`, and stored so (S2)", async () => {
  const booking = await book(db.bookonce, { claim: "at_checkout" });
  const foreign = await foreignClaim(booking.resources[0] ?? "", booking.start);
  const checkoutId = unique("query");
  const running = preCheckout(db.bookonce, booking, { checkoutId });
  await blockedBackends(1);
  await foreign.commit();
  expect(await running).toMatchObject({ outcome: "declined", reason: "slot_taken", repeated: false });
  expect(await preCheckout(db.bookonce, booking, { checkoutId })).toMatchObject({
    reason: "slot_taken",
    repeated: true,
  });
});

test("a charge that two processes report at once is one payment, though no booking's lock parts them (S10)", async () => {
  const booking = await book(db.bookonce);
  // Our prefix, and a token nobody knows: the payment belongs to no booking.
  const stranger: BookingView = { ...booking, payload: `${booking.payload.slice(0, -22)}${"A".repeat(22)}` };
  const others = [db.another(), db.another(), db.another()];
  for (let round = 0; round < 10; round += 1) {
    const charge = receiptOf(stranger, { chargeId: randomUUID() });
    const outcomes = await Promise.all([db.bookonce, ...others].map((shop) => shop.confirmPayment(charge)));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill("unmatched"));
    expect(outcomes.filter((outcome) => "repeated" in outcome && !outcome.repeated)).toHaveLength(1);
    expect(await count(db, "payments", "external_id = $1", [charge.chargeId])).toBe(1);
  }
});
