import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask } from "../support/ask.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, bookFree, hour, hoursLater, minute, soon, tally, unique } from "../support/fixtures.ts";
import { racers } from "../support/racers.ts";
import { Random, seedOfRun } from "../support/random.ts";
import { expectSound } from "../support/schedule-invariants.ts";

// B1–B5: who gets a place, when several ask at one moment, each on a process of its own.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

/** The locks come first: nobody has to run into the constraint behind them. */
const untroubled = { deadlocks: 0, rollbacks: 0 };

test("overlapping intervals: however they meet, those that got one never overlap, and those that did not would have", async () => {
  const random = new Random(seedOfRun("overlaps"));
  const { shop, finish } = racers(db, 4);
  const anna = await aResource(db.bookonce);
  for (let round = 0; round < 40; round += 1) {
    const wanted = Array.from({ length: 8 }, () => ({
      start: new Date(soon.getTime() + round * 24 * hour + random.below(16) * 15 * minute),
      duration: { minutes: random.pick([15, 30, 60, 90]) },
      buffers: { after: { minutes: random.pick([0, 0, 15]) } },
    }));
    const outcomes = await Promise.all(wanted.map((one, turn) => ask(shop(turn), { ...one, resources: [anna] })));
    const claimed = (index: number) => {
      const { start, duration, buffers } = wanted[index] ??
        wanted[0] ?? { start: soon, duration: { minutes: 0 }, buffers: { after: { minutes: 0 } } };
      return { start: start.getTime(), end: start.getTime() + (duration.minutes + buffers.after.minutes) * minute };
    };
    const collide = (left: number, right: number) => {
      const [a, b] = [claimed(left), claimed(right)];
      return a.start < b.end && b.start < a.end;
    };
    const won = outcomes.flatMap((outcome, index) => (outcome.outcome === "reserved" ? [index] : []));
    for (const [index, outcome] of outcomes.entries()) {
      const rivals = won.filter((other) => other !== index && collide(index, other));
      if (outcome.outcome === "reserved") expect(rivals).toEqual([]);
      else {
        expect(outcome).toMatchObject({ outcome: "refused", reason: "slot_taken", resource: anna });
        expect(rivals.length).toBeGreaterThan(0);
      }
    }
  }
  expect(await finish()).toEqual(untroubled);
  await expectSound(db);
});

test("sets of resources, named in any order and overlapping in any way: all or none, and no deadlock", async () => {
  const random = new Random(seedOfRun("sets"));
  const { shop, finish } = racers(db, 4);
  const rooms = await Promise.all(["a", "b", "c", "d"].map((prefix) => aResource(db.bookonce, prefix)));
  const totals: Record<string, number> = {};
  for (let round = 0; round < 60; round += 1) {
    const outcomes = Array.from({ length: 8 }, (_, turn) => {
      const resources = rooms
        .map((room) => ({ room, rank: random.next() }))
        .sort((left, right) => left.rank - right.rank)
        .slice(0, 2 + random.below(3))
        .map(({ room }) => room);
      return ask(shop(turn), {
        resources,
        start: new Date(soon.getTime() + round * 6 * hour + random.below(4) * 30 * minute),
      });
    });
    for (const [name, times] of Object.entries(await tally(outcomes))) totals[name] = (totals[name] ?? 0) + times;
  }
  expect(Object.keys(totals).sort()).toEqual(["reserved", "slot_taken"]);
  // In each round somebody is first.
  expect(totals["reserved"]).toBeGreaterThanOrEqual(60);
  expect(await finish()).toEqual(untroubled);
  await expectSound(db);
});

