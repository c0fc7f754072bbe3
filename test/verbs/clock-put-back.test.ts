import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  bookFree,
  hoursLater,
  minute,
  query,
  receipt,
  reserve,
  soon,
  unique,
} from "../support/fixtures.ts";

// After a fail-over the clock may stand a little before what is written already. What was taken before still stands.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.clock.reset());
afterAll(() => db.drop());

/** Does something on the server whose clock is five seconds ahead, and goes on on the other one. */
async function ahead<Result>(work: () => Promise<Result>): Promise<Result> {
  await db.clock.advance(5_000);
  const result = await work();
  await db.clock.reset();
  return result;
}

describe("when the clock was put back by five seconds", () => {
  test("S11: what is paid for keeps its place for good", async () => {
    const anna = await aResource(db.bookonce);
    const held = await ahead(() => book(db.bookonce, { resources: [anna] }));
    expect(await receipt(db.bookonce, held)).toMatchObject({ outcome: "booked" });
    expect((await db.bookonce.audit()).problems).toEqual([]);
    await db.clock.advance(20 * minute);
    expect(await reserve(db.bookonce, { resources: [anna] })).toMatchObject({ reason: "slot_taken" });
  });

  test("S4: an approval keeps the slot as long as the charge may need", async () => {
    const anna = await aResource(db.bookonce);
    const held = await ahead(() => book(db.bookonce, { resources: [anna], hold: { minutes: 1 } }));
    expect(await db.bookonce.decidePreCheckout(query(held))).toMatchObject({ outcome: "approved" });
    await db.clock.advance(4 * minute);
    expect(await reserve(db.bookonce, { resources: [anna] })).toMatchObject({ reason: "slot_taken" });
    expect(await receipt(db.bookonce, held)).toMatchObject({ outcome: "booked" });
  });

  test("B9: what is cancelled frees its place", async () => {
    const anna = await aResource(db.bookonce);
    const had = await ahead(() => bookFree(db.bookonce, { resources: [anna], confirm: true }));
    const cancelled = await db.bookonce.cancel({ bookingId: had.id, customer: had.customer });
    expect(cancelled).toMatchObject({ outcome: "cancelled" });
    expect(await reserve(db.bookonce, { resources: [anna] })).toMatchObject({ outcome: "reserved" });
    expect((await db.bookonce.audit()).problems).toEqual([]);
  });

  test("B10: what is moved frees the old place and has the new one", async () => {
    const anna = await aResource(db.bookonce);
    const had = await ahead(() => bookFree(db.bookonce, { resources: [anna], confirm: true }));
    const move = { bookingId: had.id, customer: had.customer, start: hoursLater(3) };
    expect(await db.bookonce.reschedule(move)).toMatchObject({ outcome: "rescheduled" });
    expect(await reserve(db.bookonce, { resources: [anna] })).toMatchObject({ outcome: "reserved" });
    expect(await reserve(db.bookonce, { resources: [anna], start: hoursLater(3) })).toMatchObject({
      reason: "slot_taken",
    });
  });

  test("B2, B3: what others have is seen and refused, and shown as taken", async () => {
    const anna = await aResource(db.bookonce);
    const hall = (await db.bookonce.resources.put({ id: unique("hall"), kind: "counted", capacity: 1 })).id;
    await ahead(async () => {
      await book(db.bookonce, { resources: [anna] });
      await book(db.bookonce, { resources: [hall] });
    });
    expect(await reserve(db.bookonce, { resources: [anna] })).toMatchObject({
      outcome: "refused",
      reason: "slot_taken",
    });
    expect(await reserve(db.bookonce, { resources: [hall] })).toMatchObject({
      outcome: "refused",
      reason: "no_capacity",
    });
    const busy = await db.bookonce.bookings.busy({ resources: [anna], from: soon, to: hoursLater(1) });
    expect(busy).toMatchObject([{ start: soon }]);
  });

  test("B12: a hold that was closed when it was taken holds nothing", async () => {
    const anna = await aResource(db.bookonce);
    const first = await ahead(() => book(db.bookonce, { resources: [anna] }));
    await db.bookonce.cancel({ bookingId: first.id, administrator: "olga" });
    const second = await book(db.bookonce, { resources: [anna] });
    expect(await receipt(db.bookonce, second)).toMatchObject({ outcome: "booked" });
  });
});
