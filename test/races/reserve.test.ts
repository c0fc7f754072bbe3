import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, count, hour, hoursLater, minute, reserve, soon, tally, unique } from "../support/fixtures.ts";
import { racers } from "../support/racers.ts";

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

/** The locks come first: nobody has to run into the constraint behind them. */
const untroubled = { deadlocks: 0, rollbacks: 0 };
const later = (round: number, minutes: number) => new Date(soon.getTime() + round * hour + minutes * minute);

describe("one slot, many buyers", () => {
  test("R01: ten holds at once over five instances: one held, nine taken, nothing else", async () => {
    const { shop, finish } = racers(db, 5);
    const resources = [await aResource(db.bookonce)];
    for (let round = 0; round < 20; round += 1) {
      const holds = Array.from({ length: 10 }, (_, index) =>
        reserve(shop(index), { resources, start: hoursLater(round) }),
      );
      expect(await tally(holds)).toEqual({ reserved: 1, slot_taken: 9 });
    }
    expect(await count(db, "claims")).toBe(20);
    expect(await finish()).toEqual(untroubled);
  });

  test("R02: overlap decides, never equality, and touching ends never collide", async () => {
    const { shop, finish } = racers(db, 3);
    const resources = [await aResource(db.bookonce)];
    for (let round = 0; round < 60; round += 3) {
      const overlapping = [0, 15, 45].map((minutes, index) =>
        reserve(shop(index), { resources, start: later(round, minutes) }),
      );
      expect(await tally(overlapping)).toEqual({ reserved: 1, slot_taken: 2 });
      const touching = await reserve(shop(round), { resources, start: later(round, 105) });
      expect(touching.outcome).toBe("reserved");
    }
    expect(await finish()).toEqual(untroubled);
  });

  test("R07: two clients, two hundred rounds: always one winner", async () => {
    const { shop, finish } = racers(db, 2);
    const resources = [await aResource(db.bookonce)];
    for (let round = 0; round < 200; round += 1) {
      const outcomes = await tally(
        [0, 1].map((index) => reserve(shop(index), { resources, start: hoursLater(round) })),
      );
      expect(outcomes).toEqual({ reserved: 1, slot_taken: 1 });
    }
    expect(await finish()).toEqual(untroubled);
  });

  test("R24: five hundred rounds of two racers over partial overlaps: held or taken, never a raw SQLSTATE", async () => {
    const { shop, finish } = racers(db, 2);
    const resources = [await aResource(db.bookonce)];
    const totals: Record<string, number> = {};
    for (let round = 0; round < 500; round += 1) {
      const starts = [later(2 * round, 0), later(2 * round, 30)];
      const outcomes = await tally(starts.map((start, index) => reserve(shop(index + round), { resources, start })));
      for (const [name, number] of Object.entries(outcomes)) totals[name] = (totals[name] ?? 0) + number;
    }
    expect(totals).toEqual({ reserved: 500, slot_taken: 500 });
    expect(await finish()).toEqual(untroubled);
  });

  test("B49: a hundred reservations of ten slots in one process: one winner each", async () => {
    const { shop, finish } = racers(db, 1);
    const resources = [await aResource(db.bookonce)];
    const outcomes = await tally(
      Array.from({ length: 100 }, (_, index) => reserve(shop(0), { resources, start: hoursLater(index % 10) })),
    );
    expect(outcomes).toEqual({ reserved: 10, slot_taken: 90 });
    // They travelled in batches, and each was decided on what the one before it had left.
    expect(await finish()).toEqual(untroubled);
  });
});

test("C10, S4: the same two resources named in opposite orders, a thousand times: no deadlock", async () => {
  const { shop, finish } = racers(db, 2);
  const [a, b] = [await aResource(db.bookonce, "a"), await aResource(db.bookonce, "b")];
  const totals: Record<string, number> = {};
  for (let wave = 0; wave < 50; wave += 1) {
    // Twenty pairs at a time, one process forwards and the other backwards through the day, so that batches cross each other.
    const rounds = Array.from({ length: 20 }, (_, index) => wave * 20 + index);
    const racing = [
      ...rounds.map((round) => reserve(shop(0), { resources: [a, b], start: hoursLater(2 * round) })),
      ...rounds.reverse().map((round) => reserve(shop(1), { resources: [b, a], start: later(2 * round, 30) })),
    ];
    for (const [name, number] of Object.entries(await tally(racing))) totals[name] = (totals[name] ?? 0) + number;
  }
  expect(totals).toEqual({ reserved: 1_000, slot_taken: 1_000 });
  expect(await count(db, "claims")).toBe(2_000);
  expect(await finish()).toEqual(untroubled);
});

describe("one customer, several requests at once", () => {
  test("the same request id over four instances: one booking, the rest get the same", async () => {
    const { shop } = racers(db, 4);
    const resources = [await aResource(db.bookonce)];
    for (let round = 0; round < 20; round += 1) {
      const asked = {
        customer: "ivan",
        resources,
        start: hoursLater(round),
        requestId: `r${round}`,
        hold: { seconds: 1 },
      };
      await db.clock.advance(2_000);
      const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => reserve(shop(index), asked)));
      expect(outcomes.filter((outcome) => outcome.outcome === "reserved")).toHaveLength(1);
      const ids = new Set(outcomes.map((outcome) => ("booking" in outcome ? outcome.booking.id : outcome.reason)));
      expect(ids.size).toBe(1);
    }
  });

  test("the same request id with two contents: one booking, one conflict", async () => {
    const { shop, finish } = racers(db, 2);
    for (let round = 0; round < 20; round += 1) {
      const customer = unique("customer");
      const outcomes = await tally(
        [500, 600].map((amount, index) =>
          reserve(shop(index), { customer, resources: ["x"], requestId: "r", price: { amount, currency: "XTR" } }),
        ),
      );
      // Nobody made the resource: refusals are not stored, so that there is nothing to be in conflict with.
      expect(outcomes).toEqual({ unknown_resource: 2 });
      // Two resources, so that nothing but the request itself can bring the two together.
      const resources = [await aResource(db.bookonce), await aResource(db.bookonce)];
      const made = await tally(
        resources.map((resource, index) => reserve(shop(index), { customer, resources: [resource], requestId: "r" })),
      );
      expect(made).toEqual({ reserved: 1, idempotency_conflict: 1 });
    }
    expect(await finish()).toEqual(untroubled);
  });

  test("without a request id the same intention is one booking", async () => {
    const { shop } = racers(db, 4);
    const resources = [await aResource(db.bookonce)];
    const outcomes = await tally(
      Array.from({ length: 12 }, (_, index) => reserve(shop(index), { customer: "ivan", resources })),
    );
    expect(outcomes).toEqual({ reserved: 1, existing: 11 });
  });

  test("the limit of live holds holds: twelve requests at once, five holds", async () => {
    const { shop } = racers(db, 4);
    // A resource for each request: no row is common to them.
    const resources = await Promise.all(Array.from({ length: 12 }, () => aResource(db.bookonce)));
    for (let round = 0; round < 10; round += 1) {
      const customer = unique("customer");
      const outcomes = await tally(
        resources.map((resource, index) =>
          reserve(shop(index), { customer, resources: [resource], start: hoursLater(round) }),
        ),
      );
      expect(outcomes).toEqual({ reserved: 5, too_many_holds: 7 });
    }
  });
});
