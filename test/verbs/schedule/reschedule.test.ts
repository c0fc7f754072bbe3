import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { digestOf, historyOf, hour, minute, preCheckout, receipt, tally, unique } from "../../support/fixtures.ts";
import { aService, ask, at, have, span, takenAt } from "./support.ts";

// B10
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.clock.reset());
afterAll(() => db.drop());

const price = { amount: 500, currency: "XTR" };
const resource = async () => (await db.bookonce.resources.put({ id: unique("anna") })).id;
const move = (booking: { id: string; customer: string }, over: object) =>
  db.bookonce.reschedule({ bookingId: booking.id, customer: booking.customer, ...over });

describe("B10: moved", () => {
  test("over its own old time, in one step: the new place is hers, the rest of the old one is free", async () => {
    const anna = await resource();
    const booking = await have(db.bookonce, { resources: [anna], start: at(10), confirm: true });
    const moved = await move(booking, { start: at(10.5) });
    expect(moved).toMatchObject({
      outcome: "rescheduled",
      booking: { id: booking.id, start: at(10.5), end: at(11.5), version: 2, state: "confirmed" },
      before: { start: at(10), version: 1 },
    });
    const half = { duration: { minutes: 30 }, resources: [anna] };
    expect(await ask(db.bookonce, { ...half, start: at(11) })).toMatchObject({ reason: "slot_taken" });
    expect((await ask(db.bookonce, { ...half, start: at(10) })).outcome).toBe("reserved");
    expect((await ask(db.bookonce, { ...half, start: at(11.5) })).outcome).toBe("reserved");
    expect(await historyOf(db.bookonce, booking)).toEqual(["booking_confirmed", "booking_rescheduled"]);
    expect((await db.bookonce.bookings.history(booking.id)).at(-1)).toMatchObject({
      actor: booking.customer,
      version: 2,
      data: { from: { start: at(10).toISOString() }, to: { start: at(10.5).toISOString() } },
    });
  });

  test("R29: what it left is listed free and can be held, again and again", async () => {
    const anna = await resource();
    const service = await aService(db.bookonce, { resources: [anna] });
    const booking = await have(db.bookonce, { service, start: at(10) });
    await move(booking, { start: at(14) });
    expect(await db.bookonce.slots.find({ service, ...span(10, 11) })).toHaveLength(1);
    const other = await have(db.bookonce, { service, start: at(10) });
    await db.bookonce.cancel({ bookingId: other.id, customer: other.customer });
    expect((await ask(db.bookonce, { service, start: at(10) })).outcome).toBe("reserved");
    expect(await db.bookonce.slots.find({ service, ...span(14, 15) })).toEqual([]);
  });

  test("buffers move with it", async () => {
    const anna = await resource();
    const buffers = { after: { minutes: 30 } };
    const booking = await have(db.bookonce, { resources: [anna], start: at(10), buffers });
    await have(db.bookonce, { resources: [anna], start: at(15) });
    expect(await move(booking, { start: at(14) })).toMatchObject({ outcome: "refused", reason: "slot_taken" });
    expect((await move(booking, { start: at(13.5) })).outcome).toBe("rescheduled");
    const half = { duration: { minutes: 30 }, resources: [anna] };
    expect(await ask(db.bookonce, { ...half, start: at(14.5) })).toMatchObject({ reason: "slot_taken" });
  });

  test("places of a counted resource move, all of them, and a full hour refuses with what is left", async () => {
    const hall = (await db.bookonce.resources.put({ id: unique("hall"), kind: "counted", capacity: 5 })).id;
    const booking = await have(db.bookonce, { resources: [hall], quantity: 3, start: at(10) });
    await have(db.bookonce, { resources: [hall], quantity: 3, start: at(12) });
    expect(await move(booking, { start: at(12) })).toMatchObject({ reason: "no_capacity", left: 2 });
    expect((await move(booking, { start: at(10.5) })).outcome).toBe("rescheduled");
    expect([await takenAt(db.bookonce, hall, 10.25), await takenAt(db.bookonce, hall, 11.25)]).toEqual([0, 3]);
  });

  test("to other resources, to another length, and back; where it is already nothing is written", async () => {
    const [anna, boris] = [await resource(), await resource()];
    const booking = await have(db.bookonce, { resources: [anna], start: at(10) });
    expect(await move(booking, { resources: [boris] })).toMatchObject({
      booking: { resources: [boris], start: at(10) },
    });
    expect(await takenAt(db.bookonce, anna, 10)).toBe(0);
    expect(await move(booking, { duration: { minutes: 90 } })).toMatchObject({
      booking: { end: at(11.5), version: 3 },
    });
    const before = await digestOf(db);
    expect(await move(booking, { start: at(10) })).toMatchObject({ outcome: "unchanged", booking: { version: 3 } });
    expect(await digestOf(db)).toBe(before);
  });

  test("a hold keeps its end: moving does not extend it", async () => {
    const booking = await have(db.bookonce, { resources: [await resource()], start: at(10) });
    await db.clock.advance(5 * minute);
    expect(await move(booking, { start: at(12) })).toMatchObject({
      booking: { state: "held", holdExpiresAt: booking.holdExpiresAt },
    });
    await db.clock.advance(10 * minute);
    expect(await takenAt(db.bookonce, booking.resources[0] ?? "", 12)).toBe(0);
  });

  test("a pending booking moves and still claims nothing; it is found a place when it pays", async () => {
    const anna = await resource();
    const booking = await have(db.bookonce, { resources: [anna], start: at(10), price, claim: "at_checkout" });
    expect(await move(booking, { start: at(12) })).toMatchObject({
      outcome: "rescheduled",
      booking: { state: "pending" },
    });
    expect(await takenAt(db.bookonce, anna, 12)).toBe(0);
    expect(await preCheckout(db.bookonce, booking)).toMatchObject({ outcome: "approved" });
    expect([await takenAt(db.bookonce, anna, 10), await takenAt(db.bookonce, anna, 12)]).toEqual([0, 1]);
  });

  test("a standing approval follows: the charge that comes after the move buys the new time", async () => {
    const anna = await resource();
    const booking = await have(db.bookonce, { resources: [anna], start: at(10), price });
    expect(await preCheckout(db.bookonce, booking)).toMatchObject({ outcome: "approved" });
    expect((await move(booking, { start: at(12) })).outcome).toBe("rescheduled");
    expect(await receipt(db.bookonce, booking)).toMatchObject({
      outcome: "booked",
      booking: { start: at(12), state: "confirmed" },
    });
    expect(await preCheckout(db.bookonce, booking)).toMatchObject({ outcome: "declined", reason: "already_paid" });
  });

  test("the payment follows: nothing is charged or returned, and cancelling the moved one returns it once", async () => {
    const booking = await have(db.bookonce, { resources: [await resource()], start: at(10), price });
    const paid = await receipt(db.bookonce, booking);
    if (paid.outcome !== "booked") throw new Error(paid.outcome);
    await move(booking, { start: at(12) });
    expect(await db.bookonce.payments.find({ bookingId: booking.id })).toMatchObject([{ disposition: "booked" }]);
    expect(await db.bookonce.refunds.ofPayment(paid.payment.id)).toEqual([]);
    expect(await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer })).toMatchObject({
      refund: { amount: 500 },
    });
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  });
});

