import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { tally, unique } from "../support/fixtures.ts";
import { aService, ask, at, have, span } from "../verbs/schedule/support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function aPool(fairness: "least_loaded" | "least_recent", size = 2) {
  const members = Array.from({ length: size }, (_, index) => unique(`m${index + 1}`));
  for (const id of members) await db.bookonce.resources.put({ id });
  const pool = unique("pool");
  await db.bookonce.resources.put({ id: pool, kind: "pool", members, fairness });
  const [first = "", second = "", third = ""] = members;
  return { pool, members, first, second, third };
}

const member = async (pool: string, hours: number, over: object = {}) =>
  (await have(db.bookonce, { resources: [pool], start: at(hours), ...over })).resources[0];

test("R10: whoever is busy at that hour is not chosen, however the loads compare", async () => {
  for (const fairness of ["least_loaded", "least_recent"] as const) {
    const { pool, first, second } = await aPool(fairness);
    await have(db.bookonce, { resources: [first], start: at(10) });
    await have(db.bookonce, { resources: [second], start: at(15) });
    expect(await member(pool, 10)).toBe(second);
    expect(await member(pool, 15)).toBe(first);
  }
});

test("R10: with the loads equal, and with the busy one less loaded, the free one is taken all the same", async () => {
  const { pool, first, second } = await aPool("least_loaded");
  await have(db.bookonce, { resources: [first], start: at(10) });
  for (const hours of [12, 14, 16]) await have(db.bookonce, { resources: [second], start: at(hours) });
  expect(await member(pool, 10)).toBe(second);
});

test("R11: a second guest gets the second member, a third is told that the pool is full, and the list counts the places", async () => {
  const { pool, first, second } = await aPool("least_loaded");
  const service = await aService(db.bookonce, { resources: [pool] });
  const left = async () => (await db.bookonce.slots.find({ service, ...span(10, 11) })).map((slot) => slot.left);
  expect(await left()).toEqual([2]);
  expect((await have(db.bookonce, { service, start: at(10) })).resources).toEqual([first]);
  expect(await left()).toEqual([1]);
  expect((await have(db.bookonce, { service, start: at(10) })).resources).toEqual([second]);
  expect(await left()).toEqual([]);
  const full = { reason: "pool_full", resource: pool };
  expect(await ask(db.bookonce, { service, start: at(10) })).toEqual({ outcome: "refused", ...full });
  expect(await db.bookonce.slots.explain({ service, start: at(10) })).toEqual({ claimable: false, refused: full });
});

test("R12: least recent gives a, b, a, b, and overlapping times never to one member", async () => {
  const { pool, first, second } = await aPool("least_recent");
  const hours = [10, 11, 12, 13];
  const chosen: unknown[] = [];
  for (const hour of hours) chosen.push(await member(pool, hour));
  expect(chosen).toEqual([first, second, first, second]);
  const more: unknown[] = [];
  for (const hour of hours) more.push(await member(pool, hour));
  // Nobody was free but the other one.
  expect(more).toEqual([second, first, second, first]);
  expect((await ask(db.bookonce, { resources: [pool], start: at(10.5) })).outcome).toBe("refused");
});

test("R12: least recent goes by the last choice, not by where on the day it was, and a cancelled one was a choice too", async () => {
  const { pool, first, second } = await aPool("least_recent");
  const late = await have(db.bookonce, { resources: [pool], start: at(18) });
  expect(late.resources).toEqual([first]);
  await db.bookonce.cancel({ bookingId: late.id, customer: late.customer });
  expect(await member(pool, 9)).toBe(second);
  expect(await member(pool, 20)).toBe(first);
});

test("R12: least loaded goes by the bookings of that local day, and other days do not count", async () => {
  const { pool, first, second } = await aPool("least_loaded");
  for (const hours of [34, 36, 38]) await have(db.bookonce, { resources: [first], start: at(hours) });
  expect(await member(pool, 10)).toBe(first);
  expect(await member(pool, 12)).toBe(second);
  expect(await member(pool, 14)).toBe(first);
  expect(await member(pool, 40)).toBe(second);
});

test("R12: ties go to the member that is named first, and the order of the names can be changed", async () => {
  const { pool, members, third } = await aPool("least_loaded", 3);
  await db.bookonce.resources.put({ id: pool, members: members.toReversed() });
  expect(await member(pool, 10)).toBe(third);
});

