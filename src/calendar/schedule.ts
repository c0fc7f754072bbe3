import { z } from "zod";
import { addDays, edgeOf, startOfDay, weekdayOf } from "./civil-time.ts";
import { type Interval, subtract } from "./interval.ts";
import { type Hours, type ScheduleDefinition, scheduleDefinition } from "./schedule-definition.ts";
import { parse } from "./schema.ts";

/** A checked schedule, made by {@link defineSchedule}. Its definition is what to store; make it once and keep it. */
export interface Schedule {
  readonly zone: string;
  readonly definition: ScheduleDefinition;
}

/** A continuous part of a window, between its breaks. */
export interface Opening extends Interval {
  /** The date on which its window starts, to which it belongs. */
  readonly date: string;
  /** When its window starts. */
  readonly windowStart: number;
}

/** What a date offers: the openings of its own windows, its breaks, and whether it is off altogether. */
interface Day {
  readonly off: boolean;
  readonly openings: readonly Opening[];
  readonly windows: readonly Interval[];
  readonly breaks: readonly Interval[];
}

/**
 * Checks a schedule and makes it ready for use.
 *
 * Throws {@link CalendarError} with every problem named: a zone that is an offset or unknown, a date or a time that does not exist,
 * windows of one day that overlap, a date that is both off and overridden, a key that means nothing.
 *
 * @example
 * ```ts
 * import { defineSchedule, type Schedule } from "bookonce/calendar";
 *
 * export const studio: Schedule = defineSchedule({
 *   zone: "Asia/Yekaterinburg",
 *   weekly: {
 *     tuesday: [{ from: "10:00", to: "19:00" }],
 *     saturday: [{ from: "10:00", to: "14:00" }, { from: "18:00", to: "02:00" }],
 *   },
 *   breaks: [{ from: "13:00", to: "14:00", days: ["tuesday"] }],
 *   overrides: { "2026-12-31": [{ from: "10:00", to: "15:00" }] },
 *   daysOff: ["2027-01-07", { from: "2027-01-01", to: "2027-01-03" }],
 * });
 * ```
 */
export function defineSchedule(definition: ScheduleDefinition): Schedule {
  const checked = deepFreeze(parse("defineSchedule", scheduleDefinition, definition));
  const schedule: Schedule = Object.freeze({ zone: checked.zone, definition: checked });
  days.set(schedule, new Map());
  return schedule;
}

export const schedule: z.ZodType<Schedule> = z.custom<Schedule>(
  (value) => typeof value === "object" && value !== null && days.has(value),
  "must be a schedule made by defineSchedule",
);

// What was worked out per schedule and date: the same answer for ever, so remembering it changes nothing but the time it takes.
const days = new WeakMap<object, Map<string, Day>>();
const rememberedDays = 1_000;

/** What `date` offers under a schedule. */
export function dayOf(schedule: Schedule, date: string): Day {
  const remembered = days.get(schedule);
  const known = remembered?.get(date);
  if (known !== undefined) return known;
  const day = workOut(schedule, date);
  if (remembered !== undefined && remembered.size >= rememberedDays) remembered.clear();
  remembered?.set(date, day);
  return day;
}

function workOut({ definition, zone }: Schedule, date: string): Day {
  const resolve = (list: readonly Hours[], on: string) =>
    exists(on, zone) ? list.map((hours) => resolveHours(hours, on, zone)) : [];
  const windows = resolve(windowsOf(definition, date), date);
  // A break may run over midnight into this date, and a window of this date over midnight into the next one's breaks.
  const breaks = [addDays(date, -1), date, addDays(date, 1)].flatMap((on) => resolve(breaksOf(definition, on), on));
  const openings = windows.flatMap((window) =>
    subtract(window, breaks).map((part) => ({ ...part, date, windowStart: window.start })),
  );
  return { off: windows.length === 0, openings, windows, breaks };
}

/** Whether a date has any time: a zone that moves over the date line skips one. */
function exists(date: string, zone: string): boolean {
  return startOfDay(date, zone) < startOfDay(addDays(date, 1), zone);
}

/**
 * Wall times to instants: a start in a gap, and an end in one, is the gap's later edge; in a fold, the first start and the last end.
 * An end at midnight is the start of the next day, which is the first midnight of two.
 */
function resolveHours({ from, to }: Hours, date: string, zone: string): Interval {
  const next = addDays(date, 1);
  const endsAtMidnight = to === "24:00" || to === "00:00";
  return {
    start: edgeOf({ date, time: from }, zone, "first"),
    end: endsAtMidnight ? startOfDay(next, zone) : edgeOf({ date: to > from ? date : next, time: to }, zone, "last"),
  };
}

function windowsOf(definition: ScheduleDefinition, date: string): readonly Hours[] {
  const override = definition.overrides?.[date];
  if (override !== undefined) return override;
  if (
    definition.daysOff?.some((off) => (typeof off === "string" ? off === date : off.from <= date && date <= off.to))
  ) {
    return [];
  }
  return definition.weekly[weekdayOf(date)] ?? [];
}

function breaksOf(definition: ScheduleDefinition, date: string): readonly Hours[] {
  if (definition.overrides?.[date] !== undefined) return [];
  const weekday = weekdayOf(date);
  return definition.breaks?.filter(({ days }) => days === undefined || days.includes(weekday)) ?? [];
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
