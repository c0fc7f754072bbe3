import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { unique } from "../../support/fixtures.ts";
import { dayStart, minutes, open, range, raster, type Scenario, scenario } from "./day-of-a-shop.ts";
import { stopClock } from "./support.ts";

// B16: one function decides for the list, for the explanation and for the claim. Here all three are asked about every time of a day.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function check(given: Scenario): Promise<void> {
  const { service, customer } = await open(db, given);
  await stopClock(db, new Date(dayStart - given.nowBefore * 3_600_000).toISOString());
  const query = { service, customer, quantity: given.quantity };
  const listed = new Map(
    (await db.bookonce.slots.find({ ...query, ...range })).map((slot) => [slot.start.getTime(), slot]),
  );
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
