import type { BookingView } from "bookonce";
import { weeklyStarts } from "bookonce/calendar";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pgTransaction } from "../database/callers.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, count, digestOf, unique } from "../support/fixtures.ts";
import { have, stopClock } from "../verbs/schedule/support.ts";

// R06: a series is all or nothing. bookonce books one time at a time; the transaction of the application makes them one.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  await stopClock(db, "2026-12-01T12:00:00Z");
});
afterAll(() => db.drop());

const mondays = weeklyStarts({ zone: "UTC", date: "2026-12-07", time: "10:00", times: 4 });
const duration = { minutes: 60 };

/** The dates that cannot be had; without one they are all held, with one or more none is. */
class Conflicts extends Error {
  readonly dates: readonly string[];
  constructor(dates: readonly string[]) {
    super(`not free: ${dates.join(", ")}`);
    this.dates = dates;
  }
}

function bookSeries(customer: string, resource: string): Promise<BookingView[]> {
  return pgTransaction(db.pool, async (client) => {
    const joined = db.bookonce.within(client);
    const held: BookingView[] = [];
    const conflicts: string[] = [];
    for (const { date, start } of mondays) {
      const reserved = await joined.reserveSlot({ customer, resources: [resource], start, duration });
      if (reserved.outcome === "reserved") held.push(reserved.booking);
      else conflicts.push(date);
    }
    if (conflicts.length > 0) throw new Conflicts(conflicts);
    return held;
  });
}

/** How many hold the resource at ten o'clock of each Monday. */
const holders = (resource: string): Promise<number[]> =>
  Promise.all(mondays.map(async ({ start }) => (await db.bookonce.bookings.holders({ resource, at: start })).length));

describe("R06: a weekly series in one transaction", () => {
  test("with one date taken it is refused with that date, and nothing is held on the 7th, the 21st and the 28th", async () => {
    const anna = await aResource(db.bookonce);
    const other = await have(db.bookonce, { resources: [anna], start: "2026-12-14T10:30:00Z" });
    const before = await digestOf(db);
    await expect(bookSeries(unique("customer"), anna)).rejects.toMatchObject({ dates: ["2026-12-14"] });
    expect(await digestOf(db)).toBe(before);
    expect(await holders(anna)).toEqual([0, 0, 0, 0]);
    expect(await db.bookonce.bookings.holders({ resource: anna, at: other.start })).toHaveLength(1);
    // What was given up is free for anybody.
    for (const date of ["07", "21", "28"]) {
      await have(db.bookonce, { resources: [anna], start: `2026-12-${date}T10:00:00Z` });
    }
  });

  test("with all dates free it holds all of them, and they outlast the transaction", async () => {
    const anna = await aResource(db.bookonce);
    const customer = unique("customer");
    const held = await bookSeries(customer, anna);
    expect(held.map(({ start }) => start.toISOString().slice(0, 10))).toEqual(mondays.map(({ date }) => date));
    expect(await holders(anna)).toEqual([1, 1, 1, 1]);
    expect(await db.bookonce.bookings.ofCustomer(customer)).toHaveLength(4);
  });

  test("two series for the same Mondays at once: one has all four, the other none", async () => {
    for (let round = 0; round < 20; round += 1) {
      const anna = await aResource(db.bookonce);
      const racing = [unique("customer"), unique("customer")];
      const ends = await Promise.allSettled(racing.map((customer) => bookSeries(customer, anna)));
      expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      for (const end of ends) if (end.status === "rejected") expect(end.reason).toBeInstanceOf(Conflicts);
      expect(await holders(anna)).toEqual([1, 1, 1, 1]);
      const winner = racing[ends.findIndex(({ status }) => status === "fulfilled")];
      expect(await count(db, "bookings", "customer = any($1)", [racing])).toBe(4);
      expect(await count(db, "bookings", "customer = $1", [winner])).toBe(4);
    }
  });
});
