import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { unique } from "../../support/fixtures.ts";
import { dayStart, open, range, raster, type Scenario, scenario } from "./day-of-a-shop.ts";
import { stopClock } from "./support.ts";

// B16 for those who have a time already: what is listed in its place can be had in its place, and nothing else.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase({ policies: { rescheduling: { until: { minutes: 0 } } } });
});
afterAll(() => db.drop());

/** How she would have another time: by another hold that replaces hers, or by moving her booking. */
const ways = {
  "another hold": {
    confirm: false,
    ask: (shop: Shop, { bookingId, service, customer, start }: Asked) =>
      shop.reserveSlot({ service, customer, start, replaces: bookingId }),
  },
  "a move": {
    confirm: true,
    ask: (shop: Shop, { bookingId, customer, start }: Asked) => shop.reschedule({ bookingId, customer, start }),
  },
};

type Shop = Pick<TestDatabase["bookonce"], "reserveSlot" | "reschedule">;

interface Asked {
  readonly bookingId: string;
  readonly service: string;
  readonly customer: string;
  readonly start: Date;
}

async function check(given: Scenario, { confirm, ask }: (typeof ways)[keyof typeof ways]): Promise<number> {
  const { service, customer } = await open(db, given);
  await stopClock(db, new Date(dayStart - given.nowBefore * 3_600_000).toISOString());
  const free = await db.bookonce.slots.find({ service, customer, ...range });
  const first = free[Math.floor(free.length / 2)];
  if (first === undefined || first.own) return 0;
  const had = await db.bookonce.reserveSlot({ service, customer, start: first.start, confirm });
  if (had.outcome !== "reserved") throw new Error(had.outcome);
  const query = { service, customer, replaces: had.booking.id };
  const listed = new Set((await db.bookonce.slots.find({ ...query, ...range })).map(({ start }) => start.getTime()));
  const client = await db.pool.connect();
  try {
    for (const instant of new Set([...raster, ...listed])) {
      if (instant === first.start.getTime()) continue;
      const start = new Date(instant);
      const explained = await db.bookonce.slots.explain({ ...query, start });
      await client.query("begin");
      const asked = { bookingId: had.booking.id, service, customer, start };
      const answer = await ask(db.bookonce.within(client), asked);
      await client.query("rollback");
      const got = answer.outcome !== "refused";
      const told = { start: start.toISOString(), answer: answer.outcome };
      const shown = { ...told, listed: listed.has(instant), claimable: explained.claimable };
      expect(shown).toEqual({ ...told, listed: got, claimable: got });
      if (answer.outcome === "refused") {
        const { outcome: _, ...refused } = answer;
        expect(explained).toEqual({ claimable: false, refused });
      }
    }
  } finally {
    client.release();
  }
  return listed.size;
}

describe.each(Object.entries(ways))("B16: %s", (_, way) => {
  test("every time that is listed in place of hers can be had, and every other is refused for the reason that is explained", async () => {
    let listed = 0;
    const property = fc.asyncProperty(scenario, async (given) => {
      listed += await check(given, way);
    });
    await fc.assert(property, { numRuns: 10, seed: Number(process.env["FC_SEED"] ?? 20_260_329) });
    expect(listed).toBeGreaterThan(0);
  }, 180_000);
});

describe("a day that her own hold has filled up", () => {
  const day = { from: "2031-01-06T00:00:00Z", to: "2031-01-07T00:00:00Z" };
  const service = unique("service");
  beforeAll(async () => {
    await db.clock.reset();
    await db.bookonce.resources.put({ id: "anna" });
    const schedule = { zone: "UTC", weekly: { monday: [{ from: "10:00", to: "13:00" }] } };
    await db.bookonce.services.put({
      id: service,
      duration: { minutes: 60 },
      resources: ["anna"],
      times: { schedule, grid: { stepMinutes: 60, anchor: "window" } },
      limits: { perDayPerCustomer: 1 },
    });
  });

  test("has no other time for her, unless it is to take the place of that hold; of others' bookings nothing is told", async () => {
    const { bookonce } = db;
    const start = "2031-01-06T10:00:00Z";
    const hers = await bookonce.reserveSlot({ service, customer: "maria", start });
    if (hers.outcome !== "reserved") throw new Error(hers.outcome);
    const query = { service, customer: "maria", ...day };
    const hours = async (replaces?: string) =>
      (await bookonce.slots.find({ ...query, ...(replaces && { replaces }) })).map(
        (slot) => `${slot.start.getUTCHours()}${slot.own ? " own" : ""}`,
      );
    expect(await hours()).toEqual(["10 own"]);
    expect(await hours(hers.booking.id)).toEqual(["10 own", "11", "12"]);
    const after = "2031-01-06T10:30:00Z";
    const next = { service, customer: "maria", replaces: hers.booking.id, after, count: 1 };
    expect(await bookonce.slots.nextFree(next)).toMatchObject([{ start: new Date("2031-01-06T11:00:00Z") }]);

    const notHers = { code: "invalid_input", message: expect.stringContaining("replaces") };
    const replaces = hers.booking.id;
    await expect(bookonce.slots.find({ ...query, customer: "ivan", replaces })).rejects.toMatchObject(notHers);
    await expect(bookonce.slots.find({ service, ...day, replaces })).rejects.toMatchObject(notHers);
    const unknown = "00000000-0000-4000-8000-000000000000";
    await expect(bookonce.slots.find({ ...query, replaces: unknown })).rejects.toMatchObject(notHers);
    await expect(bookonce.slots.find({ ...query, replaces: "x" })).rejects.toMatchObject(notHers);
  });
});
