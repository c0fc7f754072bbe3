import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { digestOf, minute, unique } from "../support/fixtures.ts";
import {
  always,
  aService,
  ask,
  at,
  clockTimes,
  daily,
  have,
  span,
  stopClock,
  verdict,
} from "../verbs/schedule/support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.clock.reset());
afterAll(() => db.drop());

const resource = async () => (await db.bookonce.resources.put({ id: unique("anna") })).id;
const minutes = (count: number) => ({ minutes: count });

describe("buffers", () => {
  test("R89: an hour kept free before and after: 8 and 12 are free; 9, 10 and 11 are not", async () => {
    const anna = await resource();
    const withBuffers = { before: { hours: 1 }, after: { hours: 1 } };
    await have(db.bookonce, { resources: [anna], start: at(10), buffers: withBuffers });
    const service = await aService(db.bookonce, { resources: [anna] });
    expect(clockTimes(await db.bookonce.slots.find({ service, ...span(8, 13) }))).toEqual(["08:00", "12:00"]);
    const verdicts = [];
    for (const hours of [8, 9, 10, 11, 12]) verdicts.push(await verdict(db.bookonce, service, at(hours)));
    expect(verdicts).toEqual(["free", "slot_taken", "slot_taken", "slot_taken", "free"]);
  });

  test("R90: a buffer holds on the claim too, however it is asked for", async () => {
    const anna = await resource();
    await have(db.bookonce, { resources: [anna], start: at(15), duration: minutes(15) });
    const times = always("UTC", 15);
    const buffers = { before: minutes(60) };
    const service = await aService(db.bookonce, { resources: [anna], duration: minutes(15), buffers, times });
    expect(await verdict(db.bookonce, service, at(15.5))).toBe("slot_taken");
    expect(await verdict(db.bookonce, service, at(16))).toBe("slot_taken");
    expect(await verdict(db.bookonce, service, at(16.25))).toBe("free");
  });

  test("R91: time that is busy for another reason is kept clear by the buffers on both sides", async () => {
    const anna = await resource();
    await have(db.bookonce, { resources: [anna], start: at(16), duration: minutes(45), actor: "external calendar" });
    const times = always("UTC", 15);
    const buffers = { before: minutes(30), after: minutes(30) };
    const service = await aService(db.bookonce, { resources: [anna], duration: minutes(30), buffers, times });
    const verdicts = [];
    for (const hours of [15.5, 15, 17, 17.25]) verdicts.push(await verdict(db.bookonce, service, at(hours)));
    expect(verdicts).toEqual(["slot_taken", "free", "slot_taken", "free"]);
  });

  test("R101: a fine step offers only starts that end within the hours", async () => {
    const anna = await resource();
    await have(db.bookonce, { resources: [anna], start: at(12 + 50 / 60) });
    const buffers = { before: minutes(15) };
    const service = await aService(db.bookonce, {
      resources: [anna],
      buffers,
      times: daily("09:00", "16:00", "UTC", 5),
    });
    const found = clockTimes(await db.bookonce.slots.find({ service, ...span(13, 17) }));
    expect([found.length, found[0], found.at(-1)]).toEqual([12, "14:05", "15:00"]);
  });

  test("R103: not only the start is checked: what runs into something, and what encloses it, is refused", async () => {
    const anna = await resource();
    await have(db.bookonce, { resources: [anna], start: at(12 + 50 / 60), duration: minutes(30) });
    await have(db.bookonce, { resources: [anna], start: at(18 + 40 / 60), duration: minutes(10) });
    const service = await aService(db.bookonce, {
      resources: [anna],
      duration: minutes(30),
      times: always("UTC", 10),
    });
    expect(await verdict(db.bookonce, service, at(12.5))).toBe("slot_taken");
    expect(await verdict(db.bookonce, service, at(12 + 20 / 60))).toBe("free");
    expect(await verdict(db.bookonce, service, at(18.5))).toBe("slot_taken");
  });
});

