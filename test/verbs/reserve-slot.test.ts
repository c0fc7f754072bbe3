import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  bookFree,
  count,
  databaseNow,
  day,
  digestOf,
  hour,
  hoursLater,
  minute,
  receipt,
  reserve,
  sell,
  soon,
  unique,
} from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test("S1: every booking has a random payload of its own, 128 bits behind our prefix, at most 128 bytes", async () => {
  const bookings = await Promise.all(Array.from({ length: 20 }, () => book(db.bookonce)));
  const payloads = new Set(bookings.map((booking) => booking.payload));
  expect(payloads.size).toBe(20);
  for (const payload of payloads) {
    expect(payload).toMatch(/^bko1_[A-Za-z0-9_-]{22}$/);
    expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(64);
  }
});

test("S5: a slot that begins at this instant, or has begun, is not sold", async () => {
  const own = await createFrozenDatabase();
  const now = (await databaseNow(own)).getTime();
  expect(await reserve(own.bookonce, { start: new Date(now) })).toEqual({ outcome: "refused", reason: "in_past" });
  expect((await reserve(own.bookonce, { start: new Date(now + 1) })).outcome).toBe("reserved");
  expect(await reserve(own.bookonce, { start: "2020-01-01T10:00:00+05:00" })).toMatchObject({ reason: "in_past" });
  await own.drop();
});

describe("B2: what is booked is a half-open interval", () => {
  test("touching neighbours fit, an overlap of one millisecond does not", async () => {
    const resources = [await aResource(db.bookonce)];
    await book(db.bookonce, { resources, start: hoursLater(1) });
    const after = new Date(hoursLater(2).getTime() - 1);
    expect(await reserve(db.bookonce, { resources, start: after })).toMatchObject({
      outcome: "refused",
      reason: "slot_taken",
      resource: resources[0],
    });
    expect((await reserve(db.bookonce, { resources, start: hoursLater(2) })).outcome).toBe("reserved");
    expect((await reserve(db.bookonce, { resources, start: hoursLater(0) })).outcome).toBe("reserved");
  });

  test("several resources are all taken or none, and named in one order", async () => {
    const [a, b, c] = [
      await aResource(db.bookonce, "a"),
      await aResource(db.bookonce, "b"),
      await aResource(db.bookonce, "c"),
    ];
    const both = await book(db.bookonce, { resources: [b, a] });
    expect(both.resources).toEqual([a, b].sort());
    const before = await digestOf(db);
    expect(await reserve(db.bookonce, { resources: [c, b], customer: "other" })).toMatchObject({
      reason: "slot_taken",
      resource: b,
    });
    expect(await digestOf(db)).toBe(before);
    expect((await reserve(db.bookonce, { resources: [c] })).outcome).toBe("reserved");
  });

  test("an end may be given instead of a duration, and instants as text with an offset", async () => {
    const booking = await book(db.bookonce, { start: "2099-03-01T15:00:00+05:00", end: "2099-03-01T10:30:00Z" });
    expect(booking.start.toISOString()).toBe("2099-03-01T10:00:00.000Z");
    expect(booking.end.toISOString()).toBe("2099-03-01T10:30:00.000Z");
  });
});

describe("B6: a lapsed hold blocks nobody from the instant it lapses, with no sweeper at all", () => {
  test("a rival is refused before the end and served after it", async () => {
    const own = await createFrozenDatabase();
    const resources = [await aResource(own.bookonce)];
    const held = await book(own.bookonce, { resources, hold: { minutes: 10 } });
    await own.clock.advance(10 * minute - 1);
    expect(await reserve(own.bookonce, { resources })).toMatchObject({ reason: "slot_taken" });
    await own.clock.advance(1);
    expect((await reserve(own.bookonce, { resources })).outcome).toBe("reserved");
    expect(await own.bookonce.bookings.get(held.id)).toMatchObject({ state: "expired", amountDue: null });
    // The row was left as it was: nothing had to be written for all that.
    expect(await count(own, "bookings", "state = 'held'")).toBe(2);
    expect(await count(own, "events", "type = 'booking_expired'")).toBe(0);
    await own.drop();
  });
});

