import { z } from "zod";
import { addDays, edgeOf, shiftDays, startOfDay, wallOf } from "./civil-time.ts";
import { date, type InstantInput, instant, milliseconds, minutesInAYear, parse, time, whole, zone } from "./schema.ts";

/**
 * A length of time before or after an instant. Hours and minutes are elapsed time; days are days of the calendar, so that the wall
 * clock shows the same time. Over a change of the clocks "24 hours" and "1 day" are an hour apart (B13).
 */
export type LeadTime = { readonly minutes: number } | { readonly hours: number } | { readonly days: number };

/** When to remind: a {@link LeadTime} before the start, or at a time of day some days before ("the day before at 18:00"). */
export type ReminderOffset = LeadTime | { readonly days: number; readonly at: string };

/** How far ahead can be booked: whole dates, in the zone of the schedule. */
export type Horizon =
  /** So many dates after today, the last one to its end. */
  | { readonly days: number }
  /** Through the end of this date. */
  | { readonly until: string };

const minutes = z.strictObject({ minutes: whole("minutes", 0, minutesInAYear) });
const hours = z.strictObject({ hours: whole("hours", 0, minutesInAYear / 60) });
const days = z.strictObject({ days: whole("days", 0, 366) });
const daysAt = z.strictObject({ days: whole("days", 0, 366), at: time.optional() });
const leadTimeProblem = "must be { minutes }, { hours } or { days }, a whole number of one of them";

export const leadTime: z.ZodType<LeadTime> = z.union([minutes, hours, days], { error: leadTimeProblem });
const reminderOffset = z.union([minutes, hours, daysAt], {
  error: `${leadTimeProblem}, or { days, at: "HH:mm" }`,
});

export const horizon: z.ZodType<Horizon> = z.union(
  [z.strictObject({ days: whole("days", 0, 3_660) }), z.strictObject({ until: date })],
  { error: 'must be { days }, a whole number, or { until: "YYYY-MM-DD" }' },
);

/**
 * The instant that lies a reminder's offset before another, in the zone whose wall clock counts.
 *
 * A wall time that the clocks skip that day is moved to the end of the gap; of one that occurs twice, the first is meant. Throws
 * {@link CalendarError} for malformed arguments.
 *
 * @example
 * ```ts
 * import { timeBefore } from "bookonce/calendar";
 *
 * const start = "2026-03-29T10:00:00Z"; // 12:00 in Berlin, on the day of the change
 * export const dayBefore: Date = timeBefore(start, { days: 1 }, "Europe/Berlin"); // 12:00 on Saturday, 23 hours before
 * export const hoursBefore: Date = timeBefore(start, { hours: 24 }, "Europe/Berlin"); // 11:00 on Saturday
 * export const evening: Date = timeBefore(start, { days: 1, at: "18:00" }, "Europe/Berlin"); // 18:00 on Saturday
 * ```
 */
export function timeBefore(start: InstantInput, offset: ReminderOffset, zoneName: string): Date {
  return moved("timeBefore", start, offset, zoneName, -1);
}

/** As {@link timeBefore}, the other way: `timeAfter(deadline, { days: 30 }, zone)` is the end of a grace of thirty calendar days. */
export function timeAfter(start: InstantInput, offset: ReminderOffset, zoneName: string): Date {
  return moved("timeAfter", start, offset, zoneName, 1);
}

const shiftInput = z.strictObject({ start: instant, offset: reminderOffset, zone });

function moved(what: string, start: InstantInput, offset: ReminderOffset, zoneName: string, direction: 1 | -1): Date {
  const { start: from, offset: by, zone: name } = parse(what, shiftInput, { start, offset, zone: zoneName });
  if ("days" in by && by.at !== undefined) {
    const on = addDays(wallOf(from, name).date, direction * by.days);
    return new Date(edgeOf({ date: on, time: by.at }, name, "first"));
  }
  return new Date(shift(from, by, name, direction));
}

/** An instant moved by a lead time: forwards with 1, backwards with -1. */
export function shift(from: number, by: LeadTime, zoneName: string, direction: 1 | -1): number {
  if ("minutes" in by) return from + direction * by.minutes * milliseconds.minute;
  if ("hours" in by) return from + direction * by.hours * milliseconds.hour;
  return shiftDays(from, direction * by.days, zoneName);
}

/** The last date that can be booked, and the instant at which it is over. */
export function endOfHorizon(now: number, limit: Horizon, zoneName: string): { date: string; end: number } {
  const last = "until" in limit ? limit.until : addDays(wallOf(now, zoneName).date, limit.days);
  return { date: last, end: startOfDay(addDays(last, 1), zoneName) };
}
