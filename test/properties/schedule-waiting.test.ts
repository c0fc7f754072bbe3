import { afterAll, beforeAll, test } from "vitest";
import { lifeOptions } from "../support/schedule-lives.ts";
import { waitingLife } from "../support/schedule-stories.ts";
import { foundTown, liveAll, type Town } from "../support/schedule-town.ts";

// The same lives with a waiting list in them, lived by both sides as in schedule.test.ts. After each step that gives a place back, and
// after each tick, both have made the same offers, and a plain reading of the line says that each was whose turn it was, and that
// nobody's turn is left.
// BOOKONCE_SCHEDULE_RUNS, BOOKONCE_SEED and BOOKONCE_PATH as there.
const lives = lifeOptions(300);
const towns: Town[] = [];
beforeAll(async () => {
  for (const _ of lives) towns.push(await foundTown());
});
afterAll(() => Promise.all(towns.map(({ db }) => db.drop())));

/** B12: one offer of a place to a person, told once; who has had what she waited for is out of the line. */
const rulesOfTheLine = `union all
  select 'told twice: ' || booking_id as broken from @s.events where type = 'waitlist_offered' group by booking_id having count(*) <> 1
  union all
  select 'never told: ' || b.id from @s.bookings b where b.waitlist_entry_id is not null
    and not exists (select from @s.events e where e.booking_id = b.id and e.type = 'waitlist_offered')
  union all
  select 'told as a lapsed hold: ' || b.id from @s.bookings b join @s.events e on e.booking_id = b.id
    where b.waitlist_entry_id is not null and e.type = 'booking_expired'
  union all
  select 'told as used: ' || e.id from @s.waiting_list e where (
    select count(*) from @s.events u where u.type = 'waitlist_used' and u.data ->> 'entryId' = e.id::text) <> (
    select count(*) from @s.bookings b where b.waitlist_entry_id = e.id and b.confirmed_at is not null)
  union all
  select 'used twice: ' || e.id from @s.waiting_list e join @s.bookings b on b.waitlist_entry_id = e.id
    and b.confirmed_at is not null group by e.id having count(*) > 1
  union all
  select 'left, and still offered to: ' || e.id from @s.waiting_list e join @s.bookings b on b.waitlist_entry_id = e.id
    where e.state not in ('waiting', 'unservable') and b.state = 'held' and b.hold_expires_at > @s.clock()
  union all
  select 'moved, or never there: ' || b.id from @s.bookings b where b.waitlist_entry_id is not null and b.offered_start is distinct from coalesce(
    (select (e.data -> 'from' ->> 'start')::timestamptz from @s.events e
      where e.booking_id = b.id and e.type = 'booking_rescheduled' order by e.id limit 1), b.starts_at)`;

test.concurrent.each(lives.map((options, number) => ({ number, options })))(
  "B12: random sequences with a waiting list, town $number: PostgreSQL and the pure core agree, and no rule is ever broken",
  async ({ number, options }) => {
    const town = towns[number];
    if (town === undefined) throw new Error(`there is no town ${number}`);
    await liveAll(town, options, waitingLife, { name: "rules of the line", more: rulesOfTheLine });
  },
  1_800_000,
);
