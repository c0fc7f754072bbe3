import { z } from "zod";
import { type Buffers, buffers, type ParsedBuffers } from "./busy.ts";
import { type Grid, grid } from "./grid.ts";
import type { Interval } from "./interval.ts";
import { type Horizon, horizon, type LeadTime, leadTime } from "./lead-time.ts";
import { type DayLimit, dayLimit } from "./local-day.ts";
import { type Schedule, schedule } from "./schedule.ts";
import { type TimeRangeInput, timeRange } from "./schema.ts";

/** What decides whether a time is offered. The list and the claim are given the same rules (B16). */
export interface AdmissionRules {
  /** The calendar of the place. Its zone is the one in which dates, days and limits are counted. */
  readonly schedule: Schedule;
  /** Other calendars that must be open for the whole time too: a person's, a room's. Any zone; they do not shape the grid. */
  readonly also?: readonly Schedule[];
  /** Null: any start. */
  readonly grid: Grid | null;
  /** How long before the start one must book. */
  readonly notice?: LeadTime;
  /** How far ahead one may book. */
  readonly horizon?: Horizon;
  readonly limits?: readonly DayLimit[];
  /** Time that is taken, with the buffers of what takes it. */
  readonly busy?: readonly TimeRangeInput[];
  /** Buffers of what is to be booked. */
  readonly buffers?: Buffers;
}

/** {@link AdmissionRules} after checking. */
export interface CheckedRules {
  readonly schedule: Schedule;
  readonly also?: readonly Schedule[] | undefined;
  readonly grid: Grid | null;
  readonly notice?: LeadTime | undefined;
  readonly horizon?: Horizon | undefined;
  readonly limits?: readonly DayLimit[] | undefined;
  readonly busy?: readonly Interval[] | undefined;
  readonly buffers?: ParsedBuffers | undefined;
}

type Optional<Value> = z.ZodOptional<z.ZodType<Value>>;

interface RuleShape {
  readonly schedule: z.ZodType<Schedule>;
  readonly also: Optional<Schedule[]>;
  readonly grid: z.ZodType<Grid | null>;
  readonly notice: Optional<LeadTime>;
  readonly horizon: Optional<Horizon>;
  readonly limits: Optional<DayLimit[]>;
  readonly busy: Optional<Interval[]>;
  readonly buffers: Optional<ParsedBuffers>;
}

/** The part of an input that holds the rules. */
export const ruleShape: RuleShape = {
  schedule,
  also: z.array(schedule).max(20, "must be 20 calendars at most").optional(),
  grid: grid.nullable(),
  notice: leadTime.optional(),
  horizon: horizon.optional(),
  limits: z.array(dayLimit).optional(),
  busy: z.array(timeRange).optional(),
  buffers: buffers.optional(),
};
