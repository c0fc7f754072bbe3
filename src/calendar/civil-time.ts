// The one place where wall time and instants meet (B15). Everything else in this room speaks plain data: epoch milliseconds,
// "YYYY-MM-DD", "HH:mm" and a zone name that `zone.ts` has checked. The polyfill hands out the native Temporal where there is one.
import { Temporal } from "temporal-polyfill";

/** A reading of the clock on the wall: a date and a time of day, in a zone that is named beside it. */
export interface WallTime {
  /** "YYYY-MM-DD". */
  readonly date: string;
  /** "HH:mm", "00:00" to "23:59". */
  readonly time: string;
}

/**
 * Which instant a wall time means when the clocks are changed: a wall time that occurs twice (fold) or never (gap).
 *
 * - `earlier`: the first of two; in a gap, as if the clocks had been changed already.
 * - `later`: the second of two; in a gap, as if the clocks had not been changed yet.
 * - `compatible`: `earlier` in a fold, `later` in a gap, as calendars do (RFC 5545).
 * - `reject`: throws a `RangeError` for both.
 */
export type Disambiguation = "earlier" | "later" | "compatible" | "reject";

/** The names of the days, Monday first. */
export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

export type Weekday = (typeof weekdays)[number];

/** The instant of a wall time, in milliseconds. `toInstant({ date: "2026-03-08", time: "02:30" }, "America/New_York", "later")` → 07:30Z. */
export function toInstant(wall: WallTime, zone: string, disambiguation: Disambiguation): number {
  return Temporal.PlainDateTime.from(`${wall.date}T${wall.time}`).toZonedDateTime(zone, { disambiguation })
    .epochMilliseconds;
}

/** What the clock on the wall shows at an instant; seconds are left out. */
export function wallOf(instant: number, zone: string): WallTime {
  // The instant's own offset, printed: ten times as fast as Temporal's own way through a PlainDateTime.
  const text = new Date(instant + zoned(instant, zone).offsetNanoseconds / 1_000_000).toISOString();
  return { date: text.slice(0, 10), time: text.slice(11, 16) };
}

/** The first instant of a date. Not always 00:00, and for a date that a zone skipped the first instant of the next one. */
export function startOfDay(date: string, zone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;
}

/** The date `days` later (earlier when negative) in the calendar. Dates are days apart whatever the clocks do: no zone is asked. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * day).toISOString().slice(0, 10);
}

export function weekdayOf(date: string): Weekday {
  return weekdays[(new Date(date).getUTCDay() + 6) % 7] ?? "monday";
}

/** Whether "YYYY-MM-DD" names a date that exists in the calendar (2026-02-30 does not). */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const midnight = Date.parse(text);
  return Number.isFinite(midnight) && new Date(midnight).toISOString().slice(0, 10) === text;
}

const day = 24 * 3_600_000;

/** The next instant after this one at which the zone's offset changes, or null when none is known. */
export function nextTransition(instant: number, zone: string): number | null {
  return zoned(instant, zone).getTimeZoneTransition("next")?.epochMilliseconds ?? null;
}

/** How far the wall clock is ahead of UTC at an instant, in minutes. */
export function offsetMinutes(instant: number, zone: string): number {
  return Math.round(zoned(instant, zone).offsetNanoseconds / 60_000_000_000);
}

/** Whether a wall time occurs once, twice (clocks set back) or never (clocks set forward, a skipped date). */
export function occurrences(wall: WallTime, zone: string): "once" | "twice" | "never" {
  const earlier = toInstant(wall, zone, "earlier");
  if (earlier === toInstant(wall, zone, "later")) return "once";
  return sameWall(wallOf(earlier, zone), wall) ? "twice" : "never";
}

/**
 * The first or the last instant of a wall time; for one that is skipped, the instant at which the clocks were set forward, which is
 * where the missing stretch would have been.
 */
export function edgeOf(wall: WallTime, zone: string, side: "first" | "last"): number {
  const earlier = toInstant(wall, zone, "earlier");
  const later = toInstant(wall, zone, "later");
  if (earlier === later) return earlier;
  if (sameWall(wallOf(earlier, zone), wall)) return side === "first" ? earlier : later;
  // In a gap "earlier" lies before the change and "later" after it.
  return nextTransition(earlier, zone) ?? later;
}

/** The same wall time some days later (earlier when negative); a skipped one is moved to the end of the gap, the first of two is taken. */
export function shiftDays(instant: number, days: number, zone: string): number {
  const wall = wallOf(instant, zone);
  const withinMinute = instant - Math.floor(instant / 60_000) * 60_000;
  const moved = { date: addDays(wall.date, days), time: wall.time };
  const first = edgeOf(moved, zone, "first");
  return days === 0 ? instant : first + (sameWall(wallOf(first, zone), moved) ? withinMinute : 0);
}

export function sameWall(left: WallTime, right: WallTime): boolean {
  return left.date === right.date && left.time === right.time;
}

/** The zone's name as the zone data spell it (`europe/berlin` → `Europe/Berlin`), or null when the data do not know it. */
export function spelledZone(name: string): string | null {
  try {
    return zoned(0, name).timeZoneId;
  } catch {
    return null;
  }
}

/** Milliseconds since 1970 of ISO 8601 text with an offset, or null for any other text. */
export function parseInstant(text: string): number | null {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return null;
  }
}

function zoned(instant: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
}