describe("places that are counted", () => {
  test("a capacity is taken to the last place and never over it, and only who does not fit is refused", async () => {
    const random = new Random(seedOfRun("capacity"));
    const { shop, finish } = racers(db, 4);
    const hall = (await db.bookonce.resources.put({ id: unique("hall"), kind: "counted", capacity: 7 })).id;
    for (let round = 0; round < 50; round += 1) {
      const quantities = Array.from({ length: 8 }, () => 1 + random.below(3));
      const outcomes = await Promise.all(
        quantities.map((quantity, turn) => ask(shop(turn), { resources: [hall], quantity, start: hoursLater(round) })),
      );
      const taken = outcomes.reduce(
        (sum, one, index) => sum + (one.outcome === "reserved" ? (quantities[index] ?? 0) : 0),
        0,
      );
      expect(taken).toBeLessThanOrEqual(7);
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.outcome === "reserved") continue;
        expect(outcome).toMatchObject({ outcome: "refused", reason: "no_capacity" });
        // Nothing was given back meanwhile: who did not fit then does not fit now.
        expect(quantities[index] ?? 0).toBeGreaterThan(7 - taken);
      }
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test("the peak decides: three visits in a row beside a long one need two places, and a racer for the third gets it", async () => {
    const { shop, finish } = racers(db, 4);
    const hall = (await db.bookonce.resources.put({ id: unique("hall"), kind: "counted", capacity: 2 })).id;
    for (let round = 0; round < 30; round += 1) {
      const at = (hours: number) => hoursLater(4 * round + hours);
      const racing = [
        ask(shop(0), { resources: [hall], start: at(0), duration: { hours: 3 } }),
        ...[0, 1, 2].map((hours) => ask(shop(hours + 1), { resources: [hall], start: at(hours) })),
      ];
      expect(await tally(racing)).toEqual({ reserved: 4 });
      const more = [0, 1, 2].map((hours) => ask(shop(hours), { resources: [hall], start: at(hours) }));
      expect(await tally(more)).toEqual({ no_capacity: 3 });
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test.each([1, 3, 6])("a session of %i is joined to the last seat, and the two more are told so", async (capacity) => {
    const { shop, finish } = racers(db, 4);
    const [room, teacher] = [await aResource(db.bookonce, "room"), await aResource(db.bookonce, "teacher")];
    const service = unique("yoga");
    await db.bookonce.services.put({
      id: service,
      duration: { minutes: 60 },
      resources: [room, teacher],
      session: { capacity },
    });
    for (let round = 0; round < 20; round += 1) {
      const start = hoursLater(2 * round);
      const racing = Array.from({ length: capacity + 2 }, (_, turn) =>
        ask(shop(turn), { service, start, confirm: turn % 2 === 0 }),
      );
      expect(await tally(racing)).toEqual({ reserved: capacity, no_capacity: 2 });
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test("a session and somebody who wants its room for himself: one or the other", async () => {
    const { shop, finish } = racers(db, 4);
    const room = await aResource(db.bookonce, "room");
    const service = unique("yoga");
    await db.bookonce.services.put({
      id: service,
      duration: { minutes: 60 },
      resources: [room],
      session: { capacity: 5 },
    });
    for (let round = 0; round < 40; round += 1) {
      const start = hoursLater(3 * round);
      const racing = [
        ask(shop(round), { service, start }),
        ask(shop(round + 1), { resources: [room], start: new Date(start.getTime() + 30 * minute) }),
        ask(shop(round + 2), { service, start }),
        // Another start is another session.
        ask(shop(round + 3), { service, start: new Date(start.getTime() + 15 * minute) }),
      ];
      const counted = await tally(racing);
      expect([
        { reserved: 2, slot_taken: 2 },
        { reserved: 1, slot_taken: 3 },
      ]).toContainEqual(counted);
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });
});

describe("replaces", () => {
  test("one hold is exchanged once, whatever the two requests want instead", async () => {
    const { shop, finish } = racers(db, 2);
    const anna = await aResource(db.bookonce);
    for (let round = 0; round < 60; round += 1) {
      const customer = unique("ivan");
      const at = (hours: number) => hoursLater(5 * round + hours);
      const held = await bookFree(shop(round), { customer, resources: [anna], start: at(0) });
      const racing = [1, 2].map((hours) =>
        ask(shop(hours), { customer, resources: [anna], start: at(hours), replaces: held.id }),
      );
      expect(await tally(racing)).toEqual({ reserved: 1, unknown_booking: 1 });
      expect(await db.bookonce.bookings.get(held.id)).toMatchObject({ state: "cancelled" });
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test("two customers exchange their holds for one place: one has it, the other keeps what he had", async () => {
    const { shop, finish } = racers(db, 2);
    const anna = await aResource(db.bookonce);
    for (let round = 0; round < 60; round += 1) {
      const at = (hours: number) => hoursLater(5 * round + hours);
      const holds = await Promise.all(
        [0, 1].map((hours) => bookFree(shop(hours), { customer: unique("c"), resources: [anna], start: at(hours) })),
      );
      const outcomes = await Promise.all(
        holds.map((hold, turn) =>
          ask(shop(turn), { customer: hold.customer, resources: [anna], start: at(2), replaces: hold.id }),
        ),
      );
      const states = await Promise.all(holds.map(async ({ id }) => (await db.bookonce.bookings.get(id))?.state));
      expect(states).toEqual(outcomes.map((one) => (one.outcome === "reserved" ? "cancelled" : "held")));
      expect(states.sort()).toEqual(["cancelled", "held"]);
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test("two holds that want each other's place: both stay where they are", async () => {
    const { shop, finish } = racers(db, 2);
    const anna = await aResource(db.bookonce);
    for (let round = 0; round < 60; round += 1) {
      const at = (hours: number) => hoursLater(5 * round + hours);
      const holds = await Promise.all(
        [0, 1].map((hours) => bookFree(shop(hours), { customer: unique("c"), resources: [anna], start: at(hours) })),
      );
      const racing = holds.map((hold, turn) =>
        ask(shop(turn), { customer: hold.customer, resources: [anna], start: at(1 - turn), replaces: hold.id }),
      );
      expect(await tally(racing)).toEqual({ slot_taken: 2 });
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });
});
