import type { ServiceInput } from "bookonce";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { minute, unique } from "../../support/fixtures.ts";
import { stopClock } from "./support.ts";

// B16: one function decides for the list, for the explanation and for the claim. Here all three are asked about every time of a day.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

// Across the day on which the clocks of Europe go forward.
const dayStart = Date.UTC(2026, 2, 28, 18);
const rasterMs = 45 * minute;
const rasterTimes = 32;

const minutes = (count: number) => ({ minutes: count });
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

const scenario = fc.record({
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

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

/** A shop as the scenario describes it, and what is booked there. */
async function open(given: Scenario): Promise<{ service: string; customer: string }> {
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

async function check(given: Scenario): Promise<void> {
  const { service, customer } = await open(given);
  await stopClock(db, new Date(dayStart - given.nowBefore * 60 * minute).toISOString());
  const query = { service, customer, quantity: given.quantity };
  const range = { from: new Date(dayStart), to: new Date(dayStart + rasterTimes * rasterMs) };
  const listed = new Map(
    (await db.bookonce.slots.find({ ...query, ...range })).map((slot) => [slot.start.getTime(), slot]),
  );
  const raster = Array.from({ length: rasterTimes }, (_, index) => dayStart + index * rasterMs);
  const client = await db.pool.connect();
  try {
    for (const instant of new Set([...raster, ...listed.keys()])) {
      const start = new Date(instant);
      const explained = await db.bookonce.slots.explain({ ...query, start });
      // What is claimed is given back at once: every time is judged next to the same bookings.
      await client.query("begin");
      const claimed = await db.bookonce.within(client).reserveSlot({ ...query, start });
      await client.query("rollback");
      const told = { start: start.toISOString(), claimed: claimed.outcome };
      if (claimed.outcome === "existing") continue;
      expect({ ...told, listed: listed.has(instant), claimable: explained.claimable }).toEqual({
        ...told,
        listed: claimed.outcome === "reserved",
        claimable: claimed.outcome === "reserved",
      });
      if (claimed.outcome === "refused") {
        const { outcome: _, ...refused } = claimed;
        expect(explained).toEqual({ claimable: false, refused });
      } else {
        expect(explained).toEqual({ claimable: true, slot: listed.get(instant) });
      }
    }
  } finally {
    client.release();
  }
}

test("B16: every listed time can be claimed, and every other is refused for exactly the reason that is explained", async () => {
  await fc.assert(fc.asyncProperty(scenario, check), {
    numRuns: 12,
    seed: Number(process.env["FC_SEED"] ?? 20_260_328),
  });
}, 180_000);

test("B16: a place for more is left exactly as long as the list says", async () => {
  const { bookonce } = db;
  await db.clock.reset();
  const hall = (await bookonce.resources.put({ id: unique("hall"), kind: "counted", capacity: 6 })).id;
  const members = [unique("m1"), unique("m2"), unique("m3")];
  for (const id of members) await bookonce.resources.put({ id });
  const pool = (await bookonce.resources.put({ id: unique("pool"), kind: "pool", members })).id;
  const schedule = { zone: "UTC", weekly: { monday: [{ from: "10:00", to: "11:00" }] } };
  const times = { schedule, grid: { stepMinutes: 60, anchor: "window" } } as const;
  for (const resources of [[{ resource: hall, quantity: 2 }], [pool]]) {
    const service = unique("service");
    await bookonce.services.put({ id: service, duration: minutes(60), resources, times });
    const range = { from: "2031-01-06T00:00:00Z", to: "2031-01-07T00:00:00Z" };
    for (let left = 3; left > 0; left -= 1) {
      const [slot] = await bookonce.slots.find({ service, ...range });
      expect(slot?.left).toBe(left);
      const claimed = await bookonce.reserveSlot({ service, start: slot?.start ?? "", customer: unique("c") });
      expect(claimed.outcome).toBe("reserved");
    }
    expect(await bookonce.slots.find({ service, ...range })).toEqual([]);
  }
});
