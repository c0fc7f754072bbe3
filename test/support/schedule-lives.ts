import type { PoliciesInput } from "bookonce";
import fc from "fast-check";
import type { TestDatabase } from "./database.ts";

/** How many lives, and which: from the environment, so that a failure can be lived again. */
export function lifeOptions(runs: number): { numRuns: number; seed: number; path?: string; endOnFailure: boolean } {
  const path = process.env["BOOKONCE_PATH"];
  return {
    numRuns: Number(process.env["BOOKONCE_SCHEDULE_RUNS"] ?? runs),
    seed: Number(process.env["BOOKONCE_SEED"] ?? Math.floor(Math.random() * 2 ** 31)),
    ...(path === undefined ? {} : { path }),
    endOnFailure: path !== undefined,
  };
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
});

/** All that happened is forgotten; the shop and its services stay. */
export async function emptyLife({ pool, schema }: TestDatabase): Promise<void> {
  const tables = ["events", "refunds", "payments", "checkouts", "claims", "bookings", "waiting_list"];
  await pool.query(`truncate ${tables.map((table) => `${schema}.${table}`).join()} cascade`);
  await pool.query(`update ${schema}.resources set last_chosen_at = null where last_chosen_at is not null`);
}
