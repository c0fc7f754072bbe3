import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { unique } from "../support/fixtures.ts";
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

describe("notice, horizon and hours hold on the claim", () => {
  test("R93: minimum notice is refused with the earliest instant that can be had", async () => {
    await stopClock(db, "2031-01-06T09:00:00Z");
    const service = await aService(db.bookonce, { times: { ...always(), notice: { hours: 168 } } });
    expect(await ask(db.bookonce, { service, start: at(34) })).toEqual({
      outcome: "refused",
      reason: "too_soon",
      earliest: at(9 + 168),
    });
    expect(await verdict(db.bookonce, service, at(34))).toBe("too_soon");
    expect(await verdict(db.bookonce, service, at(9 + 168 - 1))).toBe("too_soon");
    expect(await verdict(db.bookonce, service, at(9 + 168))).toBe("free");
  });

  test("R94: a time that has passed is refused, by a service and without one, even while a page still shows it", async () => {
    await stopClock(db, "2031-01-06T18:40:53Z");
    const anna = await resource();
    const times = { ...always(), notice: { minutes: 120 } };
    const service = await aService(db.bookonce, { resources: [anna], times });
    expect(await verdict(db.bookonce, service, at(17))).toBe("in_past");
    expect(await verdict(db.bookonce, service, at(20))).toBe("too_soon");
    expect(await verdict(db.bookonce, service, at(21))).toBe("free");
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
    expect(await verdict(db.bookonce, service, at(2 * 24 + 18))).toBe("free");
    expect(await verdict(db.bookonce, service, at(2 * 24 + 19))).toBe("too_far");
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
    expect(await verdict(db.bookonce, service, half)).toBe("free");
    expect(await verdict(db.bookonce, service, one)).toBe("closed");
    expect(await ask(db.bookonce, { service, start: one })).toMatchObject({ because: "runs_past_closing" });
  });

  test("R97: the day ends at 24:00: 48 half hours, the last at 23:30; with 23:59 there are 47", async () => {
    const half = (to: string) => aService(db.bookonce, { duration: minutes(30), times: daily("00:00", to, "UTC", 30) });
    const all = clockTimes(await db.bookonce.slots.find({ service: await half("24:00"), ...span(0, 24) }));
    expect([all.length, all.at(-1)]).toEqual([48, "23:30"]);
    const service = await half("23:59");
    expect(await db.bookonce.slots.find({ service, ...span(0, 24) })).toHaveLength(47);
    expect(await verdict(db.bookonce, service, at(23.5))).toBe("closed");
  });

  test("R98, R99: the last start ends at closing, not after it", async () => {
    const late = await aService(db.bookonce, { duration: minutes(20), times: daily("09:00", "16:45", "UTC", 20) });
    expect(clockTimes(await db.bookonce.slots.find({ service: late, ...span(0, 24) })).at(-1)).toBe("16:20");
    expect(await verdict(db.bookonce, late, at(16 + 40 / 60))).toBe("closed");
    const half = await aService(db.bookonce, { duration: minutes(30), times: daily("08:00", "18:30", "UTC", 30) });
    const found = clockTimes(await db.bookonce.slots.find({ service: half, ...span(0, 24) }));
    expect([found.length, found.at(-1)]).toEqual([21, "18:00"]);
  });

  test("R106: in Detroit the hour that ends at midnight in UTC can be had like its neighbours", async () => {
    await stopClock(db, "2023-01-10T00:00:00Z");
    const service = await aService(db.bookonce, { times: daily("09:00", "20:00", "America/Detroit") });
    for (const hours of ["22", "23"])
      expect(await verdict(db.bookonce, service, `2023-01-20T${hours}:00:00Z`)).toBe("free");
    expect(await verdict(db.bookonce, service, "2023-01-21T00:00:00Z")).toBe("free");
    expect(await verdict(db.bookonce, service, "2023-01-21T01:00:00Z")).toBe("closed");
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
