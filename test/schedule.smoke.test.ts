import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "./support/database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  const { bookonce } = db;
  await bookonce.resources.put({ id: "a" });
  await bookonce.resources.put({ id: "b" });
  await bookonce.resources.put({ id: "hall", kind: "counted", capacity: 10 });
  await bookonce.resources.put({ id: "any", kind: "pool", members: ["a", "b"], fairness: "least_recent" });
});
afterAll(() => db.drop());

const at = (hour: number) => new Date(Date.UTC(2031, 0, 6, hour));

test("a pool is given out in turn and then full", async () => {
  const hold = (customer: string, hour: number) =>
    db.bookonce.reserveSlot({ customer, resources: ["any"], start: at(hour), duration: { minutes: 60 } });
  const taken = [await hold("p1", 10), await hold("p2", 11), await hold("p3", 12), await hold("p4", 13)];
  expect(taken.map((one) => (one.outcome === "reserved" ? one.booking.resources[0] : one))).toEqual(["a", "b", "a", "b"]);
  expect(await hold("p5", 10)).toMatchObject({ outcome: "reserved" });
  expect(await hold("p6", 10)).toMatchObject({ outcome: "refused", reason: "pool_full" });
});

test("counted places are taken to the last one", async () => {
  const hold = (customer: string, quantity: number) =>
    db.bookonce.reserveSlot({ customer, resources: ["hall"], quantity, start: at(10), duration: { minutes: 60 } });
  expect(await hold("h1", 6)).toMatchObject({ outcome: "reserved" });
  expect(await hold("h2", 6)).toMatchObject({ outcome: "refused", reason: "no_capacity", left: 4 });
  expect(await hold("h2", 4)).toMatchObject({ outcome: "reserved" });
});

test("a service lists what can be claimed, and a booking can be moved over its own place", async () => {
  const { bookonce } = db;
  await bookonce.services.put({
    id: "cut",
    duration: { minutes: 60 },
    resources: ["a"],
    times: {
      schedule: { zone: "Asia/Tashkent", weekly: { tuesday: [{ from: "10:00", to: "14:00" }] } },
      grid: { stepMinutes: 30, anchor: "window" },
    },
  });
  const query = { service: "cut", from: new Date(Date.UTC(2031, 0, 7)), to: new Date(Date.UTC(2031, 0, 8)) };
  const before = await bookonce.slots.find(query);
  expect(before.map((slot) => slot.start.toISOString().slice(11, 16))).toEqual([
    "05:00", "05:30", "06:00", "06:30", "07:00", "07:30", "08:00",
  ]);
  const start = before[1]?.start ?? new Date();
  const reserved = await bookonce.reserveSlot({ customer: "c1", service: "cut", start });
  if (reserved.outcome !== "reserved") throw new Error(JSON.stringify(reserved));
  expect((await bookonce.slots.find(query)).map((slot) => slot.start.toISOString().slice(11, 16))).toEqual(["06:30", "07:00", "07:30", "08:00"]);
  expect((await bookonce.slots.find({ ...query, customer: "c1" })).filter((slot) => slot.own)).toHaveLength(3);
  expect(await bookonce.slots.explain({ service: "cut", start: at(10) })).toMatchObject({ claimable: false, refused: { reason: "closed" } });
  expect(await bookonce.reserveSlot({ customer: "c1", service: "cut", start: at(10) })).toMatchObject({ outcome: "refused", reason: "closed" });
  const moved = await bookonce.reschedule({ bookingId: reserved.booking.id, customer: "c1", start: new Date(start.getTime() + 1_800_000) });
  expect(moved).toMatchObject({ outcome: "rescheduled", booking: { version: 2 } });
  expect((await bookonce.slots.nextFree({ service: "cut", after: query.from, count: 2 })).map((slot) => slot.start.toISOString().slice(11, 16))).toEqual(["05:00", "07:00"]);
  expect(await bookonce.confirm({ bookingId: reserved.booking.id, customer: "c1" })).toMatchObject({ outcome: "confirmed" });
  expect(await bookonce.transfer({ bookingId: reserved.booking.id, customer: "c1", to: "c2" })).toMatchObject({ outcome: "transferred" });
  expect(await bookonce.previewCancel({ bookingId: reserved.booking.id, customer: "c2" })).toMatchObject({ outcome: "preview" });
  expect(await bookonce.audit()).toMatchObject({ ok: true });
});

