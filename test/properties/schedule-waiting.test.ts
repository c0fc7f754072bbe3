import { createBookonce } from "bookonce";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testSchema } from "../support/database.ts";
import { createSteppedDatabase, monday, type SteppedDatabase } from "../support/schedule-clock.ts";
import { ScheduleCrowd } from "../support/schedule-crowd.ts";
import { expectAudited } from "../support/schedule-invariants.ts";
import { brokenInLife } from "../support/schedule-life-rules.ts";
import { lifeOptions, policiesOfLife, Seen } from "../support/schedule-lives.ts";
import { furnish, reminderRules } from "../support/schedule-shop.ts";
import { waitingLife } from "../support/schedule-stories.ts";

// The same lives with a waiting list in them. What the line does is not modelled a second time: here it must never break a rule.
// BOOKONCE_SCHEDULE_RUNS, BOOKONCE_SEED and BOOKONCE_PATH as in schedule.test.ts.
const options = lifeOptions(100);

let db: SteppedDatabase;
beforeAll(async () => {
  db = await createSteppedDatabase();
  await furnish(db.bookonce);
});
afterAll(() => db.drop());

/** B12: one offer of a place to a person, told once; who has had what she waited for is out of the line. */
const rulesOfTheLine = `union all
  select 'told twice: ' || booking_id as broken from @s.events where type = 'waitlist_offered' group by booking_id having count(*) <> 1
  union all
  select 'never told: ' || b.id from @s.bookings b where b.waitlist_entry_id is not null
    and not exists (select from @s.events e where e.booking_id = b.id and e.type = 'waitlist_offered')
  union all
  select 'used twice: ' || e.id from @s.waiting_list e join @s.bookings b on b.waitlist_entry_id = e.id
    and b.confirmed_at is not null group by e.id having count(*) > 1
  union all
  select 'left, and still offered to: ' || e.id from @s.waiting_list e join @s.bookings b on b.waitlist_entry_id = e.id
    where e.state not in ('waiting', 'unservable') and b.state = 'held' and b.hold_expires_at > @s.clock()
  union all
  select 'offered twice: ' || b.waitlist_entry_id || ' ' || b.offered_start from @s.bookings b where b.waitlist_entry_id is not null
    group by b.waitlist_entry_id, b.offered_start having count(*) > 1
  union all
  select 'moved, or never there: ' || b.id from @s.bookings b where b.waitlist_entry_id is not null and b.offered_start is distinct from coalesce(
    (select (e.data -> 'from' ->> 'start')::timestamptz from @s.events e
      where e.booking_id = b.id and e.type = 'booking_rescheduled' order by e.id limit 1), b.starts_at)`;

test("B12: random sequences with a waiting list: nothing is thrown, no rule is ever broken, and the line comes to rest", async () => {
  console.log(`seed ${options.seed}, ${options.numRuns} sequences`);
  const seen = new Seen();
  const property = fc.asyncProperty(policiesOfLife, waitingLife, async (policies, life) => {
    await db.empty();
    await db.set(monday);
    const shop = createBookonce({ database: db.database, schema: testSchema, policies, reminders: reminderRules });
    const crowd = new ScheduleCrowd(db, shop, monday);
    for (const step of life) {
      if (step.do === "advance" || step.do === "reach") {
        crowd.now = await crowd.timeOf(step);
        await db.set(crowd.now);
        continue;
      }
      const answer = await crowd.take(step);
      if (answer === null) continue;
      seen.add(step.do, answer);
      if (answer.outcome !== "refused") expect(await brokenInLife(db, rulesOfTheLine)).toEqual([]);
    }
    // Nobody acts any more, and the clock stands: what can be offered has been after one tick.
    await shop.waitlist.tick();
    expect(await shop.waitlist.tick()).toMatchObject({ offered: 0 });
    expect(await brokenInLife(db, rulesOfTheLine)).toEqual([]);
    await expectAudited(shop);
  });
  await fc.assert(property, options);
  seen.print();
}, 1_800_000);
