import fc from "fast-check";
import { expect, test } from "vitest";
import { addDays, nextTransition, startOfDay, wallOf, weekdayOf } from "../../src/calendar/civil-time.ts";
import {
  admitTime,
  defineSchedule,
  groupByDate,
  type Hours,
  labelTime,
  listStarts,
  openTimes,
  type ScheduleDefinition,
} from "../../src/calendar/index.ts";
import { allDays, zones } from "./helpers.ts";

const minute = 60_000;
const clockTime = fc.integer({ min: 0, max: 95 }).map((quarter) => text(quarter * 15));
const zone = fc.constantFrom(...zones);
const date = fc.integer({ min: 0, max: 366 * 30 }).map((days) => addDays("2000-01-01", days));

function text(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** One to three windows in order, the last of which may run over midnight. */
const windows: fc.Arbitrary<Hours[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 110 }), { minLength: 0, maxLength: 6 })
  .map((marks) => marks.sort((left, right) => left - right))
  .map((marks) => (marks.length % 2 === 0 ? marks : marks.slice(1)))
  .map((marks) => marks.filter((mark, index) => mark < 96 || index === marks.length - 1))
  .map((marks) => (marks.length % 2 === 0 ? marks : marks.slice(0, -1)))
  .map((marks) =>
    Array.from({ length: marks.length / 2 }, (_, index) => {
      const [from = 0, to = 0] = marks.slice(index * 2, index * 2 + 2);
      return { from: text(from * 15), to: to === 96 ? "24:00" : text((to * 15) % (24 * 60)) };
    }),
  );

const definition: fc.Arbitrary<ScheduleDefinition> = fc.record({
  zone,
  weekly: fc
    .tuple(...allDays.map(() => windows))
    .map((days) => Object.fromEntries(allDays.map((day, index) => [day, days[index] ?? []]))),
  breaks: fc.array(fc.record({ from: clockTime, to: clockTime }), { maxLength: 2 }).map((list) =>
    // A break of equal ends would be a whole day.
    list.filter(({ from, to }) => from < to),
  ),
});

const rules = fc.record({
  stepMinutes: fc.constantFrom(5, 10, 15, 20, 45, 60, 90),
  anchor: fc.constantFrom("window", "opening", "midnight"),
  durationMinutes: fc.constantFrom(15, 30, 45, 90, 240),
  notice: fc.oneof(fc.record({ hours: fc.nat(24) }), fc.record({ days: fc.nat(1) })),
  horizon: fc.record({ days: fc.integer({ min: 1, max: 5 }) }),
  beforeMinutes: fc.constantFrom(0, 15, 60),
  busyAt: fc.array(fc.record({ from: fc.nat(3 * 24 * 12), minutes: fc.integer({ min: 1, max: 40 }) }), {
    maxLength: 4,
  }),
  nowAt: fc.integer({ min: -36 * 60, max: 24 * 60 }),
  most: fc.integer({ min: 1, max: 3 }),
  takenDays: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 6 }),
});

test("B16: every listed start is admitted, and every other start at a five-minute mark is refused with a reason", () => {
  let listedInAll = 0;
  const reasons = new Set<string>();
  fc.assert(
    fc.property(definition, date, rules, (given, first, rule) => {
      const schedule = defineSchedule(given);
      const from = startOfDay(first, schedule.zone);
      const to = startOfDay(addDays(first, 3), schedule.zone);
      const now = from + rule.nowAt * minute;
      const taken: Record<string, number> = {};
      for (const after of rule.takenDays) taken[addDays(first, after)] = (taken[addDays(first, after)] ?? 0) + 1;
      const shared = {
        schedule,
        grid: { stepMinutes: rule.stepMinutes, anchor: rule.anchor },
        notice: rule.notice,
        horizon: rule.horizon,
        limits: [{ of: "resource", most: rule.most, taken } as const],
        busy: rule.busyAt.map(({ from: at, minutes }) => ({
          start: from + at * 5 * minute,
          end: from + (at * 5 + minutes) * minute,
        })),
        buffers: { beforeMinutes: rule.beforeMinutes },
        now,
      };
      const listed = new Set(
        listStarts({ ...shared, from, to, durationMinutes: rule.durationMinutes }).map((start) => start.getTime()),
      );
      listedInAll += listed.size;
      for (let start = from; start < to; start += 5 * minute) {
        const refusal = admitTime({ ...shared, start, end: start + rule.durationMinutes * minute });
        expect(refusal === null, new Date(start).toISOString()).toBe(listed.has(start));
        if (refusal !== null) reasons.add(refusal.reason === "closed" ? refusal.because : refusal.reason);
        listed.delete(start);
      }
      // All of them were on five-minute marks: nothing is listed that was not asked about.
      expect(listed.size).toBe(0);
    }),
    { numRuns: 25 },
  );
  // The runs had something to say: each reason has a test of its own elsewhere.
  expect(listedInAll).toBeGreaterThan(30);
  expect(reasons.size).toBeGreaterThanOrEqual(6);
});

/** Whether the clock on the wall shows a time within the hours of the date, or of the date before: said again, without instants. */
function isOpenByTheWall(given: ScheduleDefinition, at: number): boolean {
  const wall = wallOf(at, given.zone);
  const within = ({ from, to }: Hours, yesterday: boolean): boolean => {
    const over = to <= from;
    if (yesterday) return over && wall.time < to;
    return wall.time >= from && (over || to === "24:00" || wall.time < to);
  };
  const shows = (hours: (date: string) => readonly Hours[]): boolean =>
    hours(wall.date).some((one) => within(one, false)) ||
    hours(addDays(wall.date, -1)).some((one) => within(one, true));
  return shows((day) => given.weekly[weekdayOf(day)] ?? []) && !shows(() => given.breaks ?? []);
}

test("away from changes of the clocks a place is open exactly when its wall clock says so", () => {
  fc.assert(
    fc.property(definition, date, (given, first) => {
      const schedule = defineSchedule(given);
      const from = startOfDay(first, schedule.zone);
      const change = nextTransition(from - 48 * 60 * minute, schedule.zone);
      fc.pre(change === null || change > from + 72 * 60 * minute);
      const to = startOfDay(addDays(first, 1), schedule.zone);
      const open = openTimes({ schedule, from, to });
      for (let at = from; at < to; at += 5 * minute) {
        const inside = open.some(({ start, end }) => start.getTime() <= at && at < end.getTime());
        expect(inside, `${new Date(at).toISOString()}`).toBe(isOpenByTheWall(schedule.definition, at));
      }
    }),
    { numRuns: 100 },
  );
});

test("R85: the set of instants is the same for a viewer in any of 22 zones; the zone only groups and labels", () => {
  fc.assert(
    fc.property(definition, date, (given, first) => {
      const schedule = defineSchedule(given);
      const from = startOfDay(first, schedule.zone);
      const list = listStarts({
        schedule,
        grid: { stepMinutes: 60, anchor: "window" },
        from,
        to: from + 48 * 60 * minute,
        durationMinutes: 60,
        now: from - minute,
      });
      for (const viewer of zones) {
        const groups = groupByDate(list, viewer);
        expect(groups.flatMap((group) => group.starts)).toEqual(list);
        expect(groups.map((group) => group.date)).toEqual([...new Set(groups.map((group) => group.date))].sort());
        for (const { date: group, starts } of groups) {
          for (const start of starts) {
            const label = labelTime(start, { zone: viewer });
            expect([label.date, label.zone]).toEqual([group, viewer]);
          }
        }
      }
    }),
    { numRuns: 15 },
  );
});
