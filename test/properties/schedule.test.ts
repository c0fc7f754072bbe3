import { createBookonce, type PoliciesInput } from "bookonce";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parsePolicies } from "../../src/verbs/policies.ts";
import { type TestDatabase, testSchema } from "../support/database.ts";
import type { Model } from "../support/model.ts";
import { ofDatabase, ofModel } from "../support/projections.ts";
import { createSteppedDatabase, monday } from "../support/schedule-clock.ts";
import { expectSound } from "../support/schedule-invariants.ts";
import { emptyLife, lifeOptions, policiesOfLife } from "../support/schedule-lives.ts";
import { furnish, ScheduleModel } from "../support/schedule-model.ts";
import { scheduleLife } from "../support/schedule-steps.ts";

// Random lives of a shop with masters, rooms, a hall, pools and classes, lived by PostgreSQL and by the pure core side by side. After
// each step both have answered the same and the tables keep every rule; at the end both hold the same rows.
//
//   BOOKONCE_SCHEDULE_RUNS=5000            more sequences
//   BOOKONCE_SEED=… BOOKONCE_PATH=…        the failing sequence again, from the output of a failure
const options = lifeOptions(100);

let db: TestDatabase;
let set: (to: number) => Promise<void>;
let shelf: Awaited<ReturnType<typeof furnish>>;
beforeAll(async () => {
  ({ db, set } = await createSteppedDatabase());
  shelf = await furnish(db.bookonce);
});
afterAll(() => db.drop());

test("random sequences of the schedule's verbs: PostgreSQL and the pure core agree, and no rule is ever broken", async () => {
  console.log(`seed ${options.seed}, ${options.numRuns} sequences`);
  const seen = new Map<string, number>();
  let steps = 0;
  const property = fc.asyncProperty(policiesOfLife, scheduleLife, async (policies: PoliciesInput, life) => {
    await emptyLife(db);
    await set(monday);
    const shop = createBookonce({ database: db.database, schema: testSchema, policies });
    const model = new ScheduleModel(shop, parsePolicies(policies), monday, shelf);
    for (const step of life) {
      if (step.do === "advance") {
        model.now += step.ms;
        await set(model.now);
        continue;
      }
      const answers = await model.take(step);
      if (answers === null) continue;
      steps += 1;
      const { outcome, reason = "" } = answers.model as { outcome: string; reason?: string };
      const name = `${step.do}: ${outcome} ${reason}`;
      seen.set(name, (seen.get(name) ?? 0) + 1);
      expect({ step, answer: answers.database }).toEqual({ step, answer: answers.model });
      if (outcome !== "refused" && outcome !== "existing" && outcome !== "preview") await expectSound(db, shop, true);
    }
    // It has what the projections read.
    const lived = model as unknown as Model;
    expect(await ofDatabase(db, lived)).toEqual(ofModel(lived));
  });
  await fc.assert(property, options);
  console.log(`${steps} steps, ${seen.size} kinds of answers`);
  if (process.env["BOOKONCE_VERBOSE"] !== undefined)
    console.log(
      [...seen]
        .sort()
        .map((entry) => entry.join(" "))
        .join("\n"),
    );
}, 1_800_000);

test("the visits of a day that are over count towards its limit", async () => {
  await emptyLife(db);
  await set(monday);
  const visit = (hours: number) =>
    db.bookonce.reserveSlot({
      customer: "ivan",
      service: "daily",
      start: new Date(monday + hours * 3_600_000),
      confirm: true,
    });
  expect(await visit(1)).toMatchObject({ outcome: "reserved" });
  expect(await visit(2)).toMatchObject({ outcome: "reserved" });
  const full = { outcome: "refused", reason: "limit_reached", limit: 2, of: "ivan" };
  expect(await visit(6)).toMatchObject(full);
  await set(monday + 5 * 3_600_000);
  expect(await visit(6)).toMatchObject(full);
});
