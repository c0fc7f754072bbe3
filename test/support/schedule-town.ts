import { createBookonce, type PoliciesInput } from "bookonce";
import fc from "fast-check";
import { expect } from "vitest";
import { testSchema } from "./database.ts";
import { ofDatabase, ofModel } from "./projections.ts";
import { createSteppedDatabase, monday, type SteppedDatabase } from "./schedule-clock.ts";
import { expectAudited } from "./schedule-invariants.ts";
import { brokenInLife, type LifeRules } from "./schedule-life-rules.ts";
import { type lifeOptions, policiesOfLife, Seen } from "./schedule-lives.ts";
import { takeStep } from "./schedule-model.ts";
import { furnish, reminderRules } from "./schedule-shop.ts";
import { Sides } from "./schedule-sides.ts";
import type { ScheduleStep } from "./schedule-steps.ts";

/** A database, and the shop in it. */
export interface Town {
  readonly db: SteppedDatabase;
  readonly shelf: Awaited<ReturnType<typeof furnish>>;
}

export async function foundTown(): Promise<Town> {
  const db = await createSteppedDatabase();
  return { db, shelf: await furnish(db.bookonce) };
}

/** Its lives, one after another. */
export async function liveAll(
  town: Town,
  options: ReturnType<typeof lifeOptions>[number],
  lives: fc.Arbitrary<ScheduleStep[]>,
  rules: LifeRules,
): Promise<void> {
  console.log(`seed ${options.seed}, ${options.numRuns} sequences`);
  const seen = new Seen();
  const property = fc.asyncProperty(policiesOfLife, lives, (policies, life) =>
    live(town, { policies, life, rules, seen }),
  );
  await fc.assert(property, options);
  seen.print();
}

/**
 * One life, lived by PostgreSQL and by the pure core side by side. After each step both have answered the same, a plain reading of the
 * rules allows the answer, and the tables keep every rule; at the end both hold the same rows, and the audit finds nothing.
 */
async function live(
  { db, shelf }: Town,
  { policies, life, rules, seen }: { policies: PoliciesInput; life: ScheduleStep[]; rules: LifeRules; seen: Seen },
): Promise<void> {
  await db.empty();
  await db.set(monday);
  const shop = createBookonce({ database: db.database, schema: testSchema, policies, reminders: reminderRules });
  const sides = new Sides(shop, policies, monday, shelf);
  for (const step of life) {
    if (step.do === "advance" || step.do === "reach") {
      sides.now = sides.timeOf(step);
      await db.set(sides.now);
      continue;
    }
    const taken = await takeStep(sides, step, db);
    if (taken === null) continue;
    const { answer, database, model, plausible } = taken;
    seen.add(step.do, answer);
    expect({ step, answer: database }).toEqual({ step, answer: model });
    expect({ step, answer, plausible }).toEqual({ step, answer, plausible: true });
    if (answer.outcome !== "refused" && answer.outcome !== "existing" && answer.outcome !== "preview")
      expect(await brokenInLife(db, rules)).toEqual([]);
  }
  expect(await ofDatabase(db, sides)).toEqual(ofModel(sides));
  await expectAudited(shop);
}
