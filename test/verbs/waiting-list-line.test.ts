import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { at, entry, minute, offering, offerOf, said, sold, statesOf, waits } from "../support/waiting.ts";

// B12: who is in line, and who is next.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const cancel = (booking: { readonly id: string; readonly customer: string }) =>
  db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });

describe("B12: the line", () => {
  test("a party is served whole or not at all; under skip it keeps its place while smaller ones are served", async () => {
    const service = await offering(db.bookonce, "class", { capacity: 3, price: 100 });
    const bookings = [];
    for (let seat = 1; seat <= 3; seat += 1) bookings.push(await sold(db.bookonce, service, `owner-${seat}`));
    const party = await waits(db.bookonce, service, "party", { quantity: 2 });
    const single = await waits(db.bookonce, service, "single");
    for (const booking of bookings.slice(0, 1)) await cancel(booking);
    expect(await statesOf(db.bookonce, [party, single])).toEqual(["waiting", "offered"]);
    for (const booking of bookings.slice(1)) await cancel(booking);
    const offer = await offerOf(db.bookonce, party);
    expect(offer).toMatchObject({ wants: [{ resource: "class-room", quantity: 2 }], price: { amount: 200 } });
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
  });

  test("R63: the places of a pool are offered in the order of the line: what the first is given leaves one to the second", async () => {
    const { bookonce } = db;
    for (const id of ["anna", "boris"]) await bookonce.resources.put({ id });
    await bookonce.resources.put({ id: "masters", kind: "pool", members: ["anna", "boris"] });
    await bookonce.services.put({
      id: "cut",
      duration: { minutes: 60 },
      buffers: { after: { minutes: 15 } },
      resources: ["masters"],
    });
    // Boris is busy in the middle: whoever is offered Anna at eleven would leave nobody for ten.
    await sold(bookonce, "cut", "owner", { resources: ["boris"], start: at(10.5) });
    const first = await waits(bookonce, "cut", "first");
    const second = await waits(bookonce, "cut", "second", { from: at(11), to: at(12) });
    const third = await waits(bookonce, "cut", "third", { from: at(12.25), to: at(13.25) });
    expect(await bookonce.waitlist.tick()).toMatchObject({ offered: 2 });
    expect(await statesOf(bookonce, [first, second, third])).toEqual(["offered", "waiting", "offered"]);
    expect(await bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
  });

  test("a time that she has moved an offer away from is not offered to her again", async () => {
    const { bookonce } = db;
    const service = await offering(bookonce, "cut", { hours: true });
    const waiting = await waits(bookonce, service, "w1", { from: at(10), to: at(12) });
    await bookonce.waitlist.tick();
    const offer = await offerOf(bookonce, waiting);
    await bookonce.reschedule({ bookingId: offer.id, customer: "w1", start: at(15) });
    await bookonce.waitlist.decline({ bookingId: offer.id, customer: "w1" });
    expect(await offerOf(bookonce, waiting)).toMatchObject({ start: at(11) });
    await bookonce.waitlist.decline({ bookingId: (await offerOf(bookonce, waiting)).id, customer: "w1" });
    expect(await bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
  });

  test("an entry that a hand in the table has damaged waits for what the service has, and stops nobody", async () => {
    const { bookonce } = db;
    const service = await offering(bookonce, "cut", { capacity: 9 });
    const entries = [];
    const damages = ["7", "[]", '"room"', "{}", "[null]", '[{"resource": 7, "quantity": 1}]', '[{"resource": "x"}]'];
    for (const damage of damages) {
      const damaged = await waits(bookonce, service, `customer-${damage}`);
      entries.push(damaged);
      const values = [damaged.id, damage];
      await db.pool.query(`update ${db.schema}.waiting_list set wants = $2::jsonb where id = $1`, values);
    }
    entries.push(await waits(bookonce, service, "whole"));
    expect(await bookonce.waitlist.tick()).toMatchObject({ offered: entries.length });
    expect(await statesOf(bookonce, entries)).toEqual(entries.map(() => "offered"));
  });

  test("under strict whoever cannot be served blocks those behind, of the same service only", async () => {
    const strict = db.another({ policies: { waitlist: { order: "strict" } } });
    const service = await offering(strict, "class", { capacity: 1 });
    const party = await waits(strict, service, "party", { quantity: 2 });
    const single = await waits(strict, service, "single");
    const other = await waits(strict, await offering(strict, "cut"), "other");
    expect(await strict.waitlist.tick()).toMatchObject({ offered: 1 });
    expect(await statesOf(strict, [party, single, other])).toEqual(["waiting", "waiting", "offered"]);
    await strict.waitlist.leave({ entryId: party.id, customer: "party" });
    expect(await strict.waitlist.tick()).toMatchObject({ offered: 1 });
    expect(await statesOf(strict, [party, single])).toEqual(["left", "offered"]);
  });

  test("under strict who has declined, or has an offer, holds nobody up", async () => {
    const strict = db.another({ policies: { waitlist: { order: "strict" } } });
    const service = await offering(strict, "class", { capacity: 2 });
    const [w1, w2, w3] = [
      await waits(strict, service, "w1"),
      await waits(strict, service, "w2"),
      await waits(strict, service, "w3"),
    ];
    expect(await strict.waitlist.tick()).toMatchObject({ offered: 2 });
    await strict.waitlist.decline({ bookingId: (await offerOf(strict, w1)).id, customer: "w1" });
    expect(await statesOf(strict, [w1, w2, w3])).toEqual(["waiting", "offered", "offered"]);
  });

  test("R65: an entry whose service is switched off is marked and told once, stands in nobody's way, and keeps its place", async () => {
    const { bookonce } = db;
    await bookonce.resources.put({ id: "anna" });
    const put = (id: string, active: boolean) =>
      bookonce.services.put({ id, active, duration: { minutes: 60 }, resources: ["anna"] });
    await Promise.all([put("beard", true), put("cut", true)]);
    const booking = await sold(bookonce, "cut", "owner");
    const [w1, w2] = [await waits(bookonce, "beard", "w1"), await waits(bookonce, "cut", "w2")];
    await put("beard", false);
    await cancel(booking);
    expect(await statesOf(bookonce, [w1, w2])).toEqual(["unservable", "offered"]);
    await bookonce.waitlist.tick();
    expect(await said(db, "unservable")).toEqual(["unservable w1"]);

    const w3 = await waits(bookonce, "cut", "w3");
    await put("beard", true);
    await cancel(await offerOf(bookonce, w2));
    await bookonce.waitlist.tick();
    expect(await statesOf(bookonce, [w1, w2, w3])).toEqual(["offered", "waiting", "waiting"]);
    expect(await said(db, "resumed")).toEqual(["resumed w1"]);
  });

  test("the visit lies within the window, and the earliest time that fits is offered", async () => {
    const service = await offering(db.bookonce, "cut", { hours: true });
    const evening = await waits(db.bookonce, service, "evening", { from: at(18.5), to: at(20) });
    const morning = await waits(db.bookonce, service, "morning", { from: at(8.5), to: at(12) });
    const narrow = await waits(db.bookonce, service, "narrow", { from: at(8.5), to: at(9.75) });
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 2 });
    expect((await offerOf(db.bookonce, evening)).start).toEqual(at(19));
    expect((await offerOf(db.bookonce, morning)).start).toEqual(at(9));
    expect(await entry(db.bookonce, narrow)).toMatchObject({ state: "waiting" });
  });

  test("several resources are offered all or none; a pool gives the member that is free", async () => {
    const { bookonce } = db;
    for (const id of ["anna", "boris", "room"]) await bookonce.resources.put({ id });
    await bookonce.resources.put({ id: "masters", kind: "pool", members: ["anna", "boris"] });
    await bookonce.services.put({ id: "massage", duration: { minutes: 60 }, resources: ["masters", "room"] });
    const anna = await sold(bookonce, "massage", "o1", { resources: ["anna"] });
    const room = await sold(bookonce, "massage", "o2", { resources: ["room"] });
    const onlyAnna = await waits(bookonce, "massage", "fan", { resources: ["anna", "room"] });
    const anybody = await waits(bookonce, "massage", "anybody");
    expect(await bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
    await cancel(room);
    expect(await offerOf(bookonce, anybody)).toMatchObject({ resources: ["boris", "room"] });
    await cancel(anna);
    expect(await entry(bookonce, onlyAnna)).toMatchObject({ state: "waiting" });
    await bookonce.waitlist.decline({ bookingId: (await offerOf(bookonce, anybody)).id, customer: "anybody" });
    expect(await offerOf(bookonce, onlyAnna)).toMatchObject({ resources: ["anna", "room"] });
  });

  test("one seat of a session is one offer", async () => {
    const { bookonce } = db;
    await bookonce.resources.put({ id: "teacher" });
    await bookonce.services.put({
      id: "yoga",
      duration: { minutes: 60 },
      resources: ["teacher"],
      session: { capacity: 2 },
    });
    const seats = [await sold(bookonce, "yoga", "y1"), await sold(bookonce, "yoga", "y2")];
    const waiting = [await waits(bookonce, "yoga", "w1"), await waits(bookonce, "yoga", "w2")];
    for (const seat of seats.slice(1)) await cancel(seat);
    expect(await statesOf(bookonce, waiting)).toEqual(["offered", "waiting"]);
  });

  test("an entry ends with its window, and its customer is told once", async () => {
    const service = await offering(db.bookonce, "cut");
    await sold(db.bookonce, service, "owner");
    const w1 = await waits(db.bookonce, service, "w1");
    await db.clock.advance(at(11).getTime() - Date.now() + minute);
    expect(await entry(db.bookonce, w1)).toMatchObject({ state: "ended" });
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ ended: 1 });
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ ended: 0 });
    expect(await said(db, "ended")).toEqual(["ended w1"]);
  });

  test("position counts those before whose windows overlap; nothing else is told, and nothing to others", async () => {
    const { bookonce } = db;
    const service = await offering(bookonce, "class", { capacity: 1 });
    await sold(bookonce, service, "owner");
    const [w1, w2] = [await waits(bookonce, service, "w1"), await waits(bookonce, service, "w2")];
    const later = await waits(bookonce, service, "w3", { from: at(11), to: at(12) });
    const w4 = await waits(bookonce, service, "w4", { to: at(12) });
    const position = (of: { id: string; customer: string }) =>
      bookonce.waitlist.position({ entryId: of.id, customer: of.customer });
    expect([await position(w1), await position(w2), await position(later), await position(w4)]).toEqual([1, 2, 1, 4]);
    expect(await bookonce.waitlist.position({ entryId: w2.id, customer: "w1" })).toBeNull();
    expect(await bookonce.waitlist.get({ entryId: w2.id, customer: "w1" })).toBeNull();
    await bookonce.waitlist.leave({ entryId: w1.id, customer: "w1" });
    expect([await position(w1), await position(w2), await position(w4)]).toEqual([null, 1, 3]);
  });

  test("customers see their own entries, administrators all of them in order", async () => {
    const { bookonce } = db;
    const service = await offering(bookonce, "cut");
    const other = await offering(bookonce, "beard");
    const mine = [await waits(bookonce, service, "w1"), await waits(bookonce, other, "w1")];
    const w2 = await waits(bookonce, service, "w2");
    const ids = (entries: readonly { readonly id: string }[]) => entries.map((one) => one.id);
    expect(ids(await bookonce.waitlist.ofCustomer("w1"))).toEqual(ids(mine));
    expect(ids(await bookonce.waitlist.list({ service }))).toEqual([mine[0]?.id, w2.id]);
    expect(ids(await bookonce.waitlist.list({ limit: 2 }))).toEqual(ids(mine));
    await bookonce.waitlist.leave({ entryId: w2.id, customer: "w2" });
    expect(await bookonce.waitlist.list({ service })).toHaveLength(1);
    expect((await bookonce.waitlist.list({ service, all: true })).map((one) => one.state)).toEqual(["waiting", "left"]);
  });

  test("whoever waits is told once per offer, through the outbox, with the booking as it is", async () => {
    const service = await offering(db.bookonce, "cut");
    const w1 = await waits(db.bookonce, service, "w1");
    await Promise.all([db.bookonce.waitlist.tick(), db.another().waitlist.tick(), db.bookonce.waitlist.tick()]);
    const told: unknown[] = [];
    await db.bookonce.events.run(async (event) => {
      if (event.type === "waitlist_offered") told.push([event.booking?.customer, event.booking?.state, event.data]);
    });
    expect(told).toEqual([["w1", "held", { entryId: w1.id, customer: "w1" }]]);
  });
});