describe("policies", () => {
  test("a customer moves until so long before the start, a hold at any time, and an administrator passes", async () => {
    const bookonce = db.another({ policies: { rescheduling: { until: { hours: 24 } } } });
    const start = new Date(Date.now() + 20 * hour);
    const later = { start: new Date(Date.now() + 40 * hour) };
    const booking = await have(bookonce, { resources: [await resource()], start, confirm: true });
    expect(await bookonce.reschedule({ bookingId: booking.id, customer: booking.customer, ...later })).toEqual({
      outcome: "refused",
      reason: "forbidden_by_policy",
    });
    expect(await bookonce.reschedule({ bookingId: booking.id, administrator: "olga", ...later })).toMatchObject({
      outcome: "rescheduled",
    });
    expect((await bookonce.bookings.history(booking.id)).at(-1)).toMatchObject({ actor: "olga" });
    const held = await have(bookonce, { resources: [await resource()], start });
    expect(await bookonce.reschedule({ bookingId: held.id, customer: held.customer, ...later })).toMatchObject({
      outcome: "rescheduled",
    });
  });

  test("where the agreed price is kept, another one is no obstacle and is not charged", async () => {
    const bookonce = db.another({ policies: { rescheduling: { priceDifference: "keep" } } });
    const booking = await have(bookonce, { resources: [await resource()], start: at(10), price });
    const asked = { start: at(12), price: { amount: 900, currency: "XTR" } };
    expect(await bookonce.reschedule({ bookingId: booking.id, customer: booking.customer, ...asked })).toMatchObject({
      outcome: "rescheduled",
      booking: { price, amountDue: price },
    });
  });
});