describe("B7: nobody freezes a schedule", () => {
  test("a customer may have five live holds; those that were paid, cancelled or only invoiced do not count", async () => {
    const customer = unique("customer");
    const paid = await sell(db.bookonce, { customer });
    await book(db.bookonce, { customer, claim: "at_checkout" });
    const holds = [];
    for (let index = 0; index < 5; index += 1)
      holds.push(await book(db.bookonce, { customer, start: hoursLater(index) }));
    expect(paid.booking.state).toBe("confirmed");
    expect(await reserve(db.bookonce, { customer })).toEqual({
      outcome: "refused",
      reason: "too_many_holds",
      limit: 5,
    });
    expect((await reserve(db.bookonce)).outcome).toBe("reserved");
    await db.bookonce.cancel({ bookingId: holds[0]?.id ?? "", customer });
    expect((await reserve(db.bookonce, { customer })).outcome).toBe("reserved");
  });

  test("a hold has a default and a longest length", async () => {
    const held = await book(db.bookonce);
    expect((held.holdExpiresAt?.getTime() ?? 0) - held.createdAt.getTime()).toBe(15 * minute);
    expect(await reserve(db.bookonce, { hold: { hours: 24, milliseconds: 1 } })).toEqual({
      outcome: "refused",
      reason: "hold_too_long",
      limitMs: day,
    });
    expect((await reserve(db.bookonce, { hold: { hours: 24 } })).outcome).toBe("reserved");
  });
});

describe("B8: the same intention twice is one booking", () => {
  test("asking again returns the booking: not extended, its price still due", async () => {
    const booking = await book(db.bookonce);
    const { customer, resources, start } = booking;
    const again = await reserve(db.bookonce, {
      customer,
      resources,
      start,
      price: { amount: 1, currency: "XTR" },
      hold: { hours: 3 },
    });
    expect(again).toEqual({ outcome: "existing", booking });
    expect(again).toMatchObject({ booking: { amountDue: { amount: 500, currency: "XTR" } } });
  });

  test("the same resources in another order are the same intention", async () => {
    const resources = [await aResource(db.bookonce), await aResource(db.bookonce)];
    const booking = await book(db.bookonce, { resources });
    const again = await reserve(db.bookonce, { customer: booking.customer, resources: resources.reverse() });
    expect(again).toMatchObject({ outcome: "existing", booking: { id: booking.id } });
  });

  test("a request id returns its booking for ever, and refuses other content", async () => {
    const customer = unique("customer");
    const resources = [await aResource(db.bookonce)];
    const booking = await book(db.bookonce, { customer, resources, requestId: "r1" });
    await db.bookonce.cancel({ bookingId: booking.id, customer });
    const again = await reserve(db.bookonce, { customer, resources, requestId: "r1" });
    expect(again).toMatchObject({ outcome: "existing", booking: { id: booking.id, state: "cancelled" } });
    const other = await reserve(db.bookonce, { customer, resources, requestId: "r1", start: hoursLater(9) });
    expect(other).toEqual({ outcome: "refused", reason: "idempotency_conflict" });
  });

  test("a request id belongs to its customer: another one's request learns nothing of the first", async () => {
    const resources = [await aResource(db.bookonce)];
    const first = await book(db.bookonce, { resources, requestId: "r1" });
    const second = await reserve(db.bookonce, { resources, requestId: "r1" });
    expect(second).toEqual({ outcome: "refused", reason: "slot_taken", resource: resources[0] });
    expect(JSON.stringify(second)).not.toContain(first.customer);
  });
});

