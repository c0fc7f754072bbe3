import { type Admitter, admitter } from "../calendar/admitter.ts";
import {
  defineSchedule,
  type Grid,
  type Horizon,
  isCalendarError,
  type LeadTime,
  type Schedule,
  type ScheduleDefinition,
} from "../calendar/index.ts";
import type { AdmitTime, TimeRules } from "../core/context.ts";
import { BookonceError } from "../core/error.ts";
import { invalidInput } from "./input.ts";

/** When something is offered. Plain data: it is stored with the service or the resource. */
export interface TimeRulesInput {
  /** Opening hours, in the zone of the place. */
  readonly schedule: ScheduleDefinition;
  /** At which times a booking may start. Default: any. */
  readonly grid?: Grid;
  /** How long before the start one must book. */
  readonly notice?: LeadTime;
  /** How far ahead one may book. */
  readonly horizon?: Horizon;
}

/** The rules as stored, every problem of them named. */
export function checkTimeRules(verb: string, rules: TimeRulesInput): TimeRules {
  const { schedule, grid = null, notice, horizon, ...unknown } = rules;
  // A rule whose name is misspelt would be one that nobody keeps.
  const problems = Object.keys(unknown).map((path) => ({ path, message: "is no rule of times" }));
  if (problems.length > 0) throw invalidInput(verb, problems);
  try {
    const { definition } = defineSchedule(schedule);
    const checked = {
      schedule: definition,
      grid,
      ...(notice !== undefined && { notice }),
      ...(horizon !== undefined && { horizon }),
    };
    ready(checked);
    return checked;
  } catch (error) {
    if (!isCalendarError(error)) throw error;
    const code = error.code === "missing_zone_data" ? "internal" : "invalid_input";
    throw new BookonceError(code, `${verb}: ${error.message}`, { problems: error.problems, cause: error });
  }
}

/** The calendar's judgement in the core's words. Limits and collisions are the core's own business. */
export const admitTime: AdmitTime = (rules, interval, now) => {
  const stored = rulesOf(rules);
  // Nothing is sold by rules that nobody here can read; and nothing else stops for them, a charge that has come least of all.
  if (stored === null) return { reason: "closed", because: "unreadable_rules" };
  const refusal = stored.admit(interval, now);
  switch (refusal?.reason) {
    case "too_soon":
      return { reason: "too_soon", earliest: refusal.earliest.getTime() };
    case "too_far":
      return { reason: "too_far", latest: refusal.latest.getTime() };
    case "closed":
      return { reason: "closed", because: refusal.because };
    default:
      // In the past: said by the core before it asks.
      return null;
  }
};

/** Stored rules, ready for the calendar. */
export interface ReadyRules {
  readonly schedule: Schedule;
  readonly grid: Grid | null;
  readonly notice?: LeadTime;
  readonly horizon?: Horizon;
  readonly admit: Admitter;
}

// What was worked out is remembered with the rules. They come anew with every read of a service, so that their text is the key; within
// one read they are one object, asked about many times.
const known = new Map<string, ReadyRules | null>();
const remembered = 500;
const ofObjects = new WeakMap<TimeRules, ReadyRules | null>();

/**
 * Null: this process cannot read them. Another one has written them, with newer zone data or a newer version of ours, or a hand in the
 * table has.
 */
export function rulesOf(rules: TimeRules): ReadyRules | null {
  // Whatever the type says, a column of JSON may hold a number.
  if (typeof rules !== "object" || rules === null) return null;
  const seen = ofObjects.get(rules);
  if (seen !== undefined) return seen;
  const found = byText(rules);
  ofObjects.set(rules, found);
  return found;
}

function byText(rules: TimeRules): ReadyRules | null {
  const key = JSON.stringify(rules);
  const seen = known.get(key);
  if (seen !== undefined) return seen;
  const found = readyOrNull(rules);
  if (known.size >= remembered) known.clear();
  known.set(key, found);
  return found;
}

function readyOrNull(rules: TimeRules): ReadyRules | null {
  try {
    // Written by checkTimeRules; anything else is refused here as it is there.
    return ready(rules as unknown as StoredRules);
  } catch (error) {
    if (!isCalendarError(error)) throw error;
    return null;
  }
}

type StoredRules = Omit<TimeRulesInput, "grid"> & { readonly grid: Grid | null };

function ready({ schedule, ...rest }: StoredRules): ReadyRules {
  const checked = { ...rest, schedule: defineSchedule(schedule) };
  return { ...checked, admit: admitter(checked) };
}
