import { describe, expect, test } from "vitest";
import {
  type AdmissionRules,
  admitTime,
  countByDay,
  defineSchedule,
  type InstantInput,
  listStarts,
  localDay,
  localDayOf,
  type TimeRefusal,
  weeklyStarts,
} from "../../src/calendar/index.ts";
import { clock, daily, dailyDefinition, every, hours, short, starts } from "./helpers.ts";

const longAgo = "1970-01-03T00:00Z";

/** Whether a start is admitted, or why not. */
function admit(
  start: string,
  durationMinutes: number,
  rules: AdmissionRules,
  now: InstantInput = longAgo,
): TimeRefusal | null {
  const end = Date.parse(start) + durationMinutes * 60_000;
  return admitTime({ ...rules, start, end, now });
}

const june = (time: string): string => `2026-06-10T${time}Z`;
const day = { from: june("00:00"), to: "2026-06-11T00:00Z" };
const utc = (from: string, to: string) => daily("UTC", hours(from, to));
const busy = (from: string, to: string) => ({ start: june(from), end: june(to) });

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
