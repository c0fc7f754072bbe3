import { type Assignment, assign, type Placing, type Refused, type Standing } from "./assign.ts";
import type { Context, TimeRefusal, TimeRules } from "./context.ts";
import { customerDayFull, type DayLimitReached } from "./limits.ts";
import type { State } from "./state.ts";

/** A time that somebody wants, whether she only looks at it or claims it. */
export interface Wanted extends Placing {
  readonly customer: string | null;
  /** Opening hours, notice, horizon and grid of the service; null: any time. */
  readonly rules: TimeRules | null;
}

export type AdmissionRefusal = { readonly reason: "in_past" } | TimeRefusal | DayLimitReached | Refused;

type Deciding = Pick<Context, "now" | "admitTime">;

/**
 * The one function that decides whether a time can be had, and why not: for the list of free times, for the explanation of a single
 * one, and for the claim itself (B16).
 */
export function admit(
  state: State,
  wanted: Wanted,
  standing: Standing,
  context: Deciding,
): Assignment | { readonly refused: AdmissionRefusal } {
  const refused = admitTimeOf(state, wanted, standing, context);
  return refused === null ? assign(state, wanted, standing, context) : { refused };
}

/** Its first part, that needs no place: whether the resources exist, the clock, the calendar, and the customer's day. */
export function admitTimeOf(
  state: State,
  { wants, interval, rules, customer, day, limits }: Wanted,
  { without }: Standing,
  { now, admitTime }: Deciding,
): AdmissionRefusal | null {
  const unknown = wants.find(({ resource }) => state.resources.get(resource)?.active !== true);
  if (unknown !== undefined) return { reason: "unknown_resource", resource: unknown.resource };
  if (interval.start <= now) return { reason: "in_past" };
  const closed = rules === null ? null : admitTime(rules, interval, now);
  if (closed !== null) return closed;
  return customer === null ? null : customerDayFull(state, { customer, day, limits }, without, now);
}
