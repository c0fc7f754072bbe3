import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { digestOf, hour, minute, unique } from "../support/fixtures.ts";
import { always, aService, ask, at, clockTimes, daily, have, span, stopClock } from "../verbs/schedule/support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.clock.reset());
afterAll(() => db.drop());

const resource = async () => (await db.bookonce.resources.put({ id: unique("anna") })).id;
const minutes = (count: number) => ({ minutes: count });

/** What the list, the explanation and the claim say of a start must be one thing (B16). */
async function verdict(service: string, start: Date | string, customer = unique("customer")) {
  const explained = await db.bookonce.slots.explain({ service, start, customer });
  const from = new Date(start);
  const range = { from, to: new Date(from.getTime() + minute) };
  const listed = (await db.bookonce.slots.find({ service, customer, ...range })).length === 1;
  expect(listed, "listed").toBe(explained.claimable);
  const claimed = await db.bookonce.reserveSlot({ service, start, customer, price: null });
  if (claimed.outcome !== "refused") {
    expect(explained.claimable).toBe(true);
    await db.bookonce.cancel({ bookingId: claimed.booking.id, customer });
    return "free";
  }
  const { outcome: _, ...refused } = claimed;
  expect(explained).toEqual({ claimable: false, refused });
  return claimed.reason;
}

describe("buffers", () => {
  test("R89: an hour kept free before and after: 8 and 12 are free; 9, 10 and 11 are not", async () => {
    const anna = await resource();
    const withBuffers = { before: { hours: 1 }, after: { hours: 1 } };
    await have(db.bookonce, { resources: [anna], start: at(10), buffers: withBuffers });
    const service = await aService(db.bookonce, { resources: [anna] });
    expect(clockTimes(await db.bookonce.slots.find({ service, ...span(8, 13) }))).toEqual(["08:00", "12:00"]);
    const verdicts = [];
    for (const hours of [8, 9, 10, 11, 12]) verdicts.push(await verdict(service, at(hours)));
    expect(verdicts).toEqual(["free", "slot_taken", "slot_taken", "slot_taken", "free"]);
  });

  test("R90: a buffer holds on the claim too, however it is asked for", async () => {
    const anna = await resource();
    await have(db.bookonce, { resources: [anna], start: at(15), duration: minutes(15) });
    const times = always("UTC", 15);
    const buffers = { before: minutes(60) };
    const service = await aService(db.bookonce, { resources: [anna], duration: minutes(15), buffers, times });
    expect(await verdict(service, at(15.5))).toBe("slot_taken");
    expect(await verdict(service, at(16))).toBe("slot_taken");
    expect(await verdict(service, at(16.25))).toBe("free");
  });

  test("R91: time that is busy for another reason is kept clear by the buffers on both sides", async () => {
    const anna = await resource();
    await have(db.bookonce, { resources: [anna], start: at(16), duration: minutes(45), actor: "external calendar" });
    const times = always("UTC", 15);
    const buffers = { before: minutes(30), after: minutes(30) };
    const service = await aService(db.bookonce, { resources: [anna], duration: minutes(30), buffers, times });
    const verdicts = [];
    for (const hours of [15.5, 15, 17, 17.25]) verdicts.push(await verdict(service, at(hours)));
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
    expect(await verdict(service, at(12.5))).toBe("slot_taken");
    expect(await verdict(service, at(12 + 20 / 60))).toBe("free");
    expect(await verdict(service, at(18.5))).toBe("slot_taken");
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
    expect(await verdict(service, later)).toBe("limit_reached");
    expect(await verdict(service, june9)).toBe("free");
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
    expect(await verdict(service, later, customer)).toBe("limit_reached");
    expect(await verdict(service, later)).toBe("free");
    expect(await verdict(service, june9, customer)).toBe("free");
    await db.bookonce.cancel({ bookingId: booking.id, customer });
    expect(await verdict(service, later, customer)).toBe("free");
  });

  test("a limit per resource is that of each member of a pool, and a session counts once", async () => {
    const [one, two] = [await resource(), await resource()];
    const pool = (await db.bookonce.resources.put({ id: unique("pool"), kind: "pool", members: [one, two] })).id;
    const limited = await aService(db.bookonce, { resources: [pool], limits: { perDayPerResource: 1 } });
    await have(db.bookonce, { service: limited, start: at(10) });
    await have(db.bookonce, { service: limited, start: at(12) });
    expect(await verdict(limited, at(14))).toBe("pool_full");
    expect(await verdict(limited, at(34))).toBe("free");
    const group = await aService(db.bookonce, { session: { capacity: 3 }, limits: { perDayPerResource: 1 } });
    await have(db.bookonce, { service: group, start: at(10) });
    expect(await verdict(group, at(10))).toBe("limit_reached");
    expect(await verdict(group, at(12))).toBe("limit_reached");
  });

  test("whoever moves a booking within its own full day is not stopped by it", async () => {
    const service = await aService(db.bookonce, { limits: { perDayPerCustomer: 1, perDayPerResource: 1 } });
    const { id, customer } = await have(db.bookonce, { service, start: at(10) });
    expect((await db.bookonce.reschedule({ bookingId: id, customer, start: at(15) })).outcome).toBe("rescheduled");
  });
});

