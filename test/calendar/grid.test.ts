import { describe, expect, test } from "vitest";
import { defineSchedule } from "../../src/calendar/index.ts";
import { day, june } from "./admitting.ts";
import { clock, dailyDefinition, every, hours, starts } from "./helpers.ts";

describe("where the grid begins", () => {
  const schedule = defineSchedule({
    ...dailyDefinition("UTC", hours("09:15", "18:00")),
    breaks: [hours("13:00", "14:00")],
  });
  const list = (anchor: "window" | "opening" | "midnight") =>
    starts({ ...day, durationMinutes: 60 }, { schedule, grid: every(60, anchor) }).map(clock);

  test("at the window, at each opening, or at midnight", () => {
    expect(list("window")).toEqual(["09:15", "10:15", "11:15", "14:15", "15:15", "16:15"]);
    expect(list("opening")).toEqual(["09:15", "10:15", "11:15", "14:00", "15:00", "16:00", "17:00"]);
    expect(list("midnight")).toEqual(["10:00", "11:00", "12:00", "14:00", "15:00", "16:00", "17:00"]);
  });

  test("a range that begins between two starts does not shift it", () => {
    const range = { from: june("10:20"), to: june("12:00"), durationMinutes: 60 };
    expect(starts(range, { schedule, grid: every(60) }).map(clock)).toEqual(["11:15"]);
  });

  test("where windows of two dates overlap, a start is listed once", () => {
    const night = defineSchedule({
      zone: "UTC",
      weekly: { tuesday: [hours("20:00", "12:00")], wednesday: [hours("09:00", "13:00")] },
    });
    const list = starts(
      { from: june("08:00"), to: june("14:00"), durationMinutes: 60 },
      { schedule: night, grid: every(60) },
    );
    expect(list.map(clock)).toEqual(["08:00", "09:00", "10:00", "11:00", "12:00"]);
  });
});
