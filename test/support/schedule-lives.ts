import type { PoliciesInput } from "bookonce";
import fc from "fast-check";

/** How many lives, and which. */
interface Lives {
  readonly numRuns: number;
  readonly seed: number;
  readonly path?: string;
  readonly endOnFailure: boolean;
}

/**
 * From the environment, so that a failure can be lived again. Two towns live side by side, each with a database and a seed of its own:
 * while one waits for PostgreSQL, the other thinks. A failure is lived again in one town alone.
 */
export function lifeOptions(
  runs: number,
  { variable = "BOOKONCE_SCHEDULE_RUNS", towns = 2 }: { readonly variable?: string; readonly towns?: number } = {},
): readonly Lives[] {
  const path = process.env["BOOKONCE_PATH"];
  const all = Number(process.env[variable] ?? runs);
  const seed = Number(process.env["BOOKONCE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  if (path !== undefined) return [{ numRuns: all, seed, path, endOnFailure: true }];
  return Array.from({ length: towns }, (_, town) => ({
    numRuns: Math.ceil(all / towns),
    seed: seed + town,
    endOnFailure: false,
  }));
}

export const policiesOfLife: fc.Arbitrary<PoliciesInput> = fc.record({
  latePayment: fc.constantFrom("refund" as const, "rebookIfFree" as const),
  retakeLapsedHold: fc.boolean(),
  maxLiveHoldsPerCustomer: fc.constantFrom(2, 5),
  cancellation: fc.record({
    tiers: fc.constantFrom(
      [{ until: { hours: 24 }, percent: 100 }],
      [
        { until: { hours: 2 }, percent: 100 },
        { until: { minutes: 30 }, percent: 50 },
      ],
    ),
    afterwards: fc.constantFrom("noRefund" as const, "forbidden" as const),
    wholeInsteadOfPart: fc.constantFrom("all" as const, "nothing" as const),
  }),
  rescheduling: fc.record({
    until: fc.constantFrom({ minutes: 0 }, { hours: 1 }),
    priceDifference: fc.constantFrom("refuse" as const, "keep" as const),
  }),
  waitlist: fc.record({
    offer: fc.constantFrom({ minutes: 15 }, { minutes: 5 }),
    order: fc.constantFrom("skip" as const, "strict" as const),
    offerAgain: fc.constantFrom(false, false, true),
    maxEntriesPerCustomer: fc.constantFrom(2, 20),
  }),
});

/** Counts what was answered, so that one sees that everything was. */
export class Seen {
  readonly #answers = new Map<string, number>();
  steps = 0;

  add(step: string, { outcome, reason }: { readonly outcome: string; readonly reason?: string }): void {
    this.steps += 1;
    const name = `${step}: ${outcome}${reason === undefined ? "" : ` ${reason}`}`;
    this.#answers.set(name, (this.#answers.get(name) ?? 0) + 1);
  }

  print(): void {
    console.log(`${this.steps} steps, ${this.#answers.size} kinds of answers`);
    if (process.env["BOOKONCE_VERBOSE"] === undefined) return;
    console.log(
      [...this.#answers]
        .map(([name, times]) => `${name} ${times}`)
        .sort()
        .join("\n"),
    );
  }
}
