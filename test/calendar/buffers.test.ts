import { describe, expect, test } from "vitest";
import { weeklyStarts } from "../../src/calendar/index.ts";
import { admit, busy, day, june, utc } from "./admitting.ts";
import { clock, every, starts } from "./helpers.ts";

describe("buffers and busy time", () => {
  test("R89: buffers of what is booked block before and after it, once", () => {
    // Booked 10 to 11 with an hour before and after: it claims 9 to 12.
    const rules = { schedule: utc("08:00", "13:00"), grid: every(60), busy: [busy("09:00", "12:00")] };
    expect(starts({ ...day, durationMinutes: 60 }, rules).map(clock)).toEqual(["08:00", "12:00"]);
  });

  test("R90: the claim keeps the buffer that the list keeps", () => {
    const rules = {
      schedule: utc("09:00", "20:00"),
      grid: null,
      busy: [busy("15:00", "15:15")],
      buffers: { beforeMinutes: 60 },
    };
    expect(admit(june("15:30"), 30, rules)).toEqual({ reason: "slot_taken", because: "buffer" });
    expect(admit(june("16:15"), 30, rules)).toBeNull();
    expect(admit(june("15:00"), 30, rules)).toEqual({ reason: "slot_taken", because: "busy" });
  });

  test("R91: buffers hold against other busy time", () => {
    const rules = {
      schedule: utc("09:00", "20:00"),
      grid: every(15),
      busy: [busy("16:00", "16:45")],
      buffers: { beforeMinutes: 30, afterMinutes: 30 },
    };
    const list = starts({ ...day, durationMinutes: 30 }, rules).map(clock);
    expect(["15:00", "15:30", "17:00", "17:15"].map((time) => list.includes(time))).toEqual([true, false, false, true]);
  });

  test("R101: buffers need no opening hours, services do", () => {
    const rules = {
      schedule: utc("12:50", "16:00"),
      grid: every(5),
      busy: [busy("12:50", "13:50")],
      buffers: { beforeMinutes: 15 },
    };
    const list = starts({ ...day, durationMinutes: 60 }, rules).map(clock);
    expect(list).toHaveLength(12);
    expect([list[0], list.at(-1)]).toEqual(["14:05", "15:00"]);
    // Opening at the minute the service starts, with nobody before.
    expect(admit(june("12:50"), 60, { ...rules, busy: [] })).toBeNull();
  });

  test("R103: the whole time must be free, not only the start; touching is free", () => {
    const free = (start: string, from: string, to: string) =>
      admit(june(start), 30, { schedule: utc("09:00", "18:00"), grid: null, busy: [busy(from, to)] });
    expect(free("12:30", "12:50", "13:20")).toEqual({ reason: "slot_taken", because: "busy" });
    expect(free("12:20", "12:50", "13:20")).toBeNull();
    expect(free("12:30", "12:40", "12:50")).toEqual({ reason: "slot_taken", because: "busy" });
    expect(free("12:30", "12:00", "12:30")).toBeNull();
  });

  test("R06: a weekly series says which of its dates cannot be had", () => {
    const rules = {
      schedule: utc("09:00", "18:00"),
      grid: every(60),
      busy: [{ start: "2026-12-14T09:30Z", end: "2026-12-14T10:30Z" }],
    };
    const series = weeklyStarts({ zone: "UTC", date: "2026-12-07", time: "10:00", times: 4 });
    expect(series.map(({ date }) => date)).toEqual(["2026-12-07", "2026-12-14", "2026-12-21", "2026-12-28"]);
    const refused = series.filter(({ start }) => admit(start.toISOString(), 60, rules) !== null);
    expect(refused.map(({ date }) => date)).toEqual(["2026-12-14"]);
  });
});