describe("races", () => {
  test("two bookings cannot be swapped in place: each is refused by the other, and with a free hour between it goes", async () => {
    const anna = await resource();
    const one = await have(db.bookonce, { resources: [anna], start: at(10) });
    const two = await have(db.bookonce, { resources: [anna], start: at(12) });
    expect(await tally([move(one, { start: at(12) }), move(two, { start: at(10) })])).toEqual({ slot_taken: 2 });
    expect((await move(one, { start: at(14) })).outcome).toBe("rescheduled");
    expect((await move(two, { start: at(10) })).outcome).toBe("rescheduled");
    expect((await move(one, { start: at(12) })).outcome).toBe("rescheduled");
  });

  test("several move to one free hour: one has it, the others are where they were", async () => {
    const anna = await resource();
    const all = [];
    for (const hours of [1, 2, 3, 4, 5]) all.push(await have(db.bookonce, { resources: [anna], start: at(hours) }));
    expect(await tally(all.map((booking) => move(booking, { start: at(20) })))).toEqual({
      rescheduled: 1,
      slot_taken: 4,
    });
    const starts = (await Promise.all(all.map(({ id }) => db.bookonce.bookings.get(id)))).map((one) =>
      one?.start.getTime(),
    );
    expect(new Set(starts).size).toBe(5);
  });

  test("one booking is moved by two at once: what was read before the other's move is read again, and both moves count", async () => {
    const booking = await have(db.bookonce, { resources: [await resource()], start: at(10) });
    const [one, two] = [db.another(), db.another()];
    const to = (shop: typeof one, hours: number) =>
      shop.reschedule({ bookingId: booking.id, customer: booking.customer, start: at(hours) });
    expect(await tally([to(one, 12), to(two, 14)])).toEqual({ rescheduled: 2 });
    const after = await db.bookonce.bookings.get(booking.id);
    expect(after?.version).toBe(3);
    const resourceId = booking.resources[0] ?? "";
    const taken = [];
    for (const hours of [10, 12, 14]) taken.push(await takenAt(db.bookonce, resourceId, hours));
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  test("a move that meets a cancellation: cancelled in the end, and nothing is held anywhere", async () => {
    const booking = await have(db.bookonce, { resources: [await resource()], start: at(10), confirm: true });
    await Promise.all([
      move(booking, { start: at(12) }),
      db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer }),
    ]);
    expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "cancelled" });
    const anna = booking.resources[0] ?? "";
    expect([await takenAt(db.bookonce, anna, 10), await takenAt(db.bookonce, anna, 12)]).toEqual([0, 0]);
  });
});
