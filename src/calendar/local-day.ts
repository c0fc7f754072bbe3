import { z } from "zod";
import { addDays, startOfDay, wallOf } from "./civil-time.ts";
import type { Interval } from "./interval.ts";
import { byDate, date, type InstantInput, instant, parse, whole, zone } from "./schema.ts";

/** A date in a zone, and the instants it is made of: 23, 23.5, 24 or 25 hours, or none for a date that was skipped. */
export interface LocalDay {
  /** "YYYY-MM-DD". */
  readonly date: string;
  readonly start: Date;
  /** Not part of the day. */
  readonly end: Date;
}

/** At most so many starts on one date of the place, in all (`resource`) or by the customer who asks (`customer`). */
export interface DayLimit {
  readonly of: "resource" | "customer";
  readonly most: number;
  /** How many there are already, by date ("YYYY-MM-DD", of the place). {@link countByDay} makes it. */
  readonly taken: Readonly<Record<string, number>>;
}

export const dayLimit: z.ZodType<DayLimit> = z.strictObject({
  of: z.enum(["resource", "customer"], "must be resource or customer"),
  most: whole("bookings", 0, 1_000_000),
  taken: byDate(whole("bookings", 0, 1_000_000)),
});

// Made once: a schema is compiled when it is first used.
const instantIn = z.strictObject({ at: instant, zone });
const dateIn = z.strictObject({ date, zone });
const startsIn = z.strictObject({ starts: z.array(instant), zone });

/**
 * The day that an instant belongs to in a zone: what a limit "per day" counts, and the range in which to look for the others.
 *
 * Days tile time: every instant is in exactly one. Where the clocks were set back over midnight, the repeated minutes before
 * midnight count for the new day. Throws {@link CalendarError} for a zone that is none.
 *
 * @example
 * ```ts
 * import { localDayOf } from "bookonce/calendar";
 *
 * // 2026-06-10 09:00 in Auckland, though still the 9th in London
 * export const day: string = localDayOf("2026-06-09T21:00:00Z", "Pacific/Auckland").date; // "2026-06-10"
 * ```
 */
export function localDayOf(at: InstantInput, zoneName: string): LocalDay {
  const input = parse("localDayOf", instantIn, { at, zone: zoneName });
  return shown(dayAround(input.at, input.zone));
}

/** The instants of a date in a zone. Throws {@link CalendarError} for a date or a zone that is none. */
export function localDay(day: string, zoneName: string): LocalDay {
  const input = parse("localDay", dateIn, { date: day, zone: zoneName });
  return shown(dayOn(input.date, input.zone));
}

/** How many of some starts fall on each date of a zone: what {@link DayLimit} wants to know. */
export function countByDay(starts: readonly InstantInput[], zoneName: string): Record<string, number> {
  const input = parse("countByDay", startsIn, { starts, zone: zoneName });
  const counts: Record<string, number> = {};
  for (const start of input.starts) {
    const day = dateOf(start, input.zone);
    counts[day] = (counts[day] ?? 0) + 1;
  }
  return counts;
}

interface Day extends Interval {
  readonly date: string;
}

function shown({ date, start, end }: Day): LocalDay {
  return { date, start: new Date(start), end: new Date(end) };
}

// The day that was asked for last, by zone: times are asked about in order, and most are on the same day as the one before.
const lastDays = new Map<string, Day>();
const rememberedZones = 100;

function dayAround(at: number, zoneName: string): Day {
  const last = lastDays.get(zoneName);
  // Days tile time: an instant that lies in one is in no other.
  if (last !== undefined && last.start <= at && at < last.end) return last;
  const day = dayOn(workOutDate(at, zoneName), zoneName);
  if (lastDays.size >= rememberedZones) lastDays.clear();
  lastDays.set(zoneName, day);
  return day;
}

function dayOn(onDate: string, zoneName: string): Day {
  return { date: onDate, start: startOfDay(onDate, zoneName), end: startOfDay(addDays(onDate, 1), zoneName) };
}

/** The date of the day that an instant belongs to. */
export function dateOf(at: number, zoneName: string): string {
  return dayAround(at, zoneName).date;
}

function workOutDate(at: number, zoneName: string): string {
  const onWall = wallOf(at, zoneName).date;
  const next = addDays(onWall, 1);
  return at < startOfDay(next, zoneName) ? onWall : next;
}