test("R13: a claim that names no member takes the free one, whichever way it is asked", async () => {
  const { pool, first, second } = await aPool("least_loaded");
  await have(db.bookonce, { resources: [first], start: at(10) });
  const service = await aService(db.bookonce, { resources: [pool] });
  expect(await db.bookonce.slots.find({ service, ...span(10, 11) })).toMatchObject([{ left: 1 }]);
  expect((await have(db.bookonce, { resources: [pool], start: at(10) })).resources).toEqual([second]);
  expect(await ask(db.bookonce, { service, resources: [first], start: at(10) })).toMatchObject({
    reason: "slot_taken",
  });
});

test("B3: racers for a pool of three: three have one member each, the others are told that it is full", async () => {
  const { pool, members } = await aPool("least_loaded", 3);
  const racers = Array.from({ length: 8 }, () => ask(db.bookonce, { resources: [pool], start: at(10) }));
  expect(await tally(racers)).toEqual({ reserved: 3, pool_full: 5 });
  const outcomes = await Promise.all(racers);
  const taken = outcomes.flatMap((one) => (one.outcome === "reserved" ? one.booking.resources : []));
  expect(taken.toSorted()).toEqual(members.toSorted());
});

test("B3: a pool wanted twice in one booking gives two members, or nothing", async () => {
  const { pool, first, second } = await aPool("least_loaded");
  const other = unique("other");
  await db.bookonce.resources.put({ id: other, kind: "pool", members: [first, second] });
  const both = await have(db.bookonce, { resources: [pool, other], start: at(10) });
  expect(both.resources.toSorted()).toEqual([first, second].toSorted());
  await have(db.bookonce, { resources: [first], start: at(12) });
  expect(await ask(db.bookonce, { resources: [pool, other], start: at(12) })).toMatchObject({ reason: "pool_full" });
  expect(await db.bookonce.bookings.holders({ resource: second, at: at(12) })).toEqual([]);
});

test("B3: a member who is switched off is not chosen, and one who comes back is", async () => {
  const { pool, first, second } = await aPool("least_loaded");
  await db.bookonce.resources.put({ id: first, active: false });
  expect(await member(pool, 10)).toBe(second);
  expect(await ask(db.bookonce, { resources: [pool], start: at(10) })).toMatchObject({ reason: "pool_full" });
  await db.bookonce.resources.put({ id: first, active: true });
  expect(await member(pool, 10)).toBe(first);
  await db.bookonce.resources.put({ id: pool, active: false });
  expect(await ask(db.bookonce, { resources: [pool], start: at(20) })).toEqual({
    outcome: "refused",
    reason: "unknown_resource",
    resource: pool,
  });
});

test("B3: a member's own hours count: outside them another is chosen, and with none left the pool is full", async () => {
  const { pool, first, second } = await aPool("least_loaded");
  const mornings = { schedule: { zone: "UTC", weekly: { monday: [{ from: "08:00", to: "12:00" }] } } };
  await db.bookonce.resources.put({ id: first, times: mornings });
  expect(await member(pool, 10)).toBe(first);
  expect(await member(pool, 14)).toBe(second);
  expect(await ask(db.bookonce, { resources: [pool], start: at(14) })).toMatchObject({ reason: "pool_full" });
  expect(await ask(db.bookonce, { resources: [first], start: at(14) })).toEqual({
    outcome: "refused",
    reason: "closed",
    because: "outside_hours",
    resource: first,
  });
});

test("B10: on a move the same member is kept if she is free, whatever fairness would say, and else another is chosen", async () => {
  const { pool, first, second } = await aPool("least_loaded");
  const booking = await have(db.bookonce, { resources: [pool], start: at(10) });
  for (const hours of [16, 18]) await have(db.bookonce, { resources: [first], start: at(hours) });
  const move = async (hours: number) =>
    db.bookonce.reschedule({ bookingId: booking.id, customer: booking.customer, start: at(hours) });
  expect(await move(12)).toMatchObject({ outcome: "rescheduled", booking: { resources: [first] } });
  expect(await move(16)).toMatchObject({ outcome: "rescheduled", booking: { resources: [second] } });
  expect(await move(18)).toMatchObject({ outcome: "rescheduled", booking: { resources: [second] } });
});

test("B8: the same customer who asks the pool again has the booking she has, and the turn does not pass on", async () => {
  const { pool, first, second } = await aPool("least_recent");
  const customer = unique("customer");
  const booking = await have(db.bookonce, { customer, resources: [pool], start: at(10) });
  expect(await ask(db.bookonce, { customer, resources: [pool], start: at(10) })).toMatchObject({
    outcome: "existing",
    booking: { id: booking.id, resources: [first] },
  });
  expect(await member(pool, 11)).toBe(second);
});
