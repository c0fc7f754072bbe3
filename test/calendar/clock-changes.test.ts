import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, startOfDay } from "../../src/calendar/civil-time.ts";
import { admitTime, defineSchedule, openTimes, weeklyStarts } from "../../src/calendar/index.ts";
import { allDays, clock, daily, dailyDefinition, every, hours, short, starts, zones } from "./helpers.ts";

/** A whole date of a zone. */
function on(zone: string, date: string, durationMinutes: number) {
  return { from: startOfDay(date, zone), to: startOfDay(addDays(date, 1), zone), durationMinutes };
}

describe("B15: grids walk the place's clock", () => {
  test("R69: the clock-change Sunday has its eight half hours", () => {
    const prague = daily("Europe/Prague", hours("08:00", "12:00"));
    const list = starts(on("Europe/Prague", "2021-10-31", 30), { schedule: prague, grid: every(30) });
    expect(list.map(clock)).toEqual(["07:00", "07:30", "08:00", "08:30", "09:00", "09:30", "10:00", "10:30"]);
  });

  test.each([
    ["R71", "America/Chicago", "15:00", "16:30", 90, "2025-03-02", "03-02T21:00Z"],
    ["R71", "America/Chicago", "15:00", "16:30", 90, "2025-03-09", "03-09T20:00Z"],
    ["R72", "America/Chicago", "07:30", "08:30", 60, "2022-11-01", "11-01T12:30Z"],
    ["R72", "America/Chicago", "07:30", "08:30", 60, "2022-11-08", "11-08T13:30Z"],
    ["R73", "America/New_York", "09:00", "10:00", 60, "2023-11-06", "11-06T14:00Z"],
    ["R73", "America/New_York", "09:00", "10:00", 60, "2023-12-04", "12-04T14:00Z"],
    ["R74", "America/New_York", "12:30", "13:30", 60, "2023-03-12", "03-12T16:30Z"],
    ["R74", "America/New_York", "12:30", "13:30", 60, "2023-11-05", "11-05T17:30Z"],
    ["R78", "Europe/Paris", "15:00", "16:00", 60, "2022-03-21", "03-21T14:00Z"],
    ["R78", "Europe/Paris", "15:00", "16:00", 60, "2022-03-28", "03-28T13:00Z"],
  ])("%s: %s %s on its date", (_, zone, from, to, duration, date, expected) => {
    const rules = { schedule: daily(zone, hours(from, to)), grid: every(duration) };
    // "Now" lies in summer and in winter: it must not matter.
    for (const now of ["2021-08-01T00:00Z", "2021-01-15T00:00Z"]) {
      expect(starts({ ...on(zone, date, duration), now }, rules)).toEqual([expected]);
    }
  });

  test("R74: a time after the change can be booked from before it", () => {
    const schedule = daily("America/Toronto", hours("09:00", "17:00"));
    const [start, end, now] = ["2023-03-16T13:00Z", "2023-03-16T14:00Z", "2023-02-26T12:00Z"] as const;
    expect(admitTime({ schedule, grid: every(60), start, end, now })).toBeNull();
  });

  test("R76: a notice that ends on the change day does not shift the list", () => {
    const zone = "America/New_York";
    const rules = { schedule: daily(zone, hours("09:00", "17:00")), grid: every(60), notice: { hours: 168 } };
    const now = "2023-10-29T14:00Z";
    expect(starts({ from: now, to: "2023-11-05T16:00Z", durationMinutes: 60, now }, rules)).toEqual([
      "11-05T14:00Z",
      "11-05T15:00Z",
    ]);
    expect(admitTime({ ...rules, now, start: "2023-11-05T13:00Z", end: "2023-11-05T14:00Z" })).toEqual({
      reason: "too_soon",
      earliest: new Date("2023-11-05T14:00Z"),
    });
  });

  test("R78: a weekly series keeps its time on the wall", () => {
    const series = weeklyStarts({ zone: "Europe/Paris", date: "2022-03-21", time: "15:00", times: 2 });
    expect(series.map(({ start }) => short(start))).toEqual(["03-21T14:00Z", "03-28T13:00Z"]);
  });

  test("R79: closed on all days but Thursday, for weeks", () => {
    const blocked = allDays.filter((day) => day !== "thursday");
    const helsinki = defineSchedule({
      ...dailyDefinition("Europe/Helsinki", hours("00:00", "24:00")),
      breaks: [{ ...hours("00:00", "24:00"), days: blocked }],
    });
    const open = openTimes({ schedule: helsinki, from: "2026-01-04T22:00Z", to: "2026-01-25T22:00Z" });
    expect(open.map(({ start, end }) => `${short(start)}/${short(end)}`)).toEqual([
      "01-07T22:00Z/01-08T22:00Z",
      "01-14T22:00Z/01-15T22:00Z",
      "01-21T22:00Z/01-22T22:00Z",
    ]);
  });

  test("R80: two calendars in two zones are open where both are", () => {
    const schedule = daily("America/Guayaquil", hours("06:00", "15:00"));
    const also = [daily("Europe/Madrid", hours("09:00", "16:00"))];
    const open = (date: string) =>
      openTimes({ schedule, also, from: `${date}T00:00Z`, to: `${addDays(date, 1)}T00:00Z` }).map(
        ({ start, end }) => `${short(start)}/${short(end)}`,
      );
    expect(open("2026-02-10")).toEqual(["02-10T11:00Z/02-10T15:00Z"]);
    expect(open("2026-07-10")).toEqual(["07-10T11:00Z/07-10T14:00Z"]);
    const list = starts({ ...on("Europe/Madrid", "2026-07-10", 60) }, { schedule, also, grid: every(60) });
    expect(list.map(clock)).toEqual(["11:00", "12:00", "13:00"]);
  });

  test("R106: a time that ends at midnight UTC is like its neighbours", () => {
    const rules = { schedule: daily("America/Detroit", hours("09:00", "20:00")), grid: every(60) };
    const list = starts(on("America/Detroit", "2023-01-20", 60), rules);
    expect(list).toHaveLength(11);
    expect(list.slice(-3)).toEqual(["01-20T22:00Z", "01-20T23:00Z", "01-21T00:00Z"]);
  });
});

