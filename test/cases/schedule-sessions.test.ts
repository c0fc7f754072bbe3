import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { hour, receipt, tally, unique } from "../support/fixtures.ts";
import { always, aService, ask, at, clockTimes, have, span, verdict } from "../verbs/schedule/support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function aClass(capacity: number) {
  const room = (await db.bookonce.resources.put({ id: unique("room") })).id;
  const service = await aService(db.bookonce, { resources: [room], session: { capacity } });
  const join = (hours = 10, over: object = {}) =>
    ask(db.bookonce, { service, start: at(hours), confirm: true, ...over });
  const left = async (hours = 10) =>
    (await db.bookonce.slots.find({ service, ...span(hours, hours + 1) })).map((slot) => slot.left)[0] ?? 0;
  const seat = async (hours = 10, over: object = {}) =>
    have(db.bookonce, { service, start: at(hours), confirm: true, ...over });
  return { room, service, join, left, seat };
}

test("R56: one seat is cancelled and the session lives on; when the last one goes it is empty and can be booked", async () => {
  const { seat, left, service } = await aClass(5);
  const seats = [await seat(), await seat(), await seat()];
  expect(await left()).toBe(2);
  for (const [index, { id, customer }] of seats.entries()) {
    expect((await db.bookonce.cancel({ bookingId: id, customer })).outcome).toBe("cancelled");
    expect(await left()).toBe(3 + index);
    for (const other of seats.slice(index + 1)) {
      expect(await db.bookonce.bookings.get(other.id)).toMatchObject({ state: "confirmed" });
    }
  }
  expect((await ask(db.bookonce, { service, start: at(10) })).outcome).toBe("reserved");
});

test("R57: a guest cancels her own seat and nobody else's; the host may cancel any, and is recorded", async () => {
  const { seat, left } = await aClass(5);
  const [mine, other] = [await seat(), await seat()];
  expect(await db.bookonce.cancel({ bookingId: other.id, customer: mine.customer })).toEqual({
    outcome: "refused",
    reason: "unknown_booking",
  });
  expect(await left()).toBe(3);
  expect(await db.bookonce.cancel({ bookingId: other.id, administrator: "host" })).toMatchObject({
    outcome: "cancelled",
    booking: { cancelledBy: "host" },
  });
  expect(await db.bookonce.bookings.get(mine.id)).toMatchObject({ state: "confirmed" });
});

test("R58: a cancelled seat does not count", async () => {
  const { seat, join } = await aClass(2);
  await seat();
  const { id, customer } = await seat();
  expect(await join()).toMatchObject({ outcome: "refused", reason: "no_capacity", left: 0 });
  await db.bookonce.cancel({ bookingId: id, customer });
  expect((await join()).outcome).toBe("reserved");
});

test("B3: racers for a session of four: four seats, in one session, and the room is nobody else's", async () => {
  const { join, room, left } = await aClass(4);
  expect(await tally(Array.from({ length: 9 }, () => join()))).toEqual({ reserved: 4, no_capacity: 5 });
  expect(await left()).toBe(0);
  expect(await ask(db.bookonce, { resources: [room], start: at(10.5) })).toMatchObject({ reason: "slot_taken" });
});

test("B3: another session of the same service that overlaps, and another service in the room, are refused", async () => {
  const { room, seat, service } = await aClass(4);
  await seat();
  const other = await aService(db.bookonce, { resources: [room], session: { capacity: 4 } });
  expect(await ask(db.bookonce, { service: other, start: at(10) })).toMatchObject({
    reason: "slot_taken",
    resource: room,
  });
  expect(await db.bookonce.slots.explain({ service: other, start: at(10) })).toMatchObject({
    refused: { reason: "slot_taken" },
  });
  expect((await ask(db.bookonce, { service, start: at(11) })).outcome).toBe("reserved");
});

test("C2: a session is not offered around another service's half an hour in its room", async () => {
  const room = (await db.bookonce.resources.put({ id: unique("room") })).id;
  const duration = { minutes: 120 };
  const group = await aService(db.bookonce, { resources: [room], session: { capacity: 4 }, duration });
  const short = await aService(db.bookonce, { resources: [room], duration: { minutes: 30 }, times: always("UTC", 30) });
  const offered = async () => clockTimes(await db.bookonce.slots.find({ service: group, ...span(8, 13) }));
  expect(await offered()).toEqual(["08:00", "09:00", "10:00", "11:00", "12:00"]);
  await have(db.bookonce, { service: short, start: at(10.5), confirm: true });
  expect(await offered()).toEqual(["08:00", "11:00", "12:00"]);
  expect(await verdict(db.bookonce, group, at(10))).toBe("slot_taken");
});

