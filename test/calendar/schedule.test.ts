import { describe, expect, test } from "vitest";
import {
  defineSchedule,
  isCalendarError,
  openTimes,
  type Schedule,
  type ScheduleDefinition,
} from "../../src/calendar/index.ts";
import { allDays, daily, dailyDefinition, hours, short } from "./helpers.ts";

/** Open times of a range of dates in UTC, as "MM-DDTHH:mmZ/MM-DDTHH:mmZ". */
function open(schedule: Schedule, from: string, to: string): string[] {
  return openTimes({ schedule, from: `${from}T00:00Z`, to: `${to}T00:00Z` }).map(
    ({ start, end }) => `${short(start)}/${short(end)}`,
  );
}

function problems(definition: unknown): string[] {
  try {
    defineSchedule(definition as ScheduleDefinition);
    return [];
  } catch (error) {
    if (!isCalendarError(error)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
}

describe("what a date offers", () => {
  test("weekly hours, several windows a day, closed when not named", () => {
    const studio = defineSchedule({
      zone: "UTC",
      weekly: { monday: [hours("14:00", "18:00"), hours("09:00", "12:00")], wednesday: [hours("10:00", "11:00")] },
    });
    expect(open(studio, "2026-06-01", "2026-06-08")).toEqual([
      "06-01T09:00Z/06-01T12:00Z",
      "06-01T14:00Z/06-01T18:00Z",
      "06-03T10:00Z/06-03T11:00Z",
    ]);
  });

  test("windows over midnight belong to the date they start on; touching windows are one", () => {
    const bar = defineSchedule({
      zone: "UTC",
      weekly: { saturday: [hours("18:00", "02:00")], sunday: [hours("02:00", "03:00")] },
    });
    expect(open(bar, "2026-06-06", "2026-06-09")).toEqual(["06-06T18:00Z/06-07T03:00Z"]);
    // Sunday off does not cut the night before short.
    const closed = defineSchedule({ ...bar.definition, daysOff: ["2026-06-07"] });
    expect(open(closed, "2026-06-06", "2026-06-09")).toEqual(["06-06T18:00Z/06-07T02:00Z"]);
  });

  test("an end equal to the start is the next day; 24:00 and 00:00 end the day", () => {
    expect(open(daily("UTC", hours("09:00", "09:00")), "2026-06-01", "2026-06-02")).toEqual([
      "06-01T00:00Z/06-02T00:00Z",
    ]);
    const ends = ["24:00", "00:00"].map((end) =>
      open(defineSchedule({ zone: "UTC", weekly: { monday: [hours("20:00", end)] } }), "2026-06-01", "2026-06-03"),
    );
    expect(ends).toEqual([["06-01T20:00Z/06-02T00:00Z"], ["06-01T20:00Z/06-02T00:00Z"]]);
  });

  test("breaks are cut out, over midnight too, on the days they name", () => {
    const clinic = defineSchedule({
      ...dailyDefinition("UTC", hours("08:00", "02:00")),
      breaks: [hours("13:00", "14:00"), { ...hours("23:30", "00:30"), days: ["monday"] }],
    });
    expect(open(clinic, "2026-06-01", "2026-06-03")).toEqual([
      "06-01T00:00Z/06-01T02:00Z",
      "06-01T08:00Z/06-01T13:00Z",
      "06-01T14:00Z/06-01T23:30Z",
      "06-02T00:30Z/06-02T02:00Z",
      "06-02T08:00Z/06-02T13:00Z",
      "06-02T14:00Z/06-03T00:00Z",
    ]);
  });

  test("an override replaces the day with its breaks; a day off has no hours; an override wins over a stretch of days off", () => {
    const studio = defineSchedule({
      ...dailyDefinition("UTC", hours("09:00", "18:00")),
      breaks: [hours("13:00", "14:00")],
      overrides: { "2026-06-02": [hours("12:00", "15:00")], "2026-06-04": [], "2026-06-07": [hours("10:00", "11:00")] },
      daysOff: ["2026-06-03", { from: "2026-06-05", to: "2026-06-08" }],
    });
    expect(open(studio, "2026-06-01", "2026-06-10")).toEqual([
      "06-01T09:00Z/06-01T13:00Z",
      "06-01T14:00Z/06-01T18:00Z",
      "06-02T12:00Z/06-02T15:00Z",
      "06-07T10:00Z/06-07T11:00Z",
      "06-09T09:00Z/06-09T13:00Z",
      "06-09T14:00Z/06-09T18:00Z",
    ]);
  });

  test("open times are cut to the range", () => {
    const range = { from: "2026-06-01T10:00Z", to: "2026-06-01T11:00Z" };
    expect(
      openTimes({ schedule: daily("UTC", hours("09:00", "18:00")), ...range }).map(({ start, end }) => [start, end]),
    ).toEqual([[new Date(range.from), new Date(range.to)]]);
  });
});

describe("validation", () => {
  test("every problem is named, with its place", () => {
    const bad = {
      zone: "+05:00",
      weekly: {
        monday: [
          { from: "9:00", to: "18:00" },
          { from: "24:00", to: "25:00" },
        ],
        funday: [],
      },
      breaks: [{ from: "12:00", to: "13:00", days: ["mon"] }],
      overrides: { "2026-02-30": [] },
      daysOff: [{ from: "2026-02-02", to: "2026-02-01" }, "tomorrow"],
      breakz: [],
    };
    expect(problems(bad)).toEqual([
      expect.stringMatching(/^zone: .*offset/),
      expect.stringMatching(/^weekly\.monday\.0\.from: .*00:00 to 23:59/),
      expect.stringMatching(/^weekly\.monday\.1\.from: /),
      expect.stringMatching(/^weekly\.monday\.1\.to: .*24:00/),
      expect.stringMatching(/^weekly: .*funday/),
      expect.stringMatching(/^breaks\.0\.days\.0: must be one of monday/),
      expect.stringMatching(/^overrides\.2026-02-30: must be a date that exists/),
      expect.stringMatching(/^daysOff\.0/),
      expect.stringMatching(/^daysOff\.1: must be a date/),
      expect.stringMatching(/^input: .*breakz/),
    ]);
  });

  test("windows of one day that overlap", () => {
    const overlap = (...windows: unknown[]) => problems({ zone: "UTC", weekly: { friday: windows } });
    expect(overlap(hours("09:00", "18:00"), hours("10:00", "11:00"), hours("17:00", "19:00"))).toEqual([
      "weekly.friday.1: overlaps the window at position 0",
      "weekly.friday.2: overlaps the window at position 0",
    ]);
    expect(overlap(hours("22:00", "23:00"), hours("18:00", "02:00"))).toEqual([
      "weekly.friday.0: overlaps the window at position 1",
    ]);
    expect(overlap(hours("13:00", "18:00"), hours("09:00", "13:00"))).toEqual([]);
  });

  test("a date both off and overridden", () => {
    expect(problems({ zone: "UTC", weekly: {}, overrides: { "2026-06-01": [] }, daysOff: ["2026-06-01"] })).toEqual([
      "daysOff.0: 2026-06-01 has hours of its own in overrides",
    ]);
  });

  test.each([null, undefined, 5, "UTC", [], {}, { zone: 5, weekly: 5 }, { zone: "UTC" }])(
    "%j is no schedule",
    (value) => {
      expect(problems(value).length).toBeGreaterThan(0);
    },
  );

  test("a schedule that was not defined is refused, and ranges are bounded", () => {
    const fake = { zone: "UTC", definition: dailyDefinition("UTC") };
    const call = (schedule: Schedule, to: string) => () => openTimes({ schedule, from: "2026-01-01T00:00Z", to });
    expect(call(fake, "2026-02-01T00:00Z")).toThrow(/schedule: must be a schedule made by defineSchedule/);
    expect(call(daily("UTC"), "2027-03-01T00:00Z")).toThrow(/to: must be 400 days/);
    expect(call(daily("UTC"), "2026-01-01T00:00Z")).toThrow(/to: must be after the start/);
    expect(call(daily("UTC"), "2026-02-01T00:00")).toThrow(
      /to: must be a Date, epoch milliseconds or ISO 8601 text with an offset/,
    );
  });
});

test("a definition is plain data: stored as JSON, it makes the same schedule; it cannot be changed afterwards", () => {
  const definition: ScheduleDefinition = {
    zone: "asia/tashkent",
    weekly: Object.fromEntries(allDays.map((day) => [day, [hours("09:00", "18:00")]])),
    breaks: [{ ...hours("13:00", "14:00"), days: ["monday"] }],
    overrides: { "2026-06-01": [] },
    daysOff: ["2026-06-02"],
  };
  const schedule = defineSchedule(definition);
  expect(schedule.definition).toEqual({ ...definition, zone: "Asia/Tashkent" });
  const again = defineSchedule(JSON.parse(JSON.stringify(schedule.definition)));
  expect(again.definition).toEqual(schedule.definition);
  expect(open(again, "2026-05-25", "2026-06-10")).toEqual(open(schedule, "2026-05-25", "2026-06-10"));
  expect(Object.isFrozen(schedule.definition.weekly.monday)).toBe(true);
});
