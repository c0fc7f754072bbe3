import fc from "fast-check";
import { expect, test } from "vitest";
import { admitter } from "../../src/calendar/admitter.ts";
import { addDays, startOfDay, wallOf } from "../../src/calendar/civil-time.ts";
import { type AdmissionRules, admitTime, defineSchedule, localDayOf } from "../../src/calendar/index.ts";
import { allDays, zones } from "./helpers.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const hours = fc.constantFrom(
  [],
  [{ from: "00:00", to: "24:00" }],
  [{ from: "09:15", to: "18:00" }],
  [{ from: "18:00", to: "02:30" }],
  [
    { from: "08:00", to: "12:00" },
    { from: "12:00", to: "20:00" },
  ],
);

const rules: fc.Arbitrary<AdmissionRules> = fc
  .record({
    zone: fc.constantFrom(...zones),
    week: fc.tuple(...allDays.map(() => hours)),
    breaks: fc.constantFrom([], [{ from: "12:30", to: "13:00" }]),
    grid: fc.constantFrom(
      null,
      { stepMinutes: 15, anchor: "opening" } as const,
      {
        stepMinutes: 45,
        anchor: "midnight",
      } as const,
    ),
    notice: fc.constantFrom({ hours: 2 }, { days: 1 }),
    horizon: fc.constantFrom({ days: 3 }, { days: 200 }),
  })
  .map(({ zone, week, breaks, ...rest }) => ({
    schedule: defineSchedule({
      zone,
      weekly: Object.fromEntries(allDays.map((name, index) => [name, week[index] ?? []])),
      breaks,
    }),
    ...rest,
  }));

// Around the changes of the clocks of a year, back and forth over more weeks than are remembered.
const asked = fc.record({
  at: fc.integer({ min: 0, max: 120 * 24 * 4 }),
  minutes: fc.constantFrom(15, 60, 90, 24 * 60, 24 * 60 + 15, 3 * 24 * 60),
  nowBefore: fc.constantFrom(-1, 1, 30, 24 * 5),
});

test("B16: whoever asks about many times is answered as the one who asks about each of them", () => {
  const reasons = new Set<string>();
  fc.assert(
    fc.property(
      rules,
      fc.constantFrom("2026-03-01", "2026-09-15"),
      fc.array(asked, { maxLength: 60 }),
      (given, first, times) => {
        const admit = admitter(given);
        const from = Date.parse(first);
        for (const { at, minutes, nowBefore } of times) {
          const start = from + at * 15 * minute;
          const end = start + minutes * minute;
          const now = start - nowBefore * hour;
          const refusal = admit({ start, end }, now);
          expect(refusal).toEqual(admitTime({ ...given, start, end, now }));
          reasons.add(refusal === null ? "admitted" : refusal.reason === "closed" ? refusal.because : refusal.reason);
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(reasons.size).toBeGreaterThanOrEqual(7);
});

test("B15: the day of an instant does not depend on which days were asked about before", () => {
  const moment = fc.record({
    zone: fc.constantFrom(...zones, "Pacific/Apia"),
    at: fc.integer({ min: 0, max: 400 * 24 * 2 }),
  });
  fc.assert(
    fc.property(fc.constantFrom("2011-01-01", "2026-01-01"), fc.array(moment, { maxLength: 60 }), (first, moments) => {
      for (const { zone, at } of moments.flatMap((one) => [one, { ...one, at: one.at + 1 }])) {
        const instant = Date.parse(first) + at * 30 * minute;
        const found = localDayOf(instant, zone);
        expect(found.start.getTime()).toBe(startOfDay(found.date, zone));
        expect(found.end.getTime()).toBe(startOfDay(addDays(found.date, 1), zone));
        expect(instant - found.start.getTime()).toBeGreaterThanOrEqual(0);
        expect(found.end.getTime() - instant).toBeGreaterThan(0);
        // The clock shows the date, or (set back over midnight) still the one before.
        expect([found.date, addDays(found.date, -1)]).toContain(wallOf(instant, zone).date);
        expect(found.end.getTime() - found.start.getTime()).toBeLessThanOrEqual(day + 2 * hour);
      }
    }),
    { numRuns: 100 },
  );
});
