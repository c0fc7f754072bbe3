import { afterAll, beforeAll, expect, test } from "vitest";
import { monday } from "../support/schedule-clock.ts";
import { lifeOptions } from "../support/schedule-lives.ts";
import { scheduleLife } from "../support/schedule-stories.ts";
import { foundTown, liveAll, type Town } from "../support/schedule-town.ts";

// Random lives of a shop with masters, rooms, a hall, pools and classes, lived by PostgreSQL and by the pure core side by side. Nobody
// waits in line here: that is in schedule-waiting.test.ts.
//
//   BOOKONCE_SCHEDULE_RUNS=5000            more sequences
//   BOOKONCE_SEED=… BOOKONCE_PATH=…        the failing sequence again, from the output of a failure
const lives = lifeOptions(300);
const towns: Town[] = [];
beforeAll(async () => {
  for (const _ of lives) towns.push(await foundTown());
});
afterAll(() => Promise.all(towns.map(({ db }) => db.drop())));

test.concurrent.each(lives.map((options, number) => ({ number, options })))(
  "random sequences of the schedule's verbs, town $number: PostgreSQL and the pure core agree, and no rule is ever broken",
  async ({ number, options }) => {
    await liveAll(townOf(number), options, scheduleLife, { name: "rules", more: "" });
  },
  1_800_000,
);

function townOf(number: number): Town {
  const town = towns[number];
  if (town === undefined) throw new Error(`there is no town ${number}`);
  return town;
}

test("the visits of a day that are over count towards its limit", async () => {
  const { db } = townOf(0);
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
