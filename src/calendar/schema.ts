import { z } from "zod";
import { isDate, parseInstant } from "./civil-time.ts";
import { CalendarError } from "./error.ts";
import { readZone } from "./zone.ts";

/** An instant as callers give it: a `Date`, epoch milliseconds, or ISO 8601 text with an offset ("2026-03-08T07:30:00Z"). */
export type InstantInput = Date | number | string;

/** A half-open stretch between two instants, as callers give it. */
export interface TimeRangeInput {
  readonly start: InstantInput;
  readonly end: InstantInput;
}

/** Checks an argument and names every problem. `what` is the function that was called. */
export function parse<Schema extends z.ZodType>(what: string, schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => ({ path: path.join(".") || "input", message }));
  throw new CalendarError("invalid_input", what, problems);
}

const instantProblem = "must be a Date, epoch milliseconds or ISO 8601 text with an offset";
const earliest = Date.UTC(1970, 0, 2);
const latest = Date.UTC(9998, 0, 1);

export const instant: z.ZodType<number> = z
  .union([z.date(instantProblem), z.int(instantProblem), z.string()], { error: instantProblem })
  .transform((value, context) => {
    const milliseconds = typeof value === "string" ? parseInstant(value) : Number(value);
    if (milliseconds !== null) return milliseconds;
    context.addIssue({ code: "custom", message: instantProblem });
    return z.NEVER;
  })
  .refine((value) => value >= earliest && value < latest, "must lie between the years 1970 and 9998");

export const timeRange: z.ZodType<{ start: number; end: number }> = z
  .strictObject({ start: instant, end: instant })
  .refine(({ start, end }) => start < end, { path: ["end"], message: "must be after the start" });

/** An IANA zone, spelt as the zone data spell it. Missing zone data is a fault of the runtime, and is thrown as such. */
export const zone: z.ZodType<string> = z
  .string('must be the IANA name of a time zone, such as "Asia/Tashkent"')
  .transform((name, context) => {
    const reading = readZone(name);
    if ("zone" in reading) return reading.zone;
    if (reading.refused === "missing_zone_data") {
      throw new CalendarError("missing_zone_data", "time zone", [{ path: "zone", message: reading.message }]);
    }
    context.addIssue({ code: "custom", message: reading.message });
    return z.NEVER;
  });

const dateProblem = 'must be a date that exists, as "YYYY-MM-DD"';

export const date: z.ZodType<string> = z
  .string(dateProblem)
  .refine((text) => isDate(text) && text >= "1970-01-02" && text < "9998", dateProblem);

/** Values by date. */
export function byDate<Value>(values: z.ZodType<Value>): z.ZodType<Record<string, Value>> {
  return z.record(date, values, { error: (issue) => (issue.code === "invalid_key" ? dateProblem : undefined) });
}

/** A time of day at which something starts. */
export const time: z.ZodType<string> = clock(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time as "HH:mm", 00:00 to 23:59');

/** A time of day at which something ends: as {@link time}, or "24:00". */
export const endTime: z.ZodType<string> = clock(
  /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/,
  'must be a time as "HH:mm", 00:00 to 24:00',
);

function clock(pattern: RegExp, problem: string): z.ZodType<string> {
  // Aborting: what compares two times is not asked about one that is none.
  return z.string(problem).regex(pattern, { error: problem, abort: true });
}

/** A whole number of some unit, within bounds. */
export function whole(unit: string, least: number, most: number): z.ZodType<number> {
  const problem = `must be a whole number of ${unit}, ${least} to ${most}`;
  return z.int(problem).min(least, problem).max(most, problem);
}

export const minutesInAYear: number = 366 * 24 * 60;
export const milliseconds: { readonly minute: number; readonly hour: number } = { minute: 60_000, hour: 3_600_000 };
