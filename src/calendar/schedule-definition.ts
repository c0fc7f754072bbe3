import { z } from "zod";
import { type Weekday, weekdays } from "./civil-time.ts";
import { byDate, date, endTime, time, zone } from "./schema.ts";

/**
 * A stretch of a day by the clock on the wall. An end that is not after the start is on the next day: `18:00`–`02:00` runs over
 * midnight, and `00:00`–`24:00` is the whole day. It belongs to the date on which it starts.
 */
export interface Hours {
  /** "HH:mm". */
  readonly from: string;
  /** "HH:mm", or "24:00" for the end of the day. */
  readonly to: string;
}

/** Hours in which nothing is offered, whatever window they fall into, on the days named (every day when none are). */
export interface Break extends Hours {
  readonly days?: readonly Weekday[];
}

/** Dates without hours: one date, or a stretch of them with both ends. */
export type DayOff = string | { readonly from: string; readonly to: string };

/** When a place or a person can be booked, in the zone of the place. Plain data: it can be stored as JSON. */
export interface ScheduleDefinition {
  /** IANA name, such as "Asia/Yekaterinburg". */
  readonly zone: string;
  /** Windows per weekday; a day that is not named is closed. */
  readonly weekly: Readonly<Partial<Record<Weekday, readonly Hours[]>>>;
  readonly breaks?: readonly Break[];
  /** Hours of single dates, which replace the whole weekday, breaks included. No hours: closed. A date here wins over a stretch of days off. */
  readonly overrides?: Readonly<Record<string, readonly Hours[]>>;
  readonly daysOff?: readonly DayOff[];
}

const hours: z.ZodType<Hours> = z.strictObject({ from: time, to: endTime });
const windows: z.ZodType<Hours[]> = z.array(hours).max(48, "must be 48 windows at most").superRefine(refuseOverlaps);
const weekday: z.ZodType<Weekday> = z.enum(weekdays, `must be one of ${weekdays.join(", ")}`);

const dayOff: z.ZodType<DayOff> = z.union(
  [
    date,
    z
      .strictObject({ from: date, to: date })
      .refine(({ from, to }) => from <= to, { path: ["to"], message: "must not be before the first day" }),
  ],
  { error: 'must be a date as "YYYY-MM-DD", or { from, to } with two of them in order' },
);

export const scheduleDefinition: z.ZodType<ScheduleDefinition> = z
  .strictObject({
    zone,
    weekly: z.partialRecord(weekday, windows),
    breaks: z
      .array(z.strictObject({ from: time, to: endTime, days: z.array(weekday).min(1, "must name a day").optional() }))
      .max(200, "must be 200 breaks at most")
      .optional(),
    overrides: byDate(windows).optional(),
    daysOff: z.array(dayOff).max(5_000, "must be 5000 entries at most").optional(),
  })
  .superRefine(({ overrides, daysOff }, context) => {
    daysOff?.forEach((off, index) => {
      if (typeof off !== "string" || overrides?.[off] === undefined) return;
      context.addIssue({
        code: "custom",
        path: ["daysOff", index],
        message: `${off} has hours of its own in overrides`,
      });
    });
  })
  // Optional properties that are absent stay absent; zod's type says `undefined`, which the data never hold.
  .transform(withoutUndefined);

interface Parsed {
  readonly zone: string;
  readonly weekly: Readonly<Partial<Record<Weekday, readonly Hours[]>>>;
  readonly breaks?: readonly (Hours & { readonly days?: readonly Weekday[] | undefined })[] | undefined;
  readonly overrides?: Readonly<Record<string, readonly Hours[]>> | undefined;
  readonly daysOff?: readonly DayOff[] | undefined;
}

function withoutUndefined({ zone, weekly, breaks, overrides, daysOff }: Parsed): ScheduleDefinition {
  return {
    zone,
    weekly,
    ...(breaks && { breaks: breaks.map(({ days, ...rest }) => (days === undefined ? rest : { ...rest, days })) }),
    ...(overrides && { overrides }),
    ...(daysOff && { daysOff }),
  };
}

function refuseOverlaps(list: readonly Hours[], context: z.RefinementCtx): void {
  const spans = list.map(({ from, to }, index) => {
    const start = minutes(from);
    const end = minutes(to);
    return { index, start, end: end > start ? end : end + 24 * 60 };
  });
  spans.sort((left, right) => left.start - right.start);
  let longest = spans[0];
  for (const span of spans.slice(1)) {
    if (longest !== undefined && span.start < longest.end) {
      context.addIssue({
        code: "custom",
        path: [span.index],
        message: `overlaps the window at position ${longest.index}`,
      });
    }
    if (longest === undefined || span.end > longest.end) longest = span;
  }
}

function minutes(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
}
