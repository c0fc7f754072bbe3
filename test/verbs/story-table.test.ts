import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  count,
  digestOf,
  minute,
  preCheckout,
  query,
  receipt,
  receiptOf,
  reserve,
  tally,
} from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

// S14: the story's table, row by row, on a database of its own.
let db: TestDatabase;
beforeEach(async () => {
  db = await createFrozenDatabase();
});
afterEach(() => db.drop());

describe("S14", () => {
  test("two orders race for one slot: one hold, one refusal", async () => {
    const resources = [await aResource(db.bookonce)];
    const racers = [db.bookonce, db.another()].map((shop, index) =>
      reserve(shop, { resources, customer: `racer-${index}` }),
    );
    expect(await tally(racers)).toEqual({ reserved: 1, slot_taken: 1 });
    expect(await count(db, "claims")).toBe(1);
  });

  test("two orders race for one slot through pre-checkout: one yes, one no", async () => {
    const resources = [await aResource(db.bookonce)];
    const orders = [
      await book(db.bookonce, { resources, claim: "at_checkout" }),
      await book(db.bookonce, { resources, claim: "at_checkout" }),
    ];
    const shops = [db.bookonce, db.another()];
    const answers = orders.map((order, index) => preCheckout(shops[index] ?? db.bookonce, order));
    expect(await tally(answers)).toEqual({ approved: 1, slot_taken: 1 });
    expect(await count(db, "checkouts", "decision = 'approved'")).toBe(1);
  });

  test("the same update twice: no new hold, no longer hold", async () => {
    const booking = await book(db.bookonce, { claim: "at_checkout" });
    const asked = query(booking);
    const first = await db.bookonce.decidePreCheckout(asked);
    await db.clock.advance(minute);
    const second = await db.another().decidePreCheckout(asked);
    expect(second).toMatchObject({ outcome: "approved", repeated: true });
    expect(second.outcome === "approved" && second.holdExpiresAt).toEqual(
      first.outcome === "approved" && first.holdExpiresAt,
    );
    expect(await count(db, "claims")).toBe(1);
    expect(await count(db, "checkouts")).toBe(1);
  });

  test("the same receipt twice: one payment, one decision", async () => {
    const booking = await book(db.bookonce);
    const charge = receiptOf(booking);
    const [first, second] = await Promise.all([
      db.bookonce.confirmPayment(charge),
      db.another().confirmPayment(charge),
    ]);
    expect([first, second].map((outcome) => outcome.outcome)).toEqual(["booked", "booked"]);
    expect([first, second].filter((outcome) => "repeated" in outcome && outcome.repeated)).toHaveLength(1);
    expect(await count(db, "payments")).toBe(1);
    expect(await count(db, "events", "type = 'booking_confirmed'")).toBe(1);
    expect(await count(db, "refunds")).toBe(0);
  });

  test("first hold lapsed, second booked, first pays: second kept, first refunded", async () => {
    const resources = [await aResource(db.bookonce)];
    const first = await book(db.bookonce, { resources });
    await preCheckout(db.bookonce, first);
    await db.clock.advance(15 * minute);
    const second = await book(db.bookonce, { resources });
    expect(await receipt(db.bookonce, second)).toMatchObject({ outcome: "booked" });
    expect(await receipt(db.bookonce, first)).toMatchObject({
      outcome: "late",
      refund: { amount: 500, state: "pending" },
    });
    expect(await db.bookonce.bookings.get(second.id)).toMatchObject({ state: "confirmed" });
    expect(await db.bookonce.bookings.get(first.id)).toMatchObject({ state: "expired" });
    expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { bought: 1, returning: 1 } });
  });

  test("the same person re-books and the old invoice is paid: the old payment does not confirm the new booking", async () => {
    const old = await book(db.bookonce);
    await db.clock.advance(15 * minute);
    const fresh = await book(db.bookonce, { customer: old.customer, resources: old.resources });
    expect(await preCheckout(db.bookonce, old)).toMatchObject({ outcome: "declined", reason: "hold_lapsed" });
    expect(await receipt(db.bookonce, old)).toMatchObject({ outcome: "late", booking: { id: old.id } });
    expect(await db.bookonce.bookings.get(fresh.id)).toMatchObject({ state: "held", amountDue: { amount: 500 } });
    expect(await receipt(db.bookonce, fresh)).toMatchObject({ outcome: "booked", booking: { id: fresh.id } });
  });

  test("the answer call times out: the hold is not dropped, and blocks others until it expires (S8)", async () => {
    const booking = await book(db.bookonce, { claim: "at_checkout" });
    await preCheckout(db.bookonce, booking);
    // Nobody knows what Telegram heard. Nothing is called, and the process may be gone.
    const before = await digestOf(db);
    expect(await reserve(db.bookonce, { resources: booking.resources })).toMatchObject({ reason: "slot_taken" });
    expect(await digestOf(db)).toBe(before);
    expect(await receipt(db.another(), booking)).toMatchObject({ outcome: "booked" });
  });

  test("the answer call times out and nothing follows: the slot is free again at the end of the grace", async () => {
    const booking = await book(db.bookonce, { claim: "at_checkout" });
    await preCheckout(db.bookonce, booking);
    await db.clock.advance(5 * minute);
    expect((await reserve(db.bookonce, { resources: booking.resources })).outcome).toBe("reserved");
  });
});
