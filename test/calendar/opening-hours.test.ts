import { describe, expect, test } from "vitest";
import { defineSchedule } from "../../src/calendar/index.ts";
import { admit, busy, day, june, utc } from "./admitting.ts";
import { clock, daily, every, hours, starts } from "./helpers.ts";

describe("the day's hours", () => {
  test("R82: every listed slot is admitted", () => {
    const rules = { schedule: daily("Europe/Berlin", hours("09:00", "18:00")), grid: every(30) };
    const list = starts({ from: "2025-09-10T00:00Z", to: "2025-09-11T00:00Z", durationMinutes: 30 }, rules);
    expect(list).toHaveLength(18);
    expect([list[0], list.at(-1)]).toEqual(["09-10T07:00Z", "09-10T15:30Z"]);
    for (const start of list) expect(admit(`2025-${start}`, 30, rules)).toBeNull();
  });

  test("R96: a Saturday night reaches into a Sunday that is closed, and no further than it lasts", () => {
    const schedule = defineSchedule({ zone: "UTC", weekly: { saturday: [hours("18:00", "02:00")] } });
    const rules = { schedule, grid: every(30) };
    const list = starts({ from: "2026-06-07T00:00Z", to: "2026-06-08T00:00Z", durationMinutes: 90 }, rules);
    expect(list).toEqual(["06-07T00:00Z", "06-07T00:30Z"]);
    expect(admit("2026-06-07T00:30Z", 90, rules)).toBeNull();
    expect(admit("2026-06-07T01:00Z", 90, rules)).toEqual({
      reason: "closed",
      because: "runs_past_closing",
      date: "2026-06-07",
      calendar: 0,
    });
  });

  test("R97: the day ends at 24:00; a day that ends at 23:59 has a slot less", () => {
    const count = (to: string) =>
      starts({ ...day, durationMinutes: 30 }, { schedule: utc("00:00", to), grid: every(30) });
    expect(count("24:00")).toHaveLength(48);
    expect(count("24:00").at(-1)).toBe("06-10T23:30Z");
    // Not listed by the next day's window either: 23:59 to 00:00 is closed.
    expect(count("23:59")).toHaveLength(47);
  });

  test("R98: the last slot ends before closing", () => {
    const list = starts({ ...day, durationMinutes: 20 }, { schedule: utc("09:00", "16:45"), grid: every(20) });
    expect(list.at(-1)).toBe("06-10T16:20Z");
  });

  test("R99: the last slot is not lost", () => {
    const list = starts({ ...day, durationMinutes: 30 }, { schedule: utc("08:00", "18:30"), grid: every(30) });
    expect(list).toHaveLength(21);
    expect(list.at(-1)).toBe("06-10T18:00Z");
  });

  test("R105: a window exactly as long as the service is offered", () => {
    const one = (from: string, to: string, minutes: number) =>
      starts({ ...day, durationMinutes: minutes }, { schedule: utc(from, to), grid: every(minutes) }).map(clock);
    expect(one("14:00", "15:00", 60)).toEqual(["14:00"]);
    expect(one("09:00", "17:00", 480)).toEqual(["09:00"]);
  });

  test("R108: a window of one service starts at its start; an earlier booking's buffer does not shift the grid", () => {
    const rules = { schedule: utc("20:00", "21:00"), grid: every(60), busy: [busy("18:45", "20:00")] };
    expect(starts({ ...day, durationMinutes: 60 }, rules).map(clock)).toEqual(["20:00"]);
    expect(admit(june("20:45"), 15, rules)).toMatchObject({ reason: "closed", because: "off_grid" });
  });
});