test("B3: a party takes so many seats, and more than are left is refused with the number that is", async () => {
  const { join, left } = await aClass(5);
  await join(10, { quantity: 3 });
  expect(await left()).toBe(2);
  expect(await join(10, { quantity: 3 })).toMatchObject({ reason: "no_capacity", left: 2 });
  expect((await join(10, { quantity: 2 })).outcome).toBe("reserved");
});

test("B6: a seat that was only held comes back when its hold lapses, and a paid one stays", async () => {
  const { service, left } = await aClass(2);
  const price = { amount: 5, currency: "XTR" };
  const paid = await have(db.bookonce, { service, start: at(10), price });
  await have(db.bookonce, { service, start: at(10), price });
  await receipt(db.bookonce, paid);
  expect(await left()).toBe(0);
  await db.clock.advance(hour);
  expect(await left()).toBe(1);
  await db.clock.reset();
});

test("B10: a seat moves to another session, and back only while there is room", async () => {
  const { seat, join, left, service } = await aClass(1);
  const mine = await seat(10);
  const move = (hours: number) =>
    db.bookonce.reschedule({ bookingId: mine.id, customer: mine.customer, start: at(hours) });
  expect(await move(12)).toMatchObject({ outcome: "rescheduled" });
  expect([await left(10), await left(12)]).toEqual([1, 0]);
  expect((await join(10)).outcome).toBe("reserved");
  expect(await move(10)).toMatchObject({ outcome: "refused", reason: "no_capacity", left: 0 });
  expect(await db.bookonce.slots.find({ service, ...span(12, 13) })).toEqual([]);
});

test("B2: a session has its buffers once, however many have joined", async () => {
  const room = (await db.bookonce.resources.put({ id: unique("room") })).id;
  const buffers = { before: { minutes: 30 }, after: { minutes: 30 } };
  const service = await aService(db.bookonce, { resources: [room], session: { capacity: 3 }, buffers });
  for (let guests = 0; guests < 3; guests += 1) await have(db.bookonce, { service, start: at(10), confirm: true });
  const half = { duration: { minutes: 30 } };
  expect(await ask(db.bookonce, { resources: [room], start: at(11), ...half })).toMatchObject({ reason: "slot_taken" });
  expect((await ask(db.bookonce, { resources: [room], start: at(11.5), ...half })).outcome).toBe("reserved");
});

test("B9: a session's room is free again for others when all have gone", async () => {
  const { seat, room } = await aClass(3);
  for (const { id, customer } of [await seat(), await seat()]) await db.bookonce.cancel({ bookingId: id, customer });
  expect((await ask(db.bookonce, { resources: [room], start: at(10) })).outcome).toBe("reserved");
});

test("B3: a session with any one of a pool stays with that one, however fairness would choose for the next guest", async () => {
  const members = [unique("anna"), unique("boris")];
  for (const id of members) await db.bookonce.resources.put({ id });
  for (const fairness of ["least_loaded", "least_recent"] as const) {
    const pool = (await db.bookonce.resources.put({ id: unique("pool"), kind: "pool", members, fairness })).id;
    const service = await aService(db.bookonce, { resources: [pool], session: { capacity: 3 } });
    const hours = fairness === "least_loaded" ? 10 : 12;
    const seats = [];
    for (let guests = 0; guests < 3; guests += 1) seats.push(await have(db.bookonce, { service, start: at(hours) }));
    expect(new Set(seats.flatMap(({ resources }) => resources)).size).toBe(1);
    // The other one is free for another service.
    expect((await ask(db.bookonce, { resources: [pool], start: at(hours) })).outcome).toBe("reserved");
  }
});

test("B16: a session offers no more seats than there are of what its guests need for themselves", async () => {
  const room = (await db.bookonce.resources.put({ id: unique("room") })).id;
  const mats = (await db.bookonce.resources.put({ id: unique("mats"), kind: "counted", capacity: 2 })).id;
  const service = await aService(db.bookonce, { resources: [room, mats], session: { capacity: 5 } });
  expect(await db.bookonce.slots.find({ service, ...span(10, 11) })).toMatchObject([{ left: 2 }]);
  await have(db.bookonce, { service, start: at(10) });
  expect(await db.bookonce.slots.find({ service, ...span(10, 11) })).toMatchObject([{ left: 1 }]);
  await have(db.bookonce, { service, start: at(10) });
  expect(await ask(db.bookonce, { service, start: at(10) })).toEqual({
    outcome: "refused",
    reason: "no_capacity",
    resource: mats,
    left: 0,
  });
});
