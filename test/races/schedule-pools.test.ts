import type { BookingView, ReserveSlotOutcome } from "bookonce";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask } from "../support/ask.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, hoursLater, tally, unique } from "../support/fixtures.ts";
import { racers } from "../support/racers.ts";
import { expectSound } from "../support/schedule-invariants.ts";

// Whom a pool gives, when its members are wanted by name too.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

/** The locks come first: nobody has to run into the constraint behind them. */
const untroubled = { deadlocks: 0, rollbacks: 0 };

function lives(outcomes: readonly ReserveSlotOutcome[]): BookingView[] {
  return outcomes.flatMap((outcome) => (outcome.outcome === "reserved" ? [outcome.booking] : []));
}

describe("B3, B4: pools", () => {
  test("two members and three racers: two get one each, the third is told that the pool is full", async () => {
    const { shop, finish } = racers(db, 3);
    const members = [await aResource(db.bookonce, "anna"), await aResource(db.bookonce, "boris")];
    for (const fairness of ["least_loaded", "least_recent"] as const) {
      const pool = (await db.bookonce.resources.put({ id: unique("masters"), kind: "pool", members, fairness })).id;
      for (let round = 0; round < 40; round += 1) {
        const start = hoursLater(round + (fairness === "least_recent" ? 1_000 : 0));
        const racing = [0, 1, 2].map((turn) => ask(shop(turn), { resources: [pool], start }));
        expect(await tally(racing)).toEqual({ reserved: 2, pool_full: 1 });
        const taken = lives(await Promise.all(racing)).flatMap((booking) => booking.resources);
        expect(taken.sort()).toEqual([...members].sort());
      }
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test("a pool, a member by name and a shared room at once: the places go as they would to some queue of the four", async () => {
    const { shop, finish } = racers(db, 4);
    const [first, second] = [await aResource(db.bookonce, "z"), await aResource(db.bookonce, "a")];
    const [room, other] = [await aResource(db.bookonce, "room"), await aResource(db.bookonce, "room")];
    const members = [first, second];
    const pool = (await db.bookonce.resources.put({ id: unique("m"), kind: "pool", members })).id;
    const sets = [
      [pool, room],
      [room, first],
      [other, pool],
      [second, other],
    ];
    const possible = new Set(queues(sets, (want) => (want === pool ? members : [want])));
    const seen = new Set<string>();
    for (let round = 0; round < 60; round += 1) {
      const start = hoursLater(round);
      // Each of them is the first to ask as often as the others.
      const racing = sets.map((_, turn) => (turn + round) % sets.length);
      const outcomes = await Promise.all(racing.map((turn) => ask(shop(turn), { resources: sets[turn] ?? [], start })));
      const had = sets.map((_, turn) => {
        const outcome = outcomes[racing.indexOf(turn)];
        if (outcome?.outcome === "refused") expect(["slot_taken", "pool_full"]).toContain(outcome.reason);
        return outcome?.outcome === "reserved" ? [...outcome.booking.resources].sort().join("+") : "nothing";
      });
      expect(possible).toContain(had.join(", "));
      seen.add(had.join(", "));
    }
    console.log(`${seen.size} of ${possible.size} possible outcomes`);
    expect(seen.size).toBeGreaterThan(1);
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });
});

/** What each can have had when they come one after the other, in any order; a pool may give whoever is free. */
function queues(sets: readonly (readonly string[])[], members: (want: string) => readonly string[]): string[] {
  const after = (had: ReadonlyMap<number, readonly string[]>): string[] => {
    if (had.size === sets.length)
      return [sets.map((_, turn) => [...(had.get(turn) ?? [])].sort().join("+") || "nothing").join(", ")];
    const taken = [...had.values()].flat();
    return sets.flatMap((wants, turn) => {
      if (had.has(turn)) return [];
      const ways = wants.reduce<readonly (readonly string[])[]>(
        (all, want) => all.flatMap((way) => members(want).map((member) => [...way, member])),
        [[]],
      );
      const free = ways.filter((way) => way.every((resource) => !taken.includes(resource)));
      return (free.length === 0 ? [[]] : free).flatMap((way) => after(new Map(had).set(turn, way)));
    });
  };
  return after(new Map());
}
