import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { minute, preCheckout, receipt, tally, unique } from "../support/fixtures.ts";
import { Random } from "../support/random.ts";
import { aService, ask, at, have, span, takenAt } from "../verbs/schedule/support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function places(capacity: number): Promise<string> {
  return (await db.bookonce.resources.put({ id: unique("hall"), kind: "counted", capacity })).id;
}

/** How many more can be had at the hour: what the list says, checked against a claim that asks for more. */
async function leftAt(hall: string, hours: number): Promise<number> {
  const service = await aService(db.bookonce, { resources: [hall] });
  const [slot] = await db.bookonce.slots.find({ service, ...span(hours, hours + 1) });
  const left = slot?.left ?? 0;
  const more = await ask(db.bookonce, { resources: [{ resource: hall, quantity: left + 1 }], start: at(hours) });
  expect(more).toMatchObject({ outcome: "refused", reason: "no_capacity", left });
  return left;
}

const price = { amount: 50, currency: "XTR" };

test("R17: of twelve parallel holds for ten places ten are held; of six holds of two, five", async () => {
  const singles = await places(10);
  const one = Array.from({ length: 12 }, () => ask(db.bookonce, { resources: [singles], start: at(10) }));
  expect(await tally(one)).toEqual({ reserved: 10, no_capacity: 2 });
  const pairs = await places(10);
  const two = Array.from({ length: 6 }, () => ask(db.bookonce, { resources: [pairs], quantity: 2, start: at(10) }));
  expect(await tally(two)).toEqual({ reserved: 5, no_capacity: 1 });
  expect(await takenAt(db.bookonce, pairs, 10)).toBe(10);
});

test("R18: with one place, the buyer's own hold is not in her way, and a rival's is refused meanwhile", async () => {
  const hall = await places(1);
  const booking = await have(db.bookonce, { resources: [hall], start: at(10), price });
  expect(await ask(db.bookonce, { resources: [hall], start: at(10) })).toMatchObject({
    reason: "no_capacity",
    left: 0,
  });
  expect(await preCheckout(db.bookonce, booking)).toMatchObject({ outcome: "approved" });
  expect(await receipt(db.bookonce, booking)).toMatchObject({ outcome: "booked" });
  expect(await leftAt(hall, 10)).toBe(0);
});

test("R21: two who pay for the last place without a hold: one has it, the other's money goes back", async () => {
  const bookonce = db.another({ policies: { latePayment: "rebookIfFree" } });
  const hall = await places(1);
  const buy = () => have(bookonce, { resources: [hall], start: at(10), price, claim: "at_checkout" });
  const [first, second] = [await buy(), await buy()];
  expect(await tally([receipt(bookonce, first), receipt(bookonce, second)])).toEqual({ booked: 1, late: 1 });
  expect(await takenAt(bookonce, hall, 10)).toBe(1);
  const open = await bookonce.refunds.list();
  expect(open.filter(({ bookingId }) => bookingId === first.id || bookingId === second.id)).toHaveLength(1);
});

test("R21: after a hundred random operations the places taken are the places sold, never more, never fewer", async () => {
  const seed = 20_310_106;
  const random = new Random(seed);
  const hall = await places(5);
  const bookonce = db.another({ policies: { maxLiveHoldsPerCustomer: 1000 } });
  const live: { id: string; customer: string; quantity: number }[] = [];
  for (let step = 0; step < 100; step += 1) {
    if (live.length === 0 || random.chance(0.6)) {
      const quantity = 1 + random.below(3);
      const outcome = await ask(bookonce, { resources: [hall], quantity, start: at(10) });
      const sold = live.reduce((sum, one) => sum + one.quantity, 0);
      expect(outcome.outcome, `seed ${seed}, step ${step}`).toBe(sold + quantity <= 5 ? "reserved" : "refused");
      if (outcome.outcome === "reserved") live.push({ ...outcome.booking, quantity });
    } else {
      const [gone] = live.splice(random.below(live.length), 1);
      for (let again = 0; again < 2; again += 1)
        await bookonce.cancel({ bookingId: gone?.id ?? "", administrator: "a" });
    }
    expect(await takenAt(bookonce, hall, 10)).toBe(live.reduce((sum, one) => sum + one.quantity, 0));
  }
});

test("R32: releasing is idempotent: the place comes back once, by cancel, by cancel again, or by time", async () => {
  const hall = await places(5);
  const booking = await have(db.bookonce, { resources: [hall], start: at(10) });
  expect(await leftAt(hall, 10)).toBe(4);
  await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
  expect(await leftAt(hall, 10)).toBe(5);
  expect((await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer })).outcome).toBe(
    "already_cancelled",
  );
  expect(await leftAt(hall, 10)).toBe(5);
  const lapsing = await have(db.bookonce, { resources: [hall], start: at(10) });
  await db.clock.advance(15 * minute);
  await db.bookonce.sweep();
  await db.bookonce.cancel({ bookingId: lapsing.id, customer: lapsing.customer });
  expect(await leftAt(hall, 10)).toBe(5);
  await db.clock.reset();
});

