import { describe, expect, test } from "vitest";
import { countByDay, listStarts, localDay, localDayOf } from "../../src/calendar/index.ts";
import { admit } from "./admitting.ts";
import { daily, every, hours, longAgo } from "./helpers.ts";

describe("limits per day", () => {
  const zone = "Pacific/Auckland";
  const taken = countByDay(["2026-06-09T21:00Z"], zone);
  const limited = (of: "resource" | "customer") => ({
    schedule: daily(zone, hours("09:00", "18:00")),
    grid: every(60),
    limits: [{ of, most: 1, taken }],
  });

  test("R102: a day is a date of the place, in the list and on the claim", () => {
    expect(taken).toEqual({ "2026-06-10": 1 });
    // 15:00 on the 10th, and on the 9th.
    expect(admit("2026-06-10T03:00Z", 60, limited("resource"))).toEqual({
      reason: "limit_reached",
      of: "resource",
      limit: 1,
      date: "2026-06-10",
    });
    expect(admit("2026-06-09T03:00Z", 60, limited("customer"))).toBeNull();
    const list = listStarts({
      ...limited("customer"),
      now: longAgo,
      from: "2026-06-08T12:00Z",
      to: "2026-06-11T12:00Z",
      durationMinutes: 60,
    });
    expect([...new Set(list.map((start) => localDayOf(start, zone).date))]).toEqual(["2026-06-09", "2026-06-11"]);
  });

  test("a day's instants: where to look for the others", () => {
    expect(localDayOf("2026-06-09T21:00Z", zone)).toEqual({
      date: "2026-06-10",
      start: new Date("2026-06-09T12:00Z"),
      end: new Date("2026-06-10T12:00Z"),
    });
    const short = localDay("2026-03-29", "Europe/Berlin");
    expect(short.end.getTime() - short.start.getTime()).toBe(23 * 3_600_000);
    // Clocks that were set back over midnight: the repeated minutes before midnight belong to the new day.
    const second = localDayOf("2010-11-07T03:00Z", "America/St_Johns");
    expect(second).toMatchObject({ date: "2010-11-07", start: new Date("2010-11-07T02:30Z") });
  });

  test("a booking over midnight counts on the date it starts on", () => {
    expect(countByDay(["2026-06-10T23:30Z", "2026-06-11T00:00Z"], "UTC")).toEqual({ "2026-06-10": 1, "2026-06-11": 1 });
  });
});