describe("notice, horizon and hours hold on the claim", () => {
  test("R93: minimum notice is refused with the earliest instant that can be had", async () => {
    await stopClock(db, "2031-01-06T09:00:00Z");
    const service = await aService(db.bookonce, { times: { ...always(), notice: { hours: 168 } } });
    expect(await ask(db.bookonce, { service, start: at(34) })).toEqual({
      outcome: "refused",
      reason: "too_soon",
      earliest: at(9 + 168),
    });
    expect(await verdict(service, at(34))).toBe("too_soon");
    expect(await verdict(service, at(9 + 168 - 1))).toBe("too_soon");
    expect(await verdict(service, at(9 + 168))).toBe("free");
  });

  test("R94: a time that has passed is refused, by a service and without one, even while a page still shows it", async () => {
    await stopClock(db, "2031-01-06T18:40:53Z");
    const anna = await resource();
    const times = { ...always(), notice: { minutes: 120 } };
    const service = await aService(db.bookonce, { resources: [anna], times });
    expect(await verdict(service, at(17))).toBe("in_past");
    expect(await verdict(service, at(20))).toBe("too_soon");
    expect(await verdict(service, at(21))).toBe("free");
    expect(await ask(db.bookonce, { resources: [anna], start: at(17) })).toEqual({
      outcome: "refused",
      reason: "in_past",
    });
    expect(await ask(db.bookonce, { resources: [anna], start: "2031-01-06T18:40:53Z" })).toMatchObject({
      reason: "in_past",
    });
  });

  test("B16: beyond the horizon is refused with the end of it", async () => {
    await stopClock(db, "2031-01-06T09:00:00Z");
    const service = await aService(db.bookonce, { times: { ...always("Asia/Tashkent"), horizon: { days: 2 } } });
    // Through the 8th in Tashkent, which ends at 19:00 in UTC.
    expect(await verdict(service, at(2 * 24 + 18))).toBe("free");
    expect(await verdict(service, at(2 * 24 + 19))).toBe("too_far");
    expect(await ask(db.bookonce, { service, start: at(2 * 24 + 19) })).toEqual({
      outcome: "refused",
      reason: "too_far",
      latest: at(2 * 24 + 19),
    });
  });

  test("B16: a day off, a break, after closing and off the grid are closed, each with its name", async () => {
    const { schedule, grid } = daily("10:00", "19:00");
    const breaks = [{ from: "13:00", to: "14:00" }];
    const service = await aService(db.bookonce, {
      times: { schedule: { ...schedule, breaks, daysOff: ["2031-01-07"] }, grid: grid ?? null },
    } as object);
    const because = async (hours: number) => {
      const explained = await db.bookonce.slots.explain({ service, start: at(hours) });
      const refused = await ask(db.bookonce, { service, start: at(hours) });
      expect("refused" in explained ? explained.refused.reason : "free").toBe(
        "reason" in refused ? refused.reason : "free",
      );
      return "because" in refused ? refused.because : refused.outcome;
    };
    expect(await because(34)).toBe("day_off");
    expect(await because(9)).toBe("outside_hours");
    expect(await because(13)).toBe("break");
    expect(await because(18.5)).toBe("runs_past_closing");
    expect(await because(10.5)).toBe("off_grid");
    expect(await because(18)).toBe("reserved");
  });

  test("R96: a Saturday night belongs to Saturday: Sunday 00:30 is listed and can be had, 01:00 runs past closing", async () => {
    const schedule = { zone: "UTC", weekly: { saturday: [{ from: "18:00", to: "02:00" }] } };
    const grid = { stepMinutes: 30, anchor: "window" } as const;
    const service = await aService(db.bookonce, { duration: minutes(90), times: { schedule, grid } });
    const [half, one] = ["2031-01-12T00:30:00Z", "2031-01-12T01:00:00Z"];
    expect(await verdict(service, half)).toBe("free");
    expect(await verdict(service, one)).toBe("closed");
    expect(await ask(db.bookonce, { service, start: one })).toMatchObject({ because: "runs_past_closing" });
  });

  test("R97: the day ends at 24:00: 48 half hours, the last at 23:30; with 23:59 there are 47", async () => {
    const half = (to: string) => aService(db.bookonce, { duration: minutes(30), times: daily("00:00", to, "UTC", 30) });
    const all = clockTimes(await db.bookonce.slots.find({ service: await half("24:00"), ...span(0, 24) }));
    expect([all.length, all.at(-1)]).toEqual([48, "23:30"]);
    const service = await half("23:59");
    expect(await db.bookonce.slots.find({ service, ...span(0, 24) })).toHaveLength(47);
    expect(await verdict(service, at(23.5))).toBe("closed");
  });

  test("R98, R99: the last start ends at closing, not after it", async () => {
    const late = await aService(db.bookonce, { duration: minutes(20), times: daily("09:00", "16:45", "UTC", 20) });
    expect(clockTimes(await db.bookonce.slots.find({ service: late, ...span(0, 24) })).at(-1)).toBe("16:20");
    expect(await verdict(late, at(16 + 40 / 60))).toBe("closed");
    const half = await aService(db.bookonce, { duration: minutes(30), times: daily("08:00", "18:30", "UTC", 30) });
    const found = clockTimes(await db.bookonce.slots.find({ service: half, ...span(0, 24) }));
    expect([found.length, found.at(-1)]).toEqual([21, "18:00"]);
  });

  test("R106: in Detroit the hour that ends at midnight in UTC can be had like its neighbours", async () => {
    await stopClock(db, "2023-01-10T00:00:00Z");
    const service = await aService(db.bookonce, { times: daily("09:00", "20:00", "America/Detroit") });
    for (const hours of ["22", "23"]) expect(await verdict(service, `2023-01-20T${hours}:00:00Z`)).toBe("free");
    expect(await verdict(service, "2023-01-21T00:00:00Z")).toBe("free");
    expect(await verdict(service, "2023-01-21T01:00:00Z")).toBe("closed");
  });

  test("R82: every half hour that Berlin lists can be held", async () => {
    await stopClock(db, "2025-09-01T00:00:00Z");
    const service = await aService(db.bookonce, {
      duration: minutes(30),
      times: daily("09:00", "18:00", "Europe/Berlin", 30),
    });
    const range = { from: "2025-09-10T00:00:00Z", to: "2025-09-11T00:00:00Z" };
    const found = await db.bookonce.slots.find({ service, ...range });
    expect([found.length, clockTimes(found)[0], clockTimes(found).at(-1)]).toEqual([18, "07:00", "15:30"]);
    for (const { start } of found) await have(db.bookonce, { service, start });
    expect(await db.bookonce.slots.find({ service, ...range })).toEqual([]);
  });

  test("R69: on the Sunday when the clocks go back there are eight half hours between 8 and 12 in Prague", async () => {
    await stopClock(db, "2021-10-20T00:00:00Z");
    const service = await aService(db.bookonce, {
      duration: minutes(30),
      times: daily("08:00", "12:00", "Europe/Prague", 30),
    });
    const found = await db.bookonce.slots.find({ service, from: "2021-10-31T00:00:00Z", to: "2021-11-01T00:00:00Z" });
    expect([found.length, clockTimes(found)[0], clockTimes(found).at(-1)]).toEqual([8, "07:00", "10:30"]);
  });

  test("R80: the resource's calendar and the service's are in two zones, and both must be open", async () => {
    await stopClock(db, "2026-02-01T00:00:00Z");
    const guayaquil = { schedule: daily("06:00", "15:00", "America/Guayaquil").schedule };
    const anna = (await db.bookonce.resources.put({ id: unique("anna"), times: guayaquil })).id;
    const times = daily("09:00", "16:00", "Europe/Madrid", 30);
    const service = await aService(db.bookonce, { resources: [anna], duration: minutes(30), times });
    const on = async (date: string) => {
      const range = { from: `${date}T00:00:00Z`, to: `${date}T23:59:00Z` };
      const found = clockTimes(await db.bookonce.slots.find({ service, ...range }));
      return [found[0], found.at(-1)];
    };
    expect(await on("2026-02-10")).toEqual(["11:00", "14:30"]);
    expect(await on("2026-07-10")).toEqual(["11:00", "13:30"]);
    expect(await ask(db.bookonce, { service, start: "2026-02-10T10:30:00Z" })).toMatchObject({
      reason: "closed",
      resource: anna,
    });
  });
});

