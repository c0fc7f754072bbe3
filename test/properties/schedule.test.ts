import { createBookonce } from "bookonce";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testSchema } from "../support/database.ts";
import { ofDatabase, ofModel } from "../support/projections.ts";
import { createSteppedDatabase, monday, type SteppedDatabase } from "../support/schedule-clock.ts";
import { expectAudited } from "../support/schedule-invariants.ts";
import { brokenInLife } from "../support/schedule-life-rules.ts";
import { lifeOptions, policiesOfLife, Seen } from "../support/schedule-lives.ts";
import { takeStep } from "../support/schedule-model.ts";
import { furnish, reminderRules } from "../support/schedule-shop.ts";
import { Sides } from "../support/schedule-sides.ts";
import { scheduleLife } from "../support/schedule-stories.ts";

// Random lives of a shop with masters, rooms, a hall, pools and classes, lived by PostgreSQL and by the pure core side by side. After
// each step both have answered the same, a plain reading of the rules allows the answer, and the tables keep every rule; at the end
// both hold the same rows, and the audit finds nothing.
//
//   BOOKONCE_SCHEDULE_RUNS=5000            more sequences
//   BOOKONCE_SEED=… BOOKONCE_PATH=…        the failing sequence again, from the output of a failure
//
// Two towns live side by side, each with a database and a seed of its own: while one waits for PostgreSQL, the other thinks.
const all = lifeOptions(300);
const towns = all.path === undefined ? [0, 1] : [0];
const dbs: SteppedDatabase[] = [];
let shelf: Awaited<ReturnType<typeof furnish>>;
beforeAll(async () => {
  for (const _ of towns) {
    const db = await createSteppedDatabase();
    shelf = await furnish(db.bookonce);
    dbs.push(db);
  }
});
afterAll(() => Promise.all(dbs.map((db) => db.drop())));

test.concurrent.each(towns)(
  "random sequences of the schedule's verbs, town %i: PostgreSQL and the pure core agree, and no rule is ever broken",
  async (town) => {
    const db = townOf(town);
    const options = { ...all, seed: all.seed + town, numRuns: Math.ceil(all.numRuns / towns.length) };
    console.log(`seed ${options.seed}, ${options.numRuns} sequences`);
    const seen = new Seen();
    const property = fc.asyncProperty(policiesOfLife, scheduleLife, async (policies, life) => {
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
          expect(await brokenInLife(db)).toEqual([]);
      }
      expect(await ofDatabase(db, sides)).toEqual(ofModel(sides));
      await expectAudited(shop);
    });
    await fc.assert(property, options);
    seen.print();
  },
  1_800_000,
);

function townOf(town: number): SteppedDatabase {
  const db = dbs[town];
  if (db === undefined) throw new Error(`there is no town ${town}`);
  return db;
}

test("the visits of a day that are over count towards its limit", async () => {
  const db = townOf(0);
  await db.empty();
  await db.set(monday);
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
  await db.set(monday + 5 * 3_600_000);
  expect(await visit(6)).toMatchObject(full);
});