test("a session is shared up to its places", async () => {
  const { bookonce } = db;
  await bookonce.services.put({ id: "yoga", duration: { minutes: 60 }, resources: ["b"], session: { capacity: 2 } });
  const join = (customer: string) => bookonce.reserveSlot({ customer, service: "yoga", start: at(20), confirm: true });
  expect(await join("y1")).toMatchObject({ outcome: "reserved" });
  expect(await join("y2")).toMatchObject({ outcome: "reserved" });
  expect(await join("y3")).toMatchObject({ outcome: "refused", reason: "no_capacity" });
  expect(await bookonce.reserveSlot({ customer: "y4", resources: ["b"], start: at(20), duration: { minutes: 30 } })).toMatchObject({ reason: "slot_taken" });
});

test("the doctor sees who waits for whom, and who held a place at an instant", async () => {
  const { bookonce, pool, schema } = db;
  expect(await bookonce.doctor()).toMatchObject({ findings: [], ok: true });
  const [one, two] = [await pool.connect(), await pool.connect()];
  await one.query(`begin; select from ${schema}.resources where id = 'a' for update`);
  const waiting = two.query(`select from ${schema}.resources where id = 'a' for update`);
  await expect.poll(() => bookonce.waits()).toMatchObject([{ blockingState: "idle in transaction" }]);
  await one.query("commit");
  await waiting;
  one.release();
  two.release();
  const held = await bookonce.reserveSlot({ customer: "w", resources: ["a"], start: at(40), duration: { minutes: 60 } });
  expect(held.outcome).toBe("reserved");
  expect(await bookonce.bookings.holders({ resource: "a", at: at(40) })).toMatchObject([{ customer: "w" }]);
  expect(await bookonce.bookings.holders({ resource: "a", at: at(40), asOf: "2030-01-01T00:00:00Z" })).toEqual([]);
});

test("C14 a booking keeps its wall time when the zone's rules have changed, and is never moved silently", async () => {
  const { bookonce, pool, schema } = db;
  const start = new Date("2031-01-14T05:00:00Z");
  const reserved = await bookonce.reserveSlot({ customer: "zone", service: "cut", start, confirm: true });
  if (reserved.outcome !== "reserved") throw new Error(JSON.stringify(reserved));
  // As if Tashkent had been at UTC+6 when it was booked, so that 10:00 was an hour earlier.
  await pool.query(
    `update ${schema}.bookings set starts_at = starts_at - interval '1 hour', ends_at = ends_at - interval '1 hour', zone_data = '2000a' where id = $1`,
    [reserved.booking.id],
  );
  const found = await bookonce.reanchor({ actor: "admin" });
  expect(found).toMatchObject([{ outcome: "found", agreed: "2031-01-14 10:00 Asia/Tashkent", to: start }]);
  expect(await bookonce.reanchor({ actor: "admin", dryRun: false })).toMatchObject([{ outcome: "moved" }]);
  expect((await bookonce.bookings.get(reserved.booking.id))?.start).toEqual(start);
  expect(await bookonce.reanchor({ actor: "admin" })).toEqual([]);
});

test("R61 a cancelled booking is not reminded of, even when a worker holds the reminder already", async () => {
  const bookonce = db.another({ reminders: [{ kind: "hour_before", before: { hours: 1 } }] });
  const now = Date.now();
  const book = async (customer: string, hours: number) => {
    await bookonce.reminders.optIn({ customer, source: "test" });
    const reserved = await bookonce.reserveSlot({ customer, resources: ["b"], start: new Date(now + hours * 3_600_000), duration: { minutes: 30 }, confirm: true });
    if (reserved.outcome !== "reserved") throw new Error(JSON.stringify(reserved));
    return reserved.booking;
  };
  await book("r1", 2);
  const second = await book("r2", 2.5);
  const tell: string[] = [];
  await bookonce.events.run(async () => undefined);
  expect(await bookonce.reminders.run()).toEqual({ queued: 0, missed: 0 });
  await db.clock.advance(100 * 60_000);
  expect(await bookonce.reminders.run()).toEqual({ queued: 2, missed: 0 });
  expect(await bookonce.reminders.run()).toEqual({ queued: 0, missed: 0 });
  await bookonce.cancel({ bookingId: second.id, customer: "r2" });
  const report = await bookonce.events.run(async (event) => void tell.push(`${event.type} ${event.booking?.customer}`));
  expect(tell).toEqual(["reminder_due r1", "booking_cancelled r2"]);
  expect(report).toMatchObject({ dropped: 1 });
  await db.clock.reset();
});
