import { afterEach, beforeEach, expect, test } from "vitest";
import type { TestDatabase } from "../support/database.ts";
import { book, count, historyOf, hour, hoursLater, minute, sell, unique } from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

let db: TestDatabase;
beforeEach(async () => {
  db = await createFrozenDatabase();
});
afterEach(() => db.drop());

test("sweeping writes down what has lapsed, once, and leaves everything else alone", async () => {
  const lapsing = await book(db.bookonce);
  const longer = await book(db.bookonce, { hold: { hours: 2 } });
  const invoice = await book(db.bookonce, { claim: "at_checkout" });
  const { booking: paid } = await sell(db.bookonce);
  const cancelled = await book(db.bookonce);
  await db.bookonce.cancel({ bookingId: cancelled.id, customer: cancelled.customer });
  expect(await db.bookonce.sweep()).toEqual({ expired: 0 });
  await db.clock.advance(15 * minute - 1);
  expect(await db.bookonce.sweep()).toEqual({ expired: 0 });
  await db.clock.advance(1);
  expect(await db.bookonce.sweep()).toEqual({ expired: 1 });
  expect(await db.bookonce.sweep()).toEqual({ expired: 0 });
  const states = await Promise.all(
    [lapsing, longer, invoice, paid, cancelled].map(async ({ id }) => (await db.bookonce.bookings.get(id))?.state),
  );
  expect(states).toEqual(["expired", "held", "pending", "confirmed", "cancelled"]);
  expect(await historyOf(db.bookonce, lapsing)).toEqual(["booking_reserved", "booking_expired"]);
  await db.clock.advance(24 * hour);
  expect(await db.bookonce.sweep()).toEqual({ expired: 2 });
});

test("two sweepers at once write each lapse down once, over several pages", async () => {
  const resource = (await db.bookonce.resources.put({ id: "anna" })).id;
  const lapsing = Array.from({ length: 520 }, (_, index) =>
    book(db.bookonce, { customer: unique("c"), resources: [resource], start: hoursLater(index) }),
  );
  await Promise.all(lapsing);
  await db.clock.advance(15 * minute);
  const [one, two] = await Promise.all([db.bookonce.sweep(), db.another().sweep()]);
  expect(one.expired + two.expired).toBe(520);
  expect(await count(db, "events", "type = 'booking_expired'")).toBe(520);
  expect(await count(db, "bookings", "state = 'expired' and version = 2")).toBe(520);
});
