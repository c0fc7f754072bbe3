import { describe, expect, test } from "vitest";
import { admit, june, utc } from "./admitting.ts";
import { daily, every, hours } from "./helpers.ts";

describe("notice and horizon", () => {
  const rules = { schedule: utc("09:00", "18:00"), grid: every(60) };

  test("R93: the notice holds on the claim, and says from when on", () => {
    const now = june("10:00");
    expect(admit("2026-06-11T10:00Z", 60, { ...rules, notice: { hours: 168 } }, now)).toEqual({
      reason: "too_soon",
      earliest: new Date("2026-06-17T10:00Z"),
    });
    expect(admit("2026-06-17T10:00Z", 60, { ...rules, notice: { hours: 168 } }, now)).toBeNull();
  });

  test("R94: a time that is past is past, whatever the notice", () => {
    const now = "2026-06-10T18:40:53Z";
    expect(admit(june("17:00"), 60, { ...rules, notice: { minutes: 120 } }, now)).toEqual({ reason: "in_past" });
    // At equality it has begun.
    expect(admit(june("17:00"), 60, rules, june("17:00"))).toEqual({ reason: "in_past" });
    expect(admit(june("17:00"), 60, rules, Date.parse(june("17:00")) - 1)).toBeNull();
  });

  test("24 hours and 1 day are an hour apart when the clocks are changed between", () => {
    const berlin = { schedule: daily("Europe/Berlin", hours("00:00", "24:00")), grid: every(30) };
    const now = "2026-03-28T11:00Z"; // 12:00; the next day is an hour short
    expect(admit("2026-03-29T10:00Z", 30, { ...berlin, notice: { days: 1 } }, now)).toBeNull();
    expect(admit("2026-03-29T10:00Z", 30, { ...berlin, notice: { hours: 24 } }, now)).toEqual({
      reason: "too_soon",
      earliest: new Date("2026-03-29T11:00Z"),
    });
    expect(admit("2026-03-29T09:30Z", 30, { ...berlin, notice: { days: 1 } }, now)).toMatchObject({
      reason: "too_soon",
    });
  });

  test("the horizon is whole dates of the place", () => {
    const auckland = { schedule: daily("Pacific/Auckland", hours("00:00", "24:00")), grid: every(60) };
    const now = "2026-06-09T21:00Z"; // 09:00 on the 10th
    const at = (start: string, horizon: { days: number } | { until: string }) =>
      admit(start, 60, { ...auckland, horizon }, now);
    expect(at("2026-06-11T11:00Z", { days: 1 })).toBeNull(); // 23:00 on the 11th
    expect(at("2026-06-11T12:00Z", { days: 1 })).toEqual({
      reason: "too_far",
      latest: new Date("2026-06-11T12:00Z"),
      latestDate: "2026-06-11",
    });
    expect(at("2026-06-10T11:00Z", { days: 0 })).toBeNull();
    expect(at("2026-06-10T12:00Z", { days: 0 })).toMatchObject({ reason: "too_far", latestDate: "2026-06-10" });
    expect(at("2026-06-11T11:00Z", { until: "2026-06-11" })).toBeNull();
    expect(at("2026-06-11T12:00Z", { until: "2026-06-11" })).toMatchObject({ reason: "too_far" });
  });
});
