import { describe, expect, test } from "vitest";
import { listStarts } from "../../src/calendar/index.ts";
import { admit, day, june, utc } from "./admitting.ts";
import { every, longAgo, short, starts } from "./helpers.ts";

describe("lists", () => {
  const rules = { schedule: utc("09:00", "18:00"), grid: every(30) };

  test("the first few of a long range", () => {
    const list = starts({ from: june("17:00"), to: "2027-06-10T00:00Z", durationMinutes: 60, atMost: 3 }, rules);
    expect(list).toEqual(["06-10T17:00Z", "06-11T09:00Z", "06-11T09:30Z"]);
  });

  test("a long range is listed without seams, in order, each start once", () => {
    const list = listStarts({
      ...rules,
      now: longAgo,
      from: june("09:30"),
      to: "2026-09-10T09:30Z",
      durationMinutes: 60,
    });
    // 92 days of 17 starts: nine to five, cut at half past nine on both ends.
    expect(list).toHaveLength(92 * 17);
    expect(list.map(short)).toEqual([...new Set(list.map(short))]);
    expect(list.toSorted((left, right) => left.getTime() - right.getTime())).toEqual(list);
  });

  test("bookings of several days, where a place never closes", () => {
    const always = { schedule: utc("00:00", "24:00"), grid: every(24 * 60) };
    expect(admit(june("00:00"), 3 * 24 * 60, always)).toBeNull();
    expect(starts({ ...day, durationMinutes: 10 * 24 * 60 }, always)).toEqual(["06-10T00:00Z"]);
  });

  test("malformed arguments are refused, every problem named", () => {
    const call = () =>
      listStarts({
        ...rules,
        grid: { stepMinutes: 0, anchor: "window" },
        notice: { hours: -1 },
        horizon: { until: "soon" },
        from: "yesterday",
        to: Number.NaN,
        now: new Date(Number.NaN),
        durationMinutes: 1.5,
      });
    expect(call).toThrow(
      /grid\.stepMinutes: .*1 to 1440; notice\.hours: .*; horizon\.until: .*; from: .*; to: .*; durationMinutes: .*; now: must be a Date/,
    );
    expect(() => admit(june("10:00"), 0, rules)).toThrow(/end: must be after the start/);
  });
});
