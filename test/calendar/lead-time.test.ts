import { describe, expect, test } from "vitest";
import {
  anchorOf,
  checkAnchor,
  type ReminderOffset,
  timeAfter,
  timeBefore,
  weeklyStarts,
} from "../../src/calendar/index.ts";
import { short } from "./helpers.ts";

describe("before and after, by the clock and by the calendar (B13)", () => {
  const remind = (start: string, offset: ReminderOffset, zone: string) => short(timeBefore(start, offset, zone));

  test("1 day before and 24 hours before differ by the change of the clocks", () => {
    expect(remind("2026-03-29T10:00Z", { days: 1 }, "Europe/Berlin")).toBe("03-28T11:00Z");
    expect(remind("2026-03-29T10:00Z", { hours: 24 }, "Europe/Berlin")).toBe("03-28T10:00Z");
    expect(remind("2026-10-25T11:00Z", { days: 1 }, "Europe/Berlin")).toBe("10-24T10:00Z");
    expect(remind("2026-10-25T11:00Z", { hours: 24 }, "Europe/Berlin")).toBe("10-24T11:00Z");
    expect(remind("2026-10-25T11:00Z", { minutes: 90 }, "Europe/Berlin")).toBe("10-25T09:30Z");
  });

  test("the evening before, at a time of day", () => {
    expect(remind("2026-07-10T05:00Z", { days: 1, at: "18:00" }, "Asia/Tashkent")).toBe("07-09T13:00Z");
    // 01:00 on the 10th in Tashkent is still the 9th in London: the date is the place's.
    expect(remind("2026-07-09T20:00Z", { days: 1, at: "18:00" }, "Asia/Tashkent")).toBe("07-09T13:00Z");
    expect(remind("2026-07-10T05:00Z", { days: 0, at: "08:00" }, "Asia/Tashkent")).toBe("07-10T03:00Z");
  });

  test("a wall time that was skipped or repeated the day before", () => {
    // 02:30 on the 30th; the clocks skip 02:30 on the 29th: 03:00.
    expect(remind("2026-03-30T00:30Z", { days: 1 }, "Europe/Berlin")).toBe("03-29T01:00Z");
    expect(remind("2026-10-26T01:30Z", { days: 1 }, "Europe/Berlin")).toBe("10-25T00:30Z");
    expect(remind("2026-10-25T01:30Z", { days: 0 }, "Europe/Berlin")).toBe("10-25T01:30Z");
    expect(remind("2012-01-01T00:00Z", { days: 2 }, "Pacific/Apia")).toBe("12-30T10:00Z");
  });

  test("seconds are kept", () => {
    expect(timeAfter("2026-03-28T11:00:12.345Z", { days: 1 }, "Europe/Berlin")).toEqual(
      new Date("2026-03-29T10:00:12.345Z"),
    );
  });

  test("R54: reminders count from the deadline that was announced, not from the end of the grace", () => {
    const zone = "Europe/Berlin";
    const announced = "2026-03-14T11:00Z"; // day 14, noon
    expect(timeBefore(announced, { days: 3 }, zone)).toEqual(new Date("2026-03-11T11:00Z"));
    // Thirty days later, day 44, the clocks have been changed: still noon.
    expect(timeAfter(announced, { days: 30 }, zone)).toEqual(new Date("2026-04-13T10:00Z"));
  });

  test("malformed offsets are refused", () => {
    const call =
      (offset: unknown, zone = "UTC") =>
      () =>
        timeBefore("2026-01-10T00:00Z", offset as ReminderOffset, zone);
    expect(call({ hours: 1, days: 1 })).toThrow(/offset: must be \{ minutes \}, \{ hours \} or \{ days \}/);
    expect(call({})).toThrow(/offset/);
    expect(call({ hours: -1 })).toThrow(/hours: must be a whole number/);
    expect(call({ days: 1, at: "24:00" })).toThrow(/offset: must be .* or \{ days, at: "HH:mm" \}/);
    expect(call({ days: 1 }, "+03:00")).toThrow(/zone: .*offset/);
  });
});

describe("C14: the rules of a zone change after a booking was made", () => {
  test("the wall time that was agreed is kept, and how far it moved is said", () => {
    // Almaty went from UTC+6 to UTC+5 on 2024-03-01; booked before that was known.
    const booked = { date: "2024-06-03", time: "10:00", zone: "Asia/Almaty", instant: "2024-06-03T04:00Z" };
    expect(checkAnchor(booked)).toEqual({ outcome: "moved", instant: new Date("2024-06-03T05:00Z"), byMinutes: 60 });
    expect(checkAnchor({ ...booked, instant: "2024-06-03T05:00Z" })).toEqual({ outcome: "same" });
    // Volgograd went from UTC+4 to UTC+3 on 2020-12-27. Seconds travel along.
    const evening = { date: "2021-01-04", time: "19:00", zone: "Europe/Volgograd", instant: "2021-01-04T15:00:30Z" };
    expect(checkAnchor(evening)).toEqual({
      outcome: "moved",
      instant: new Date("2021-01-04T16:00:30Z"),
      byMinutes: 60,
    });
  });

  test("both instants of a repeated wall time stand; of a moved one the nearer is meant", () => {
    const anchor = { date: "2026-10-25", time: "02:30", zone: "Europe/Berlin" };
    expect(checkAnchor({ ...anchor, instant: "2026-10-25T00:30Z" })).toEqual({ outcome: "same" });
    expect(checkAnchor({ ...anchor, instant: "2026-10-25T01:30Z" })).toEqual({ outcome: "same" });
    expect(checkAnchor({ ...anchor, instant: "2026-10-25T02:30Z" })).toMatchObject({
      instant: new Date("2026-10-25T01:30Z"),
    });
    expect(checkAnchor({ ...anchor, instant: "2026-10-24T23:30Z" })).toMatchObject({
      instant: new Date("2026-10-25T00:30Z"),
    });
  });

  test("a wall time that is now skipped needs a person", () => {
    const anchor = { date: "2026-03-29", time: "02:30", zone: "Europe/Berlin", instant: "2026-03-29T01:30Z" };
    expect(checkAnchor(anchor)).toEqual({ outcome: "skipped", instant: new Date("2026-03-29T01:00Z"), byMinutes: -30 });
  });

  test("what is stored with a booking", () => {
    const anchor = anchorOf("2026-07-10T10:00Z", "asia/yekaterinburg");
    expect(anchor).toEqual({
      date: "2026-07-10",
      time: "15:00",
      zone: "Asia/Yekaterinburg",
      instant: new Date("2026-07-10T10:00Z"),
    });
    expect(checkAnchor(anchor)).toEqual({ outcome: "same" });
    expect(() => checkAnchor({ ...anchor, time: "24:00" })).toThrow(/time: must be a time/);
  });
});

test("a weekly series says which of its times are skipped", () => {
  const series = weeklyStarts({ zone: "America/New_York", date: "2026-02-22", time: "02:30", times: 3, everyWeeks: 2 });
  expect(series).toEqual([
    { date: "2026-02-22", start: new Date("2026-02-22T07:30Z"), skipped: false },
    { date: "2026-03-08", start: new Date("2026-03-08T07:00Z"), skipped: true },
    { date: "2026-03-22", start: new Date("2026-03-22T06:30Z"), skipped: false },
  ]);
});
