import { z } from "zod";
import { addDays, edgeOf, occurrences } from "./civil-time.ts";
import { date, parse, time, whole, zone } from "./schema.ts";

export interface WeeklyStartsInput {
  readonly zone: string;
  /** The first date, "YYYY-MM-DD". */
  readonly date: string;
  /** "HH:mm", by the clock on the wall. */
  readonly time: string;
  readonly times: number;
  /** 1 if not said: every week. */
  readonly everyWeeks?: number;
}

/** One date of a series. */
export interface WeeklyStart {
  readonly date: string;
  readonly start: Date;
  /** The clocks skip this time on this date; `start` is the end of the gap. */
  readonly skipped: boolean;
}

const input = z.strictObject({
  zone,
  date,
  time,
  times: whole("times", 1, 520),
  everyWeeks: whole("weeks", 1, 52).optional(),
});

/**
 * The starts of a weekly series: the same time on the wall every week, whatever the clocks do in between. Of a time that occurs
 * twice the first is meant. Throws {@link CalendarError} for malformed arguments.
 *
 * @example
 * ```ts
 * import { weeklyStarts } from "bookonce/calendar";
 *
 * const series = weeklyStarts({ zone: "Europe/Paris", date: "2022-03-21", time: "15:00", times: 2 });
 * export const starts: string[] = series.map(({ start }) => start.toISOString()); // 14:00Z, then 13:00Z
 * ```
 */
export function weeklyStarts(given: WeeklyStartsInput): WeeklyStart[] {
  const { zone: zoneName, date: first, time: clock, times, everyWeeks = 1 } = parse("weeklyStarts", input, given);
  return Array.from({ length: times }, (_, index) => {
    const wall = { date: addDays(first, index * everyWeeks * 7), time: clock };
    return {
      date: wall.date,
      start: new Date(edgeOf(wall, zoneName, "first")),
      skipped: occurrences(wall, zoneName) === "never",
    };
  });
}
