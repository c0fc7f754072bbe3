import type { Contestant, Question } from "./contestants/contestant.ts";

/** What one contestant did in one round. */
export interface Round {
  readonly approved: number;
  readonly declined: number;
  readonly errors: number;
  /** The messages of the errors, with how often each came. */
  readonly problems: ReadonlyMap<string, number>;
  readonly retries: number;
  /** From the first question to the last answer. */
  readonly elapsedMs: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * `callers` loops that each ask, wait for the answer and ask again, until the time is over or the questions are. Answers that are still
 * on their way then are waited for and counted, and so is the time they take.
 *
 * Everything lives in one process: a contestant's client code and this generator share the event loop, for all contestants alike.
 */
export async function measure(
  contestant: Contestant,
  questions: readonly Question[],
  { callers, seconds }: { readonly callers: number; readonly seconds: number },
): Promise<Round> {
  const latencies: number[] = [];
  const problems = new Map<string, number>();
  let approved = 0;
  let declined = 0;
  let errors = 0;
  let next = 0;
  const retriesBefore = contestant.retries();
  const start = performance.now();
  const end = start + seconds * 1_000;

  const caller = async (): Promise<void> => {
    for (;;) {
      const asked = performance.now();
      const question = asked < end ? questions[next++] : undefined;
      if (question === undefined) return;
      try {
        const answer = await contestant.decide(question);
        if (answer === "approved") approved += 1;
        else declined += 1;
      } catch (error) {
        errors += 1;
        const problem = error instanceof Error ? error.message : String(error);
        problems.set(problem, (problems.get(problem) ?? 0) + 1);
      }
      latencies.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));

  const elapsedMs = performance.now() - start;
  const sorted = Float64Array.from(latencies).sort();
  return {
    approved,
    declined,
    errors,
    problems,
    retries: contestant.retries() - retriesBefore,
    elapsedMs,
    perSecond: (1_000 * (approved + declined)) / elapsedMs,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  };
}

export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
