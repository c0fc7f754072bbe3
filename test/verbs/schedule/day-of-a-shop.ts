import type { ServiceInput } from "bookonce";
import fc from "fast-check";
import type { TestDatabase } from "../../support/database.ts";
import { minute, unique } from "../../support/fixtures.ts";
import { stopClock } from "./support.ts";

// Any day of any shop, and every time of it.
// Across the day on which the clocks of Europe go forward.
export const dayStart = Date.UTC(2026, 2, 28, 18);
const rasterMs = 45 * minute;
const rasterTimes = 32;
export const range: { readonly from: Date; readonly to: Date } = {
  from: new Date(dayStart),
  to: new Date(dayStart + rasterTimes * rasterMs),
};
export const raster: readonly number[] = Array.from({ length: rasterTimes }, (_, index) => dayStart + index * rasterMs);

export const minutes = (count: number) => ({ minutes: count });
const weekday = fc.constantFrom(
  [{ from: "00:00", to: "24:00" }],
  [{ from: "09:15", to: "18:00" }],
  [{ from: "18:00", to: "02:30" }],
  [
    { from: "08:00", to: "12:00" },
    { from: "13:30", to: "20:00" },
  ],
  [],
);

export const scenario = fc.record({
  zone: fc.constantFrom("Europe/Berlin", "Asia/Tashkent", "America/St_Johns", "Pacific/Auckland", "UTC"),
  saturday: weekday,
  sunday: weekday,
  daysOff: fc.constantFrom([], ["2026-03-29"]),
  breaks: fc.constantFrom([], [{ from: "12:30", to: "13:00" }]),
  grid: fc.constantFrom(
    { stepMinutes: 30, anchor: "window" } as const,
    { stepMinutes: 60, anchor: "midnight" } as const,
    { stepMinutes: 90, anchor: "opening" } as const,
  ),
  duration: fc.constantFrom(30, 60, 150),
  before: fc.constantFrom(0, 15),
  after: fc.constantFrom(0, 45),
  notice: fc.constantFrom(undefined, { hours: 3 }, { days: 1 }),
  horizon: fc.constantFrom(undefined, { days: 1 }),
  limits: fc.constantFrom({}, { perDayPerResource: 2 }, { perDayPerCustomer: 1 }),
  kind: fc.constantFrom("exclusive", "pool", "counted", "session", "several"),
  quantity: fc.constantFrom(1, 2),
  nowBefore: fc.constantFrom(-4, 2, 30),
  taken: fc.array(
    fc.record({ at: fc.nat(31), length: fc.integer({ min: 1, max: 6 }), own: fc.boolean(), of: fc.nat(2) }),
    {
      maxLength: 5,
    },
  ),
});

export type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

/** A shop as the scenario describes it, and what is booked there. */
export async function open(db: TestDatabase, given: Scenario): Promise<{ service: string; customer: string }> {
  const { bookonce } = db;
  const ids = [unique("a"), unique("b"), unique("c")] as const;
  const counted = given.kind === "counted";
  for (const id of ids) await bookonce.resources.put(counted ? { id, kind: "counted", capacity: 2 } : { id });
  const wants = { exclusive: [ids[0]], counted: [ids[0]], session: [ids[0]], several: [...ids], pool: [] as string[] };
  if (given.kind === "pool") {
    wants.pool = [(await bookonce.resources.put({ id: unique("pool"), kind: "pool", members: [...ids] })).id];
  }
  const { zone, saturday, sunday, daysOff, breaks, grid, notice, horizon, limits } = given;
  const service: ServiceInput = {
    id: unique("service"),
    duration: minutes(given.duration),
    buffers: { before: minutes(given.before), after: minutes(given.after) },
    resources: wants[given.kind as keyof typeof wants],
    times: {
      schedule: { zone, weekly: { saturday, sunday }, daysOff, breaks },
      grid,
      ...(notice && { notice }),
      ...(horizon && { horizon }),
    },
    limits,
    ...(given.kind === "session" && { session: { capacity: 2 } }),
  };
  await bookonce.services.put(service);
  const customer = unique("customer");
  await stopClock(db, new Date(dayStart - 40 * 60 * minute).toISOString());
  for (const { at, length, own, of } of given.taken) {
    const start = new Date(dayStart + at * 45 * minute);
    const taker = own ? { customer, confirm: true } : { customer: unique("other") };
    await bookonce.reserveSlot({ ...taker, service: service.id, start });
    await bookonce.reserveSlot({ ...taker, resources: [ids[of] ?? ids[0]], start, duration: minutes(length * 30) });
  }
  return { service: service.id, customer };
}
