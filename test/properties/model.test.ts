import { createBookonce } from "bookonce";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultPolicies } from "../../src/core/policies.ts";
import { testSchema } from "../support/database.ts";
import { minute } from "../support/fixtures.ts";
import { Model, type Step } from "../support/model.ts";
import { ofDatabase, ofModel } from "../support/projections.ts";
import { createSteppedDatabase, monday, type SteppedDatabase } from "../support/schedule-clock.ts";
import { lifeOptions, Seen } from "../support/schedule-lives.ts";

// Random lives of a small shop, lived by PostgreSQL and by the pure core side by side. After each step both have answered the same and
// the money adds up; at the end both hold the same rows.
//
//   BOOKONCE_RUNS=2000                     more sequences
//   BOOKONCE_SEED=… BOOKONCE_PATH=…        the failing sequence again, from the output of a failure
const lives = lifeOptions(300, { variable: "BOOKONCE_RUNS" });

const resources = ["anna", "boris", "room"];
const towns: SteppedDatabase[] = [];
beforeAll(async () => {
  for (const _ of lives) {
    const db = await createSteppedDatabase();
    for (const id of resources) await db.bookonce.resources.put({ id });
    towns.push(db);
  }
});
afterAll(() => Promise.all(towns.map((db) => db.drop())));

const wrong = fc.constantFrom(
  "nothing",
  "nothing",
  "nothing",
  "nothing",
  "payer",
  "amount",
  "payload",
) as fc.Arbitrary<"nothing">;
const booking = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4, 5, 6);
const externalId = fc.constantFrom("1", "2", "3", "4", "5", "6", "7");

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("reserve" as const),
      customer: fc.nat(3),
      resources: fc.constantFrom(
        ["anna"],
        ["boris"],
        ["anna", "room"],
        ["room", "boris"],
        ["anna"],
        ["boris", "anna"],
        ["nobody"],
      ),
      startsInMs: fc.constantFrom(20 * minute, 50 * minute, 25 * 60 * minute, 25.5 * 60 * minute),
      claim: fc.constantFrom("now" as const, "at_checkout" as const),
      requestId: fc.option(fc.constantFrom("r1", "r2"), { freq: 2 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("preCheckout" as const), booking, query: externalId, wrong }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("receipt" as const),
      booking,
      charge: externalId,
      wrong,
      provider: fc.constantFrom("telegram_stars", "telegram_stars", "telegram_payments"),
      recurring: fc.constantFrom(false, false, false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("void" as const), booking, query: externalId }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("cancel" as const),
      booking,
      by: fc.constantFrom("owner" as const, "owner" as const, "stranger" as const, "administrator" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("review" as const),
      payment: fc.nat(5),
      action: fc.constantFrom("refund" as const, "close" as const, "attach" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("sweep" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("refund" as const),
      answer: fc.constantFrom(
        "refunded",
        "unknown",
        "retry_later",
        "refused",
        "unrecognised",
      ) as fc.Arbitrary<"unknown">,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      ms: fc.constantFrom(1, minute, 5 * minute, 15 * minute, 90 * minute),
    }),
  },
);

const policies = fc.record({
  latePayment: fc.constantFrom("refund" as const, "rebookIfFree" as const),
  retakeLapsedHold: fc.boolean(),
  maxLiveHoldsPerCustomer: fc.constantFrom(2, 5),
  afterwards: fc.constantFrom("noRefund" as const, "forbidden" as const),
});

/** Forty steps, always. A failing life shrinks by steps that become nothing, which are hardly ever drawn as such. */
const fortySteps = fc
  .array(fc.option(step, { nil: null, freq: 1_000 }), { minLength: 40, maxLength: 40, size: "max" })
  .map((steps) => steps.filter((one) => one !== null));

test.concurrent.each(lives.map((options, number) => ({ number, options })))(
  "random sequences of verbs, town $number: PostgreSQL and the pure core agree, and every payment is in exactly one place",
  async ({ number, options }) => {
    const db = towns[number];
    if (db === undefined) throw new Error(`there is no town ${number}`);
    console.log(`seed ${options.seed}, ${options.numRuns} sequences`);
    const seen = new Seen();
    const property = fc.asyncProperty(policies, fortySteps, async ({ afterwards, ...chosen }, life) => {
      await db.empty();
      let now = monday;
      await db.set(now);
      const shop = createBookonce({
        database: db.database,
        schema: testSchema,
        policies: { ...chosen, cancellation: { afterwards } },
      });
      const frozen = { ...defaultPolicies, ...chosen, cancellation: { ...defaultPolicies.cancellation, afterwards } };
      const model = new Model(shop, frozen, now, resources);
      for (const one of life) {
        if (one.do === "advance") {
          now += one.ms;
          await db.set(now);
          model.advanced(one.ms);
          continue;
        }
        const answers = await model.take(one);
        if (answers === null) continue;
        const outcome = String(Array.isArray(answers.model) ? answers.model[0] : answers.model);
        seen.add(one.do, { outcome });
        expect(answers.database).toEqual(answers.model);
        if (/^(refused|existing|already|not_standing)|again$/.test(outcome)) continue;
        const { problems } = await shop.audit();
        // A worker that nobody runs for an hour is part of this life.
        expect(problems.filter(({ problem }) => problem !== "refund_stuck")).toEqual([]);
      }
      expect(await ofDatabase(db, model)).toEqual(ofModel(model));
    });
    await fc.assert(property, options);
    seen.print();
  },
  900_000,
);
