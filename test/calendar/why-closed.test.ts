import { describe, expect, test } from "vitest";
import { defineSchedule } from "../../src/calendar/index.ts";
import { admit, utc } from "./admitting.ts";
import { every, hours } from "./helpers.ts";

describe("why it is closed", () => {
  const schedule = defineSchedule({
    zone: "Asia/Tashkent",
    weekly: { wednesday: [hours("09:00", "18:00")], thursday: [hours("09:00", "18:00")] },
    breaks: [hours("13:00", "14:00")],
    daysOff: ["2026-06-11"],
  });
  const rules = { schedule, grid: every(30) };
  // Tashkent is five hours ahead all year.
  const local = (date: string, time: string) => `${date}T${time}+05:00`;
  const because = (date: string, time: string, minutes = 30) => {
    const refusal = admit(local(date, time), minutes, rules);
    return refusal?.reason === "closed" ? `${refusal.because} ${refusal.date}` : refusal;
  };

  test("outside hours, a day off, a break, past closing, off the grid", () => {
    expect(because("2026-06-10", "08:30")).toBe("outside_hours 2026-06-10");
    expect(because("2026-06-10", "18:00")).toBe("outside_hours 2026-06-10");
    expect(because("2026-06-10", "23:30")).toBe("outside_hours 2026-06-10");
    expect(because("2026-06-11", "10:00")).toBe("day_off 2026-06-11");
    expect(because("2026-06-12", "10:00")).toBe("day_off 2026-06-12");
    expect(because("2026-06-10", "13:30")).toBe("break 2026-06-10");
    expect(because("2026-06-10", "12:30", 60)).toBe("break 2026-06-10");
    expect(because("2026-06-10", "17:30", 60)).toBe("runs_past_closing 2026-06-10");
    expect(because("2026-06-10", "10:10")).toBe("off_grid 2026-06-10");
    expect(because("2026-06-10", "10:30")).toBeNull();
  });

  test("which calendar is closed, when several must be open", () => {
    const also = [utc("00:00", "24:00"), utc("06:00", "24:00")];
    expect(admit(local("2026-06-10", "10:00"), 30, { ...rules, also })).toMatchObject({
      because: "outside_hours",
      calendar: 2,
    });
    expect(admit(local("2026-06-10", "11:00"), 30, { ...rules, also })).toBeNull();
  });

  test("without a grid any minute will do", () => {
    expect(admit(local("2026-06-10", "10:07"), 30, { ...rules, grid: null })).toBeNull();
  });
});
