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
    // Any time will do: what is wrong with the rules is said for every time.
    admitTime(checked, { start: 86_400_000 * 2, end: 86_400_000 * 2 + 60_000 }, 86_400_000);
    return checked;
  } catch (error) {
    if (!isCalendarError(error)) throw error;
    const code = error.code === "missing_zone_data" ? "internal" : "invalid_input";
    throw new BookonceError(code, `${verb}: ${error.message}`, { problems: error.problems, cause: error });
  }
}

/** The calendar's judgement in the core's words. Limits and collisions are the core's own business. */
export const admitTime: AdmitTime = (rules, interval, now) => {
  const refusal = rulesOf(rules).admit(interval, now);
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
const ready = new Map<string, ReadyRules>();
const remembered = 500;
const ofObjects = new WeakMap<TimeRules, ReadyRules>();

export function rulesOf(rules: TimeRules): ReadyRules {
  const known = ofObjects.get(rules);
  if (known !== undefined) return known;
  const found = byText(rules);
  ofObjects.set(rules, found);
  return found;
}

function byText(rules: TimeRules): ReadyRules {
  const key = JSON.stringify(rules);
  const known = ready.get(key);
  if (known !== undefined) return known;
  // Written by checkTimeRules, and only by it.
  const { schedule, ...rest } = rules as unknown as TimeRulesInput & { readonly grid: Grid | null };
  const checked = { ...rest, schedule: defineSchedule(schedule) };
  const made: ReadyRules = { ...checked, admit: admitter(checked) };
  if (ready.size >= remembered) ready.clear();
  ready.set(key, made);
  return made;
}
