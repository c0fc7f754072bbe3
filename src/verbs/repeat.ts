import { z } from "zod";
import { longestTimerMs } from "../core/time.ts";
import { aFunction, signal } from "./call-options.ts";
import { type Duration, longDuration, parseInput } from "./input.ts";

export interface RepeatOptions {
  /** How long to rest after each run. */
  readonly every: Duration;
  /** Told of every failure; the work is tried again. What it throws itself is not caught. */
  readonly onError: (error: unknown) => void;
  /** Ends it: nothing new is begun, and what is running is waited for. */
  readonly signal?: AbortSignal;
}

const schema = z.strictObject({
  every: longDuration.refine((ms) => ms <= longestTimerMs, "is too long"),
  onError: aFunction<(error: unknown) => void>(),
  signal: signal.optional(),
});

const longestRestMs = 30_000;

/**
 * Runs a piece of work again and again, one run at a time, until the signal fires: the workers of a bot. A failure, of a database that is
 * away, say, is told and tried again: after the usual rest, then twice as long, four times … at most 30 seconds (or `every`, if that is
 * longer).
 *
 * @example
 * ```ts
 * import { type Bookonce, type Refunder, repeat } from "bookonce";
 *
 * export async function workers(bookonce: Bookonce, refunder: Refunder, signal: AbortSignal): Promise<void> {
 *   const options = { onError: console.error, signal };
 *   await Promise.all([
 *     repeat(() => bookonce.refunds.run(refunder, { signal }), { every: { seconds: 1 }, ...options }),
 *     repeat(() => bookonce.sweep({ signal }), { every: { minutes: 1 }, ...options }),
 *   ]);
 * }
 * ```
 *
 * @returns when the signal has fired and the last run has ended; without a signal, never
 * @throws BookonceError `invalid_input`, before anything is run
 */
export async function repeat(work: () => Promise<unknown>, options: RepeatOptions): Promise<void> {
  parseInput("repeat: work", aFunction<() => Promise<unknown>>(), work);
  const { every, onError, signal: stop } = parseInput("repeat", schema, options);
  const isOver = (): boolean => stop?.aborted === true;
  let failures = 0;
  while (!isOver()) {
    try {
      await work();
      failures = 0;
    } catch (error) {
      // What was given up because it shall end is no failure.
      if (isOver()) return;
      failures += 1;
      onError(error);
    }
    await rest(restMs(every, failures), stop);
  }
}

function restMs(every: number, failures: number): number {
  return failures < 2 ? every : Math.max(every, Math.min(every * 2 ** (failures - 1), longestRestMs));
}

/** Ends early when the signal fires. */
function rest(ms: number, stop: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    stop?.addEventListener("abort", end, { once: true });
    if (stop?.aborted === true) end();
  });
}