test("a resource that somebody keeps locked is answered as busy, and nothing is written", async () => {
  const resources = [await aResource(db.bookonce)];
  const stalling = await db.pool.connect();
  await stalling.query("begin");
  await stalling.query(`select 1 from ${db.schema}.resources where id = $1 for update`, resources);
  const asked = { customer: unique("customer"), resources, start: soon, duration: { minutes: 60 } };
  expect(await db.bookonce.reserveSlot(asked, { budgetMs: 400 })).toEqual({
    outcome: "refused",
    reason: "busy",
    retryable: true,
  });
  await stalling.query("rollback");
  stalling.release();
  expect(await count(db, "bookings", "customer = $1", [asked.customer])).toBe(0);
  expect(await db.bookonce.reserveSlot(asked)).toMatchObject({ outcome: "reserved" });
});

describe("free bookings", () => {
  test("are confirmed at once when that is asked for, and held otherwise", async () => {
    const confirmed = await bookFree(db.bookonce, { confirm: true });
    expect(confirmed).toMatchObject({ state: "confirmed", price: null, amountDue: null, holdExpiresAt: null });
    expect(await bookFree(db.bookonce)).toMatchObject({ state: "held", price: null });
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  });

  test("cannot be paid", async () => {
    const booking = await bookFree(db.bookonce);
    expect(await receipt(db.bookonce, booking)).toMatchObject({ outcome: "mismatch" });
  });
});

describe("resources", () => {
  test("keep what is left out, and are listed by id", async () => {
    const id = unique("boris");
    expect(await db.bookonce.resources.put({ id, name: "Boris" })).toMatchObject({ id, name: "Boris", active: true });
    expect(await db.bookonce.resources.put({ id, active: false })).toMatchObject({ id, name: "Boris", active: false });
    expect(await db.bookonce.resources.put({ id, name: "B." })).toMatchObject({ id, name: "B.", active: false });
    const listed = await db.bookonce.resources.list();
    expect(listed.map((resource) => resource.id)).toEqual(listed.map((resource) => resource.id).sort());
    expect(listed.find((resource) => resource.id === id)).toMatchObject({ name: "B.", active: false });
  });

  test("that are switched off take no new bookings and keep those they have", async () => {
    const { booking } = await sell(db.bookonce);
    const [id = ""] = booking.resources;
    const held = await book(db.bookonce, { resources: [id], start: hoursLater(5) });
    await db.bookonce.resources.put({ id, active: false });
    const refused = { outcome: "refused", reason: "unknown_resource", resource: id };
    expect(await reserve(db.bookonce, { resources: [id], start: hoursLater(3) })).toEqual(refused);
    expect(await receipt(db.bookonce, held)).toMatchObject({ outcome: "booked" });
    expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "confirmed" });
    await db.bookonce.resources.put({ id, active: true });
    expect((await reserve(db.bookonce, { resources: [id], start: hoursLater(3) })).outcome).toBe("reserved");
  });
});

test("reads show what is taken and when, and whose only to the owner", async () => {
  const resources = [await aResource(db.bookonce)];
  const { booking } = await sell(db.bookonce, { resources });
  const held = await book(db.bookonce, { resources, start: hoursLater(1) });
  await book(db.bookonce, { resources, start: hoursLater(2), claim: "at_checkout" });
  const busy = await db.bookonce.bookings.busy({ resources, from: soon, to: hoursLater(9), customer: held.customer });
  expect(busy).toEqual([
    { resource: resources[0], start: booking.start, end: booking.end, own: false },
    { resource: resources[0], start: held.start, end: held.end, own: true },
  ]);
  expect(await db.bookonce.bookings.busy({ resources, from: new Date(soon.getTime() - hour), to: soon })).toEqual([]);
  expect(await db.bookonce.bookings.byPayload(held.payload)).toEqual(held);
  expect(await db.bookonce.bookings.byPayload("bko1_nothing")).toBeNull();
  expect(await db.bookonce.bookings.ofCustomer(held.customer)).toEqual([held]);
});
