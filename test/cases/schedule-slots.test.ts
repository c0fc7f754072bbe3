import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { hour, minute, unique } from "../support/fixtures.ts";
import { aService, ask, at, daily, have, span, stopClock, verdict } from "../verbs/schedule/support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.clock.reset());
afterAll(() => db.drop());

const resource = async () => (await db.bookonce.resources.put({ id: unique("anna") })).id;

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
    expect(await verdict(db.bookonce, service, at(10))).toBe("unknown_resource");
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
