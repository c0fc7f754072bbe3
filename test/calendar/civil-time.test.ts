import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addDays,
  type Disambiguation,
  edgeOf,
  isDate,
  nextTransition,
  occurrences,
  offsetMinutes,
  startOfDay,
  toInstant,
  wallOf,
  weekdayOf,
} from "../../src/calendar/civil-time.ts";
import { zones } from "./helpers.ts";
import { probes } from "./probes.ts";

const iso = (instant: number): string => new Date(instant).toISOString().slice(0, 16);

describe("the thirteen probes: wall times that are skipped, repeated or at odd offsets", () => {
  test.each(probes)("$what: $wall in $zone", ({ wall, zone, earlier, later, edges }) => {
    const [date = "", time = ""] = wall.split(" ");
    const at = (how: Disambiguation): string => iso(toInstant({ date, time }, zone, how));
    expect([at("earlier"), at("later")]).toEqual([earlier, later]);
    const gap = edges === "gap";
    expect(at("compatible")).toBe(gap ? later : earlier);
    expect(occurrences({ date, time }, zone)).toBe(gap ? "never" : edges === "fold" ? "twice" : "once");
    if (earlier === later) expect(at("reject")).toBe(earlier);
    else expect(() => at("reject")).toThrow(RangeError);
  });

  test.each(probes)("edges of $wall in $zone: a gap is its later edge, a fold its first and its last", (probe) => {
    const [date = "", time = ""] = probe.wall.split(" ");
    const edges = [iso(edgeOf({ date, time }, probe.zone, "first")), iso(edgeOf({ date, time }, probe.zone, "last"))];
    expect(edges).toEqual(probe.edges === "gap" ? [probe.edge, probe.edge] : [probe.earlier, probe.later]);
  });
});

describe("days", () => {
  test.each([
    ["Europe/Berlin", "2026-03-29", 23],
    ["Europe/Berlin", "2026-10-25", 25],
    ["America/New_York", "2026-03-08", 23],
    ["Australia/Lord_Howe", "2026-10-04", 23.5],
    ["Australia/Lord_Howe", "2026-04-05", 24.5],
    ["Antarctica/Troll", "2026-03-29", 22],
    ["Africa/Cairo", "2014-05-16", 23],
    ["America/Sao_Paulo", "2018-11-04", 23],
    ["America/Sao_Paulo", "2018-02-17", 25],
    ["America/Havana", "2026-11-01", 25],
    ["Pacific/Apia", "2011-12-30", 0],
    ["Asia/Kathmandu", "1986-01-01", 23.75],
    ["Asia/Tashkent", "2026-03-29", 24],
  ])("%s %s has %d hours", (zone, date, length) => {
    expect((startOfDay(addDays(date, 1), zone) - startOfDay(date, zone)) / 3_600_000).toBe(length);
  });

  test("a day may begin at 01:00", () => {
    expect(wallOf(startOfDay("2014-05-16", "Africa/Cairo"), "Africa/Cairo")).toEqual({
      date: "2014-05-16",
      time: "01:00",
    });
    expect(wallOf(startOfDay("2018-11-04", "America/Sao_Paulo"), "America/Sao_Paulo").time).toBe("01:00");
  });

  test("a day with two midnights begins at the first", () => {
    expect(iso(startOfDay("2026-11-01", "America/Havana"))).toBe("2026-11-01T04:00");
    expect(iso(toInstant({ date: "2026-11-01", time: "00:00" }, "America/Havana", "later"))).toBe("2026-11-01T05:00");
  });

  test("the calendar: leap years, weekdays, dates that do not exist", () => {
    expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(addDays("2026-01-01", -1)).toBe("2025-12-31");
    expect(weekdayOf("2026-10-25")).toBe("sunday");
    expect(weekdayOf("2026-10-26")).toBe("monday");
    expect(["2028-02-29", "2026-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "26-01-01", ""].map(isDate)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe("offsets", () => {
  test.each([
    ["Asia/Kathmandu", "2026-06-01", 345],
    ["Pacific/Chatham", "2026-01-01", 825],
    ["Pacific/Chatham", "2026-07-01", 765],
    ["America/St_Johns", "2026-07-01", -150],
    ["Australia/Lord_Howe", "2026-07-01", 630],
    ["Asia/Yekaterinburg", "2026-07-01", 300],
  ])("%s on %s: %d minutes", (zone, date, minutes) => {
    expect(offsetMinutes(Date.parse(date), zone)).toBe(minutes);
  });

  test("the next change of the clocks, or none", () => {
    const next = nextTransition(Date.parse("2026-01-01"), "Europe/Berlin");
    expect(next).toBe(Date.parse("2026-03-29T01:00Z"));
    expect(nextTransition(Date.parse("2026-01-01"), "Asia/Tashkent")).toBeNull();
  });
});

describe("for any zone", () => {
  const zone = fc.constantFrom(...zones);
  // Minutes from 1973 (Liberia's seconds are over) to 2040.
  const instant = fc
    .integer({ min: Date.UTC(1973, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 })
    .map((minutes) => minutes * 60_000);

  test("an instant is found again from what its clock shows", () => {
    fc.assert(
      fc.property(zone, instant, (name, at) => {
        const wall = wallOf(at, name);
        expect([toInstant(wall, name, "earlier"), toInstant(wall, name, "later")]).toContain(at);
      }),
      { numRuns: 1_000 },
    );
  });

  test("around every change the clock jumps at the edge, not before and not after", () => {
    fc.assert(
      fc.property(zone, instant, (name, at) => {
        const change = nextTransition(at, name);
        if (change === null) return;
        const jump = offsetMinutes(change, name) - offsetMinutes(change - 60_000, name);
        expect(jump).not.toBe(0);
        if (jump > 0) {
          // The wall time that would have come next is skipped: its edge is the change.
          const skipped = new Date(change + offsetMinutes(change - 60_000, name) * 60_000).toISOString();
          const wall = { date: skipped.slice(0, 10), time: skipped.slice(11, 16) };
          expect(occurrences(wall, name)).toBe("never");
          expect(edgeOf(wall, name, "first")).toBe(change);
          expect(edgeOf(wall, name, "last")).toBe(change);
        } else {
          expect(occurrences(wallOf(change, name), name)).toBe("twice");
          expect(edgeOf(wallOf(change, name), name, "last")).toBe(change);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("days tile time: each begins where the one before ends", () => {
    fc.assert(
      fc.property(zone, instant, (name, at) => {
        const { date } = wallOf(at, name);
        const begin = startOfDay(date, name);
        expect(startOfDay(addDays(date, 1), name)).toBeGreaterThan(begin);
        expect(wallOf(begin, name).date).toBe(date);
        expect(wallOf(begin - 1, name).date < date).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