describe("replacing a hold", () => {
  test("R27: her own hold is shown as hers, and choosing another time replaces it in one step", async () => {
    const anna = await resource();
    const service = await aService(db.bookonce, { resources: [anna], times: always("UTC", 30) });
    const [customer, rival] = [unique("customer"), unique("rival")];
    const first = await have(db.bookonce, { customer, service, start: at(10), hold: minutes(5) });
    const shown = async (whose: string) =>
      (await db.bookonce.slots.find({ service, customer: whose, ...span(9.5, 11) })).map(({ start, own }) => [
        start.toISOString().slice(11, 16),
        own,
      ]);
    expect(await shown(customer)).toEqual([
      ["09:30", true],
      ["10:00", true],
      ["10:30", true],
    ]);
    expect(await shown(rival)).toEqual([]);
    const second = await ask(db.bookonce, { customer, service, start: at(10.5), replaces: first.id });
    expect(second).toMatchObject({
      outcome: "reserved",
      replaced: { id: first.id, state: "cancelled", cancelReason: "replaced" },
    });
    expect(await shown(rival)).toEqual([["09:30", false]]);
    expect((await ask(db.bookonce, { customer: rival, service, start: at(9.5) })).outcome).toBe("reserved");
  });

  test("R27: refused, the first hold is kept, byte for byte", async () => {
    const anna = await resource();
    const customer = unique("customer");
    const first = await have(db.bookonce, { customer, resources: [anna], start: at(10) });
    await have(db.bookonce, { resources: [anna], start: at(12) });
    const before = await digestOf(db);
    const asked = { customer, resources: [anna], start: at(11.5), replaces: first.id };
    expect(await ask(db.bookonce, asked)).toMatchObject({ outcome: "refused", reason: "slot_taken" });
    expect(await digestOf(db)).toBe(before);
  });

  test("R27: the hold that is replaced does not count against the limit of live holds", async () => {
    const bookonce = db.another({ policies: { maxLiveHoldsPerCustomer: 1 } });
    const customer = unique("customer");
    const first = await have(bookonce, { customer, resources: [await resource()], start: at(10) });
    const next = { customer, resources: [await resource()], start: at(10) };
    expect(await ask(bookonce, next)).toMatchObject({ reason: "too_many_holds", limit: 1 });
    expect((await ask(bookonce, { ...next, replaces: first.id })).outcome).toBe("reserved");
  });

  test("R27: somebody else's hold, a confirmed booking and a booking that is unknown are not replaced; a lapsed one is no obstacle", async () => {
    const customer = unique("customer");
    const foreign = await have(db.bookonce, { resources: [await resource()], start: at(10) });
    const confirmed = await have(db.bookonce, {
      customer,
      resources: [await resource()],
      start: at(10),
      confirm: true,
    });
    const anna = await resource();
    for (const replaces of [foreign.id, confirmed.id, crypto.randomUUID()]) {
      expect(await ask(db.bookonce, { customer, resources: [anna], start: at(10), replaces })).toEqual({
        outcome: "refused",
        reason: "unknown_booking",
      });
    }
    const lapsed = await have(db.bookonce, { customer, resources: [await resource()], start: at(20) });
    await db.clock.advance(15 * minute);
    expect(await ask(db.bookonce, { customer, resources: [anna], start: at(10), replaces: lapsed.id })).toMatchObject({
      outcome: "reserved",
      replaced: null,
    });
  });
});

describe("R102: limits are counted by the day of the place, in the list and on the claim", () => {
  const auckland = always("Pacific/Auckland", 60);
  const [june9, june10, later] = ["2026-06-09T03:00:00Z", "2026-06-09T21:00:00Z", "2026-06-10T03:00:00Z"];

  test("one a day per resource", async () => {
    await stopClock(db, "2026-06-01T00:00:00Z");
    const service = await aService(db.bookonce, { times: auckland, limits: { perDayPerResource: 1 } });
    await have(db.bookonce, { service, start: june10 });
    expect(await verdict(db.bookonce, service, later)).toBe("limit_reached");
    expect(await verdict(db.bookonce, service, june9)).toBe("free");
    const { resources } = await have(db.bookonce, { service, start: "2026-06-10T12:00:00Z" });
    // The day after has begun in Auckland: it has its own count, and is full now.
    expect(await db.bookonce.slots.explain({ service, start: "2026-06-11T06:00:00Z" })).toEqual({
      claimable: false,
      refused: { reason: "limit_reached", limit: 1, of: resources[0] },
    });
  });

  test("one a day per customer: the limit is hers, and no other customer's", async () => {
    await stopClock(db, "2026-06-01T00:00:00Z");
    const service = await aService(db.bookonce, { times: auckland, limits: { perDayPerCustomer: 1 } });
    const customer = unique("customer");
    const booking = await have(db.bookonce, { service, customer, start: june10, confirm: true });
    expect(await verdict(db.bookonce, service, later, customer)).toBe("limit_reached");
    expect(await verdict(db.bookonce, service, later)).toBe("free");
    expect(await verdict(db.bookonce, service, june9, customer)).toBe("free");
    await db.bookonce.cancel({ bookingId: booking.id, customer });
    expect(await verdict(db.bookonce, service, later, customer)).toBe("free");
  });

  test("a limit per resource is that of each member of a pool, and a session counts once", async () => {
    const [one, two] = [await resource(), await resource()];
    const pool = (await db.bookonce.resources.put({ id: unique("pool"), kind: "pool", members: [one, two] })).id;
    const limited = await aService(db.bookonce, { resources: [pool], limits: { perDayPerResource: 1 } });
    await have(db.bookonce, { service: limited, start: at(10) });
    await have(db.bookonce, { service: limited, start: at(12) });
    expect(await verdict(db.bookonce, limited, at(14))).toBe("pool_full");
    expect(await verdict(db.bookonce, limited, at(34))).toBe("free");
    const group = await aService(db.bookonce, { session: { capacity: 3 }, limits: { perDayPerResource: 1 } });
    await have(db.bookonce, { service: group, start: at(10) });
    expect(await verdict(db.bookonce, group, at(10))).toBe("limit_reached");
    expect(await verdict(db.bookonce, group, at(12))).toBe("limit_reached");
  });

  test("whoever moves a booking within its own full day is not stopped by it", async () => {
    const service = await aService(db.bookonce, { limits: { perDayPerCustomer: 1, perDayPerResource: 1 } });
    const { id, customer } = await have(db.bookonce, { service, start: at(10) });
    expect((await db.bookonce.reschedule({ bookingId: id, customer, start: at(15) })).outcome).toBe("rescheduled");
  });
});
