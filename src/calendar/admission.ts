import { z } from "zod";
import { collision } from "./busy.ts";
import { type ClosedBecause, closedBecause } from "./closed.ts";
import { isOnGrid } from "./grid.ts";
import type { Interval } from "./interval.ts";
import { endOfHorizon, shift } from "./lead-time.ts";
import { type DayLimit, dateOf } from "./local-day.ts";
import { type View, viewOf } from "./openings.ts";
import { type AdmissionRules, type CheckedRules, ruleShape } from "./rules.ts";
import { type InstantInput, instant, milliseconds, minutesInAYear, parse } from "./schema.ts";

export interface AdmitTimeInput extends AdmissionRules {
  readonly start: InstantInput;
  /** Not part of the time. */
  readonly end: InstantInput;
  /** The clock of the operation: the database's, read after the locks. */
  readonly now: InstantInput;
}

/**
 * Why a time is not offered. The first that applies, in this order.
 *
 * - `in_past`: it has begun.
 * - `too_soon`: within the minimum notice; starts from `earliest` on can be booked.
 * - `too_far`: beyond the horizon; starts before `latest`, the end of `latestDate`, can be booked.
 * - `closed`: see {@link ClosedBecause}. `date` is the date of the place; `calendar` is 0 for `schedule`, and counts on through `also`.
 * - `limit_reached`: `date` has as many bookings as it may have.
 * - `slot_taken`: `busy`: something else is there; `buffer`: only the time kept free around it is in the way.
 */
export type TimeRefusal =
  | { readonly reason: "in_past" }
  | { readonly reason: "too_soon"; readonly earliest: Date }
  | { readonly reason: "too_far"; readonly latest: Date; readonly latestDate: string }
  | { readonly reason: "closed"; readonly because: ClosedBecause; readonly date: string; readonly calendar: number }
  | { readonly reason: "limit_reached"; readonly of: DayLimit["of"]; readonly limit: number; readonly date: string }
  | { readonly reason: "slot_taken"; readonly because: "busy" | "buffer" };

const input = z
  .strictObject({ ...ruleShape, start: instant, end: instant, now: instant })
  .refine(({ start, end }) => start < end, { path: ["end"], message: "must be after the start" })
  .refine(({ start, end }) => end - start <= minutesInAYear * milliseconds.minute, {
    path: ["end"],
    message: "must be a year after the start at most",
  });

/**
 * Whether a time may be booked: null, or why not. {@link listStarts} lists exactly the starts that this admits, so that what is
 * offered can be claimed, and what is not offered cannot, by a changed link either.
 *
 * It knows nothing of what was claimed since: two people may both be admitted, and the claim decides between them (B1).
 * Throws {@link CalendarError} for malformed arguments, every problem named.
 *
 * @example
 * ```ts
 * import { admitTime, type Schedule } from "bookonce/calendar";
 *
 * export function answer(schedule: Schedule, start: Date, end: Date, now: Date): string {
 *   const refusal = admitTime({ schedule, grid: { stepMinutes: 30, anchor: "window" }, notice: { hours: 2 }, start, end, now });
 *   if (refusal === null) return "ok";
 *   return refusal.reason === "too_soon" ? `not before ${refusal.earliest.toISOString()}` : refusal.reason;
 * }
 * ```
 */
export function admitTime(given: AdmitTimeInput): TimeRefusal | null {
  const { start, end, now, ...rules } = parse("admitTime", input, given);
  return judge({ start, end }, rules, boundsOf(now, rules), lookAt(rules, start, end));
}

/** All calendars of the rules around a range. */
export function lookAt(rules: CheckedRules, from: number, to: number): View[] {
  return [rules.schedule, ...(rules.also ?? [])].map((one) => viewOf(one, from, to));
}

/** What the clock allows: the same for all starts. */
export interface Bounds {
  readonly now: number;
  readonly earliest: number;
  readonly horizon: { readonly date: string; readonly end: number } | null;
}

export function boundsOf(now: number, { schedule, notice, horizon }: CheckedRules): Bounds {
  return {
    now,
    earliest: notice === undefined ? now : shift(now, notice, schedule.zone, 1),
    horizon: horizon === undefined ? null : endOfHorizon(now, horizon, schedule.zone),
  };
}

/** The one function that decides, for the list and for the claim. `views` cover the time. */
export function judge(time: Interval, rules: CheckedRules, bounds: Bounds, views: readonly View[]): TimeRefusal | null {
  return timing(time.start, bounds) ?? closed(time, rules, views) ?? limit(time.start, rules) ?? taken(time, rules);
}

function timing(start: number, { now, earliest, horizon }: Bounds): TimeRefusal | null {
  if (start <= now) return { reason: "in_past" };
  if (start < earliest) return { reason: "too_soon", earliest: new Date(earliest) };
  if (horizon === null || start < horizon.end) return null;
  return { reason: "too_far", latest: new Date(horizon.end), latestDate: horizon.date };
}

function closed(time: Interval, rules: CheckedRules, views: readonly View[]): TimeRefusal | null {
  const refuse = (because: ClosedBecause, calendar: number): TimeRefusal => ({
    reason: "closed",
    because,
    date: dateOf(time.start, rules.schedule.zone),
    calendar,
  });
  for (const [calendar, view] of views.entries()) {
    const because = closedBecause(time, view);
    if (because !== null) return refuse(because, calendar);
  }
  const place = views[0];
  if (rules.grid === null || place === undefined) return null;
  return isOnGrid(place.openings, rules.grid, rules.schedule.zone, time.start) ? null : refuse("off_grid", 0);
}

function limit(start: number, { schedule, limits = [] }: CheckedRules): TimeRefusal | null {
  if (limits.length === 0) return null;
  const date = dateOf(start, schedule.zone);
  const full = limits.find(({ most, taken }) => (taken[date] ?? 0) >= most);
  return full === undefined ? null : { reason: "limit_reached", of: full.of, limit: full.most, date };
}

function taken(time: Interval, { busy = [], buffers }: CheckedRules): TimeRefusal | null {
  const because = collision(time, buffers, busy);
  return because === null ? null : { reason: "slot_taken", because };
}
