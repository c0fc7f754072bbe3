import { createBookonce } from "bookonce";
import type { HandledUpdate } from "bookonce/telegram";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../../support/database.ts";
import { buy, charge, cuttable, overWire, rows, salon } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => db.clock.reset());
afterAll(() => db.drop());

test("case B15, B18, S10: the same receipt twenty times over two pools is one payment and one booking", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  const chargeId = await charge(at, alice, booking);
  const [update] = await at.take();
  const other = db.another();
  const processes = [at.telegram, at.another(other)];
  const results = await Promise.all(Array.from({ length: 20 }, (_, n) => processes[n % 2]?.handleUpdate(update)));
  expect(results.every((result) => result?.outcome === "booked" && result.ack === "ok")).toBe(true);
  expect(results.filter((result) => result?.outcome === "booked" && !result.repeated)).toHaveLength(1);
  expect(await db.bookonce.payments.find({ chargeId })).toHaveLength(1);
  // One notification: the outbox holds one event of the change.
  expect(await rows(db, "events", "type = 'booking_confirmed' and booking_id = $1", booking.id)).toHaveLength(1);
});

test("B35: redelivered three times, under one update id or another: one event to tell the buyer", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  await at.fake.faults.payment({ receipt: "twice-new-update-id" });
  await charge(at, alice, booking);
  const [first, second] = await at.take(2);
  for (const update of [first, second, first]) {
    expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "booked" });
  }
  const told: string[] = [];
  await db.bookonce.events.run(async (event) => {
    if (event.bookingId === booking.id && event.type === "booking_confirmed") told.push(event.type);
  });
  expect(told).toEqual(["booking_confirmed"]);
});

test("case B16: the database is away: not acknowledged and not lost; delivered again, it has one effect", async () => {
  const at = await salon(db);
  const wire = await cuttable(db.url);
  const telegram = at.another(overWire(db, wire.url), { deadlines: { recordMs: 300 } });
  const alice = at.person();
  const chargeId = await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  await wire.cut();
  expect(await telegram.handleUpdate(update)).toMatchObject({
    outcome: "not_stored",
    of: "successful_payment",
    error: { code: "unavailable", retryable: true },
    handled: true,
    ack: "retry",
  });
  expect(await db.bookonce.payments.find({ chargeId })).toEqual([]);
  await wire.mend();
  // A new connection takes its time, and the first attempts may fail still.
  const delivered = () => telegram.handleUpdate(update);
  await expect.poll(delivered, { timeout: 20_000 }).toMatchObject({ outcome: "booked", ack: "ok" });
  expect(await telegram.handleUpdate(update)).toMatchObject({ outcome: "booked", repeated: true });
  expect(await db.bookonce.payments.find({ chargeId })).toHaveLength(1);
});

test("B20, B21: with patience (long polling) the receipt is tried again until it is stored", async () => {
  const at = await salon(db);
  const wire = await cuttable(db.url);
  const telegram = at.another(overWire(db, wire.url), { deadlines: { recordMs: 200 } });
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  await wire.cut();
  const handling = telegram.handleUpdate(update, { patience: "until_stored" });
  await expect.poll(() => at.errors.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
  await wire.mend();
  expect(await handling).toMatchObject({ outcome: "booked", ack: "ok" });
});

test("patience ends when the signal fires, and the update is not acknowledged", async () => {
  const at = await salon(db);
  const stop = new AbortController();
  const confirmPayment = async () => {
    if (at.errors.length > 1) stop.abort();
    throw new Error("no database");
  };
  const telegram = at.another({ ...db.bookonce, confirmPayment });
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  const result = await telegram.handleUpdate(update, { patience: "until_stored", signal: stop.signal });
  expect(result).toMatchObject({ outcome: "not_stored", error: { code: "internal" }, ack: "retry" });
});

test("tables that are missing lose no receipt either", async () => {
  const at = await salon(db);
  const telegram = at.another(createBookonce({ database: db.database, schema: `${testSchema}_nowhere` }));
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  expect(await telegram.handleUpdate(update)).toMatchObject({
    outcome: "not_stored",
    error: { code: "not_migrated" },
    ack: "retry",
  });
});

test("B25: two processes take turns with the updates of one purchase", async () => {
  const at = await salon(db);
  const other = at.another(db.another());
  const alice = at.person();
  const paying = alice.pay(await at.link(await at.reserve(alice)));
  const [query] = await at.take();
  expect(await other.handleUpdate(query)).toMatchObject({ outcome: "approved" });
  expect(await paying).toMatchObject({ outcome: "paid" });
  expect(await at.receive()).toMatchObject([{ outcome: "booked" }]);
});

test("B32: two purchases of one person, one after the other; and update ids that jump back", async () => {
  const at = await salon(db);
  const alice = at.person();
  const results: HandledUpdate[] = [];
  for (let n = 0; n < 2; n += 1) {
    results.push((await buy(at, alice, await at.reserve(alice))).result);
    await at.fake.updates.jump({ bot: at.bot });
  }
  expect(results).toMatchObject([{ outcome: "booked" }, { outcome: "booked" }]);
});

test("B31: two people buy different slots back to back, and each gets their own", async () => {
  const at = await salon(db);
  const people = [at.person(), at.person()];
  const bookings = await Promise.all(people.map((person) => at.reserve(person)));
  const paying = await Promise.all(
    people.map(async (person, n) => ({ n, link: await at.link(bookings[n] ?? (await at.reserve(person))) })),
  );
  const outcomes = paying.map(({ n, link }) => people[n]?.pay(link));
  for (const update of await at.take(2)) await at.telegram.handleUpdate(update);
  await Promise.all(outcomes);
  const receipts = (await at.take(2)).map((update) => at.telegram.handleUpdate(update));
  const booked = await Promise.all(receipts);
  const pairs = booked.map((result) => result.outcome === "booked" && [result.booking.id, result.booking.customer]);
  expect(pairs.sort()).toEqual(bookings.map((booking) => [booking.id, booking.customer]).sort());
});
