import type { BookingView, PreCheckoutInput } from "bookonce";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { book, count, digestOf, minute, preCheckout, query, receipt } from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const declined = (reason: string) => ({ outcome: "declined", reason });

describe("S6: the same query again", () => {
  test("is answered as stored, extends nothing and writes nothing", async () => {
    const booking = await book(db.bookonce, { hold: { minutes: 2 } });
    const asked = query(booking);
    const first = await db.bookonce.decidePreCheckout(asked);
    const before = await digestOf(db);
    const second = await db.bookonce.decidePreCheckout(asked);
    expect(second).toEqual({ ...first, repeated: true });
    expect(await digestOf(db)).toBe(before);
  });

  test("with other facts is an incident and a no", async () => {
    const [booking, other] = [await book(db.bookonce), await book(db.bookonce)];
    const asked = query(booking);
    await db.bookonce.decidePreCheckout(asked);
    for (const over of [{ amount: 1 }, { payer: "x" }, { payload: other.payload }]) {
      expect(await db.bookonce.decidePreCheckout({ ...asked, ...over })).toMatchObject(declined("conflict"));
    }
    expect(await count(db, "events", "type = 'checkout_conflict' and booking_id = $1", [booking.id])).toBe(3);
    expect(await db.bookonce.bookings.get(other.id)).toMatchObject({ state: "held", version: 1 });
  });

  test("a stored yes becomes a no when its hold is over", async () => {
    const own = await createFrozenDatabase();
    const booking = await book(own.bookonce, { hold: { minutes: 1 } });
    const asked = query(booking);
    expect(await own.bookonce.decidePreCheckout(asked)).toMatchObject({ outcome: "approved" });
    await own.clock.advance(5 * minute - 1);
    expect(await own.bookonce.decidePreCheckout(asked)).toMatchObject({ outcome: "approved", repeated: true });
    await own.clock.advance(1);
    expect(await own.bookonce.decidePreCheckout(asked)).toMatchObject({ ...declined("hold_lapsed"), repeated: true });
    await own.drop();
  });

  test.each([
    ["its own charge", async (booking: BookingView) => receipt(db.bookonce, booking)],
    [
      "another charge, after the approval was void",
      async (booking: BookingView, asked: PreCheckoutInput) => {
        const { provider, account, checkoutId, payload } = asked;
        await db.bookonce.voidApproval({ provider, account, checkoutId, payload, reason: "answered too late" });
        expect(await preCheckout(db.bookonce, booking)).toMatchObject({ outcome: "approved" });
        return receipt(db.bookonce, booking);
      },
    ],
    [
      "an administrator",
      async (booking: BookingView) => db.bookonce.confirm({ bookingId: booking.id, administrator: "olga" }),
    ],
  ])("a stored yes becomes a no when the booking has been confirmed meanwhile by %s", async (_, confirmed) => {
    const booking = await book(db.bookonce);
    const asked = query(booking);
    expect(await db.bookonce.decidePreCheckout(asked)).toMatchObject({ outcome: "approved" });
    expect((await confirmed(booking, asked)).outcome).toMatch(/^(booked|confirmed)$/);
    const before = await digestOf(db);
    expect(await db.bookonce.decidePreCheckout(asked)).toMatchObject({ ...declined("already_paid"), repeated: true });
    expect(await digestOf(db)).toBe(before);
  });

  test("a stored no stays a no, even when the reason is gone", async () => {
    const booking = await book(db.bookonce);
    const asked = query(booking, { payer: "maria" });
    await db.bookonce.decidePreCheckout(asked);
    expect(await db.bookonce.decidePreCheckout(asked)).toMatchObject({ ...declined("wrong_payer"), repeated: true });
  });
});

describe("S7: a booking is approved at most once", () => {
  test("a second query for it takes nothing again", async () => {
    const booking = await book(db.bookonce);
    expect(await preCheckout(db.bookonce, booking)).toMatchObject({ outcome: "approved" });
    expect(await preCheckout(db.bookonce, booking)).toMatchObject(declined("payment_in_progress"));
  });

  test("after the hold lapsed the same buyer needs a new booking, even if the slot is free", async () => {
    const own = await createFrozenDatabase();
    const booking = await book(own.bookonce);
    await own.clock.advance(15 * minute);
    expect(await preCheckout(own.bookonce, booking)).toMatchObject(declined("hold_lapsed"));
    const { customer, resources } = booking;
    const again = await book(own.bookonce, { customer, resources });
    expect(again.id).not.toBe(booking.id);
    expect(await preCheckout(own.bookonce, again)).toMatchObject({ outcome: "approved" });
    await own.drop();
  });

  test("an approval that Telegram itself called too late is void, and another query may be approved", async () => {
    const booking = await book(db.bookonce);
    const asked = query(booking);
    await db.bookonce.decidePreCheckout(asked);
    const { provider, account, checkoutId, payload } = asked;
    const voiding = { provider, account, checkoutId, payload, reason: "query is too old" };
    expect(await db.bookonce.voidApproval(voiding)).toEqual({ outcome: "voided" });
    expect(await db.bookonce.voidApproval(voiding)).toEqual({ outcome: "not_standing" });
    expect(await db.bookonce.voidApproval({ ...voiding, checkoutId: "never" })).toEqual({ outcome: "not_standing" });
    expect(await db.bookonce.voidApproval({ ...voiding, payload: "order-17" })).toEqual({ outcome: "not_standing" });
    expect(await db.bookonce.decidePreCheckout(asked)).toMatchObject(declined("hold_lapsed"));
    expect(await preCheckout(db.bookonce, booking)).toMatchObject({ outcome: "approved", repeated: false });
    // Should the first charge come after all, it still finds its booking.
    expect(await receipt(db.bookonce, booking)).toMatchObject({ outcome: "booked" });
  });
});
