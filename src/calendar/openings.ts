import { z } from "zod";
import { addDays, wallOf } from "./civil-time.ts";
import { type Interval, intersect, merge } from "./interval.ts";
import { dayOf, type Opening, type Schedule, schedule } from "./schedule.ts";
import { type InstantInput, instant, milliseconds, parse } from "./schema.ts";

/** A half-open stretch between two instants. */
export interface TimeRange {
  readonly start: Date;
  readonly end: Date;
}

/** What to look at, and where. */
export interface OpenTimesInput {
  readonly schedule: Schedule;
  /** Other calendars that must be open too, in any zone. */
  readonly also?: readonly Schedule[];
  readonly from: InstantInput;
  readonly to: InstantInput;
}

const input = z
  .strictObject({ schedule, also: z.array(schedule).optional(), from: instant, to: instant })
  .refine(({ from, to }) => from < to, { path: ["to"], message: "must be after the start" })
  .refine(({ from, to }) => to - from <= longestRange, {
    path: ["to"],
    message: "must be 400 days after the start at most",
  });

/** The longest stretch that is looked at in one call, in milliseconds. */
export const longestRange: number = 400 * 24 * milliseconds.hour;

/**
 * When a schedule is open between two instants: in order, cut to the range, with touching windows made one. With `also`, when all of
 * them are open. Throws {@link CalendarError} for malformed arguments.
 *
 * @example
 * ```ts
 * import { openTimes, type Schedule } from "bookonce/calendar";
 *
 * export function openMinutes(schedule: Schedule, from: Date, to: Date): number {
 *   return openTimes({ schedule, from, to }).reduce((sum, { start, end }) => sum + (end.getTime() - start.getTime()) / 60_000, 0);
 * }
 * ```
 */
export function openTimes(given: OpenTimesInput): TimeRange[] {
  const { schedule: first, also = [], from, to } = parse("openTimes", input, given);
  const range = [{ start: from, end: to }];
  const open = [first, ...also].reduce((left, one) => intersect(left, viewOf(one, from, to).open), range);
  return open.map(({ start, end }) => ({ start: new Date(start), end: new Date(end) }));
}

/** A schedule around a range of instants: looked at once, asked many times. */
export interface View {
  readonly schedule: Schedule;
  readonly openings: readonly Opening[];
  /** The openings with what touches or overlaps made one; not cut to the range. */
  readonly open: readonly Interval[];
}

/** Everything of a schedule that overlaps a range. */
export function viewOf(schedule: Schedule, from: number, to: number): View {
  const openings = datesAround(from, to, schedule.zone)
    .flatMap((date) => dayOf(schedule, date).openings)
    .filter((opening) => opening.start < to && from < opening.end);
  return { schedule, openings, open: merge(openings) };
}

/** Every date whose windows can reach into a range: one of the day before may run over midnight. A date too many does no harm. */
export function datesAround(from: number, to: number, zone: string): string[] {
  const first = addDays(wallOf(from, zone).date, -1);
  const days = Math.ceil((to - from) / (24 * milliseconds.hour)) + 3;
  return Array.from({ length: days }, (_, index) => addDays(first, index));
}