test("R34: held, approved, paid: the three places of a booking are counted once all the way", async () => {
  const hall = await places(5);
  const booking = await have(db.bookonce, { resources: [hall], quantity: 3, start: at(10), price });
  const seen = [await leftAt(hall, 10)];
  await preCheckout(db.bookonce, booking);
  seen.push(await leftAt(hall, 10));
  await receipt(db.bookonce, booking);
  seen.push(await leftAt(hall, 10));
  await receipt(db.bookonce, booking);
  seen.push(await leftAt(hall, 10));
  expect(seen).toEqual([2, 2, 2, 2]);
});

test("R35: cancelling gives back the place of both resources, the product's and the hall's", async () => {
  const [product, hall] = [await places(10), await places(10)];
  const booking = await have(db.bookonce, { resources: [product, hall], start: at(10), price });
  expect([await leftAt(product, 10), await leftAt(hall, 10)]).toEqual([9, 9]);
  await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
  expect([await leftAt(product, 10), await leftAt(hall, 10)]).toEqual([10, 10]);
});

test("R38: when a hold of nine lapses all nine come back, with no worker running", async () => {
  const hall = await places(10);
  await have(db.bookonce, { resources: [hall], quantity: 9, start: at(10) });
  expect(await leftAt(hall, 10)).toBe(1);
  await db.clock.advance(15 * minute);
  expect((await have(db.bookonce, { resources: [hall], quantity: 10, start: at(10) })).state).toBe("held");
  await db.clock.reset();
});

test("R40: three of one kind and two of another are released together", async () => {
  const [adults, children] = [await places(10), await places(10)];
  const wants = [
    { resource: adults, quantity: 3 },
    { resource: children, quantity: 2 },
  ];
  const booking = await have(db.bookonce, { resources: wants, start: at(10), price });
  expect([await leftAt(adults, 10), await leftAt(children, 10)]).toEqual([7, 8]);
  await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer, reason: "payment failed" });
  expect([await leftAt(adults, 10), await leftAt(children, 10)]).toEqual([10, 10]);
});

test("C3: a room that is taken and projectors that are free: refused, and no projector is held", async () => {
  const room = (await db.bookonce.resources.put({ id: unique("room") })).id;
  const projectors = await places(5);
  await have(db.bookonce, { resources: [room], start: at(10) });
  for (const resources of [
    [room, projectors],
    [projectors, room],
  ]) {
    expect(await ask(db.bookonce, { resources, start: at(10) })).toEqual({
      outcome: "refused",
      reason: "slot_taken",
      resource: room,
    });
  }
  expect(await takenAt(db.bookonce, projectors, 10)).toBe(0);
  const both = await have(db.bookonce, { resources: [room, projectors], start: at(11) });
  expect(both.resources.toSorted()).toEqual([room, projectors].toSorted());
});

test("C4: the peak inside the interval decides, not the number of overlaps", async () => {
  const hall = await places(3);
  const take = (from: number, to: number) => ask(db.bookonce, { resources: [hall], start: at(from), end: at(to) });
  for (const [from, to] of [
    [9, 12],
    [9, 10],
    [10, 11],
    [11, 12],
  ] as const)
    expect((await take(from, to)).outcome).toBe("reserved");
  expect((await take(9, 12)).outcome).toBe("reserved");
  expect(await take(9, 12)).toMatchObject({ outcome: "refused", reason: "no_capacity", left: 0 });
  expect((await take(12, 13)).outcome).toBe("reserved");
});

test("C4: a peak in the middle refuses what only touches it, and what is beside it is free", async () => {
  const hall = await places(2);
  const take = (from: number, to: number) => ask(db.bookonce, { resources: [hall], start: at(from), end: at(to) });
  await take(10, 11);
  await take(10, 11);
  expect(await take(9, 12)).toMatchObject({ reason: "no_capacity", left: 0 });
  expect((await take(9, 10)).outcome).toBe("reserved");
  expect((await take(11, 12)).outcome).toBe("reserved");
});

test("R105: a window exactly as long as the service is not closed by one guest", async () => {
  const hall = await places(40);
  const service = await aService(db.bookonce, { resources: [hall] });
  await have(db.bookonce, { service, start: at(14) });
  expect(await db.bookonce.slots.find({ service, ...span(14, 15) })).toMatchObject([{ left: 39 }]);
});