describe("B15: days of other lengths", () => {
  test.each([
    ["Europe/Berlin", "2026-03-29", 46],
    ["Europe/Berlin", "2026-10-25", 50],
    ["Australia/Lord_Howe", "2026-10-04", 47],
    ["Australia/Lord_Howe", "2026-04-05", 49],
    ["America/Sao_Paulo", "2018-11-04", 46],
    ["Africa/Cairo", "2014-05-16", 46],
    ["America/Havana", "2026-11-01", 50],
    ["Pacific/Apia", "2011-12-29", 48],
    ["Pacific/Apia", "2011-12-31", 48],
    ["Asia/Kathmandu", "2026-06-01", 48],
  ])("%s %s: a whole day has %d half hours, each once", (zone, date, count) => {
    const list = starts(on(zone, date, 30), { schedule: daily(zone, hours("00:00", "24:00")), grid: every(30) });
    expect(new Set(list).size).toBe(count);
    expect(list).toHaveLength(count);
  });

  test("a repeated hour is offered twice, a skipped one not at all", () => {
    const night = { schedule: daily("America/New_York", hours("00:00", "03:00")), grid: every(60) };
    expect(starts(on("America/New_York", "2026-11-01", 60), night).map(clock)).toEqual([
      "04:00",
      "05:00",
      "06:00",
      "07:00",
    ]);
    expect(starts(on("America/New_York", "2026-03-08", 60), night).map(clock)).toEqual(["05:00", "06:00"]);
  });

  test("a window that begins or ends in a gap does so at its later edge", () => {
    const zone = "America/New_York";
    const rules = (from: string, to: string) => ({ schedule: daily(zone, hours(from, to)), grid: every(30) });
    // 02:30 does not exist; the clocks show 03:00 at 07:00Z.
    expect(starts(on(zone, "2026-03-08", 30), rules("02:30", "04:00")).map(clock)).toEqual(["07:00", "07:30"]);
    expect(starts(on(zone, "2026-03-08", 30), rules("01:00", "02:30")).map(clock)).toEqual(["06:00", "06:30"]);
    expect(starts(on(zone, "2026-03-08", 30), rules("02:00", "03:00"))).toEqual([]);
  });

  test("a window that begins in a fold begins at the first, one that ends in a fold ends at the last", () => {
    const zone = "America/New_York";
    const rules = (from: string, to: string) => ({ schedule: daily(zone, hours(from, to)), grid: every(30) });
    expect(starts(on(zone, "2026-11-01", 30), rules("01:30", "02:30")).map(clock)).toEqual([
      "05:30",
      "06:00",
      "06:30",
      "07:00",
    ]);
    expect(starts(on(zone, "2026-11-01", 30), rules("00:30", "01:30")).map(clock)).toEqual([
      "04:30",
      "05:00",
      "05:30",
      "06:00",
    ]);
  });

  test("a date that a zone skipped offers nothing, and its neighbours are whole", () => {
    const rules = { schedule: daily("Pacific/Apia", hours("09:00", "12:00")), grid: every(60) };
    const list = starts({ from: "2011-12-29T00:00Z", to: "2012-01-01T00:00Z", durationMinutes: 60 }, rules);
    expect(list).toEqual([
      "12-29T19:00Z",
      "12-29T20:00Z",
      "12-29T21:00Z",
      "12-30T19:00Z",
      "12-30T20:00Z",
      "12-30T21:00Z",
      "12-31T19:00Z",
      "12-31T20:00Z",
      "12-31T21:00Z",
    ]);
    // A night over the skipped date ends where the date would have been.
    const night = openTimes({
      schedule: daily("Pacific/Apia", hours("22:00", "02:00")),
      from: "2011-12-30T08:00Z",
      to: "2011-12-30T13:00Z",
    });
    expect(night.map(({ start, end }) => `${short(start)}/${short(end)}`)).toEqual(["12-30T08:00Z/12-30T10:00Z"]);
  });

  test.each(["24:00", "00:00"])("an end at %s is the first midnight of a date that has two", (end) => {
    const schedule = daily("America/Havana", hours("20:00", end));
    const night = openTimes({ schedule, from: "2026-10-31T12:00Z", to: "2026-11-01T12:00Z" });
    expect(night.map(({ start, end }) => `${short(start)}/${short(end)}`)).toEqual(["11-01T00:00Z/11-01T04:00Z"]);
  });
});

describe("B15: for any zone", () => {
  const zone = fc.constantFrom(...zones);
  const date = fc.integer({ min: 0, max: 366 * 40 }).map((days) => addDays("1990-01-01", days));

  test("whole days leave no gap and no overlap", () => {
    const schedules = new Map(zones.map((name) => [name, daily(name, hours("00:00", "24:00"))]));
    fc.assert(
      fc.property(zone, date, (name, first) => {
        const schedule = schedules.get(name);
        if (schedule === undefined) throw new Error(name);
        const [from, to] = [startOfDay(first, name), startOfDay(addDays(first, 3), name)];
        const rules = { schedule, grid: every(15) };
        expect(openTimes({ schedule, from, to })).toEqual([{ start: new Date(from), end: new Date(to) }]);
        expect(starts({ from, to, durationMinutes: 15 }, rules)).toHaveLength((to - from) / 900_000);
      }),
      { numRuns: 300 },
    );
  });
});
