import { longestTimerMs } from "../core/time.ts";
import type { CallOptions } from "./input.ts";

/** How long a call may take in all, however many steps it has: one deadline, of which each step gets what is left. */
export interface Patience {
  readonly signal?: AbortSignal;
  /** An instant of `performance.now()`; without one, each step has its own usual budget. */
  readonly until?: number;
}

export function patienceOf({ signal, budgetMs }: CallOptions): Patience {
  return {
    ...(signal !== undefined && { signal }),
    ...(budgetMs !== undefined && { until: performance.now() + budgetMs }),
  };
}

/** The same with a deadline in any case, for calls of several steps that are to be answered in the time of one. */
export function patienceWithin(patience: Patience, usualMs: number): Patience {
  return patience.until === undefined ? { ...patience, until: performance.now() + usualMs } : patience;
}

/** What is left, for a step that waits by itself. */
export function budgetLeft({ until }: Patience, usualMs: number): number {
  return until === undefined ? usualMs : Math.max(0, Math.ceil(until - performance.now()));
}

/** A signal for a step that knows no budgets: it fires when the caller's does, or when nothing is left. */
export function signalOf({ signal, until }: Patience): AbortSignal | undefined {
  if (until === undefined || until === Number.POSITIVE_INFINITY) return signal;
  const deadline = AbortSignal.timeout(Math.min(budgetLeft({ until }, 0), longestTimerMs));
  return signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
}

/** What is left, as the options of another call. */
export function restOf(patience: Patience): CallOptions {
  return {
    ...(patience.signal !== undefined && { signal: patience.signal }),
    ...(patience.until !== undefined && { budgetMs: budgetLeft(patience, 0) }),
  };
}