describe("slots", () => {
  test("B1: the next free times come in order, over weeks that are full, and after a given instant", async () => {
    const schedule = { zone: "UTC", weekly: { monday: [{ from: "10:00", to: "12:00" }] } };
    const service = await aService(db.bookonce, {
      times: { schedule, grid: { stepMinutes: 60, anchor: "window" } },
    });
    for (const week of [0, 1, 2]) {
      for (const hours of [10, 11]) await have(db.bookonce, { service, start: at(week * 168 + hours) });
    }
    const next = await db.bookonce.slots.nextFree({ service, after: at(0), count: 3 });
    expect(next.map(({ start }) => start)).toEqual([at(3 * 168 + 10), at(3 * 168 + 11), at(4 * 168 + 10)]);
    const later = await db.bookonce.slots.nextFree({ service, after: at(3 * 168 + 10.5), count: 1 });
    expect(later.map(({ start }) => start)).toEqual([at(3 * 168 + 11)]);
  });

  test("B1: without `after` it begins now, and a service that is never open has none", async () => {
    await stopClock(db, "2031-01-06T09:30:00Z");
    const service = await aService(db.bookonce);
    const next = await db.bookonce.slots.nextFree({ service });
    expect(next.map(({ start }) => start)).toEqual([at(10), at(11), at(12)]);
    const never = await aService(db.bookonce, { times: { schedule: { zone: "UTC", weekly: {} } } });
    expect(await db.bookonce.slots.nextFree({ service: never })).toEqual([]);
  });

  test("B1: a list may be stale: the claim decides again, and is refused", async () => {
    const service = await aService(db.bookonce);
    const [slot] = await db.bookonce.slots.find({ service, ...span(10, 11) });
    await have(db.bookonce, { service, start: at(10) });
    expect(await ask(db.bookonce, { service, start: slot?.start ?? "" })).toMatchObject({ reason: "slot_taken" });
  });

  test("B16: a service that is unknown, switched off, or has no times is refused with its name", async () => {
    const off = await aService(db.bookonce, { active: false });
    for (const service of [off, unique("nothing")]) {
      await expect(db.bookonce.slots.find({ service, ...span(10, 11) })).rejects.toThrow("unknown or switched off");
      await expect(db.bookonce.slots.explain({ service, start: at(10) })).rejects.toThrow("unknown or switched off");
      await expect(db.bookonce.slots.nextFree({ service })).rejects.toThrow("unknown or switched off");
      expect(await ask(db.bookonce, { service, start: at(10) })).toEqual({
        outcome: "refused",
        reason: "unknown_service",
      });
    }
    const id = unique("service");
    const anna = await resource();
    await db.bookonce.services.put({ id, duration: { minutes: 60 }, resources: [anna] });
    await expect(db.bookonce.slots.find({ service: id, ...span(10, 11) })).rejects.toThrow("no times to list");
    expect(await db.bookonce.slots.explain({ service: id, start: at(10) })).toMatchObject({ claimable: true });
  });

  test("B16: a resource that is switched off is not offered, and said to be unknown", async () => {
    const anna = await resource();
    const service = await aService(db.bookonce, { resources: [anna] });
    await db.bookonce.resources.put({ id: anna, active: false });
    expect(await verdict(service, at(10))).toBe("unknown_resource");
  });

  test("R85: the list is the same set of instants for everybody who looks", async () => {
    await stopClock(db, "2026-03-01T00:00:00Z");
    const service = await aService(db.bookonce, { times: daily("09:00", "18:00", "Europe/Berlin") });
    const zones = ["+00:00", "+05:00", "-03:30", "+13:45", "-11:00"];
    const range = { from: Date.UTC(2026, 2, 28), to: Date.UTC(2026, 2, 31) };
    const asSeenFrom = (instant: number, offset: string) => {
      const [, sign = "+", hours = "0", rest = "0"] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
      const shift = (Number(hours) * 60 + Number(rest)) * minute * (sign === "-" ? -1 : 1);
      return new Date(instant + shift).toISOString().replace("Z", offset);
    };
    const lists = [];
    for (const zone of zones) {
      const [from, to] = [asSeenFrom(range.from, zone), asSeenFrom(range.to, zone)];
      lists.push(await db.bookonce.slots.find({ service, from, to }));
    }
    for (const list of lists) expect(list).toEqual(lists[0]);
    expect(lists[0]).toHaveLength(27);
  });

  test("B16: places of several counted resources: the fewest decide, and a party counts as so many", async () => {
    const hall = (capacity: number) => db.bookonce.resources.put({ id: unique("hall"), kind: "counted", capacity });
    const [big, small] = [(await hall(10)).id, (await hall(4)).id];
    const service = await aService(db.bookonce, { resources: [big, small] });
    await have(db.bookonce, { service, start: at(10), quantity: 3 });
    expect(await db.bookonce.slots.find({ service, ...span(10, 11) })).toMatchObject([{ left: 1 }]);
    expect(await db.bookonce.slots.find({ service, quantity: 2, ...span(10, 11) })).toEqual([]);
    expect(await db.bookonce.slots.explain({ service, quantity: 2, start: at(10) })).toEqual({
      claimable: false,
      refused: { reason: "no_capacity", resource: small, left: 1 },
    });
  });

  test("B6: a hold that lapses is offered again at its instant", async () => {
    await stopClock(db, "2031-01-06T00:00:00Z");
    const service = await aService(db.bookonce);
    await have(db.bookonce, { service, start: at(10), hold: { minutes: 60 } });
    await stopClock(db, "2031-01-06T00:59:59.999Z");
    expect(await db.bookonce.slots.find({ service, ...span(10, 11) })).toEqual([]);
    await stopClock(db, new Date(at(0).getTime() + hour).toISOString());
    expect(await db.bookonce.slots.find({ service, ...span(10, 11) })).toHaveLength(1);
  });
});
