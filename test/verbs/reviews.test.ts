import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { book, digestOf, historyOf, minute, receipt, receiptOf, sell, unique } from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const actor = "olga";

/** A charge of this amount that names no booking. */
async function stray(amount = 500, chargeId = unique("charge")) {
  const outcome = await receipt(db.bookonce, await book(db.bookonce), { payload: unique("bko1_"), amount, chargeId });
  if (outcome.outcome !== "unmatched") throw new Error(outcome.outcome);
  return outcome.payment;
}

describe("a payment that waits for a person", () => {
  test("is listed, oldest first, until it is decided", async () => {
    const [first, second] = [await stray(), await stray()];
    const listed = (await db.bookonce.reviews.list()).map((payment) => payment.id);
    expect(listed.indexOf(first.id)).toBeLessThan(listed.indexOf(second.id));
    await db.bookonce.reviews.close({ paymentId: first.id, actor, note: "a gift" });
    expect((await db.bookonce.reviews.list()).map((payment) => payment.id)).not.toContain(first.id);
  });

  test("is returned", async () => {
    const payment = await stray();
    const outcome = await db.bookonce.reviews.refund({ paymentId: payment.id, actor, note: "unknown buyer" });
    expect(outcome).toMatchObject({
      outcome: "refund_queued",
      payment: { review: "refunded", reviewedBy: actor, note: "unknown buyer" },
      refund: { amount: 500, state: "pending", reason: "review" },
    });
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  });

  test("is closed with a note", async () => {
    const payment = await stray();
    expect(await db.bookonce.reviews.close({ paymentId: payment.id, actor, note: "settled in cash" })).toMatchObject({
      outcome: "closed",
      payment: { review: "closed", note: "settled in cash", disposition: "unmatched" },
    });
  });

  test("is attached to a held booking, which is confirmed by it", async () => {
    const [payment, held] = [await stray(), await book(db.bookonce)];
    expect(await db.bookonce.reviews.attach({ paymentId: payment.id, bookingId: held.id, actor })).toMatchObject({
      outcome: "attached",
      payment: { disposition: "booked", bookingId: held.id, review: "attached" },
      booking: { state: "confirmed", amountDue: null },
    });
    expect(await historyOf(db.bookonce, held)).toEqual(["booking_reserved", "review_closed", "booking_confirmed"]);
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  });

  test("is attached to a lapsed booking if the slot is free", async () => {
    const own = await createFrozenDatabase();
    const [free, taken] = [await book(own.bookonce), await book(own.bookonce)];
    await own.clock.advance(15 * minute);
    await book(own.bookonce, { resources: taken.resources });
    const wrong = await receipt(own.bookonce, free, { amount: 5 });
    const paymentId = wrong.outcome === "mismatch" ? wrong.payment.id : "";
    const attach = (bookingId: string) => own.bookonce.reviews.attach({ paymentId, bookingId, actor });
    expect(await attach(taken.id)).toEqual({ outcome: "refused", reason: "slot_taken" });
    expect(await attach(free.id)).toMatchObject({ outcome: "attached", booking: { state: "confirmed" } });
    expect(await own.bookonce.audit()).toMatchObject({ ok: true });
    await own.drop();
  });

  test("that was attached is answered as booked when its receipt comes again", async () => {
    const [lost, held] = [await book(db.bookonce), await book(db.bookonce)];
    const charge = receiptOf(lost, { payload: unique("bko1_") });
    const first = await db.bookonce.confirmPayment(charge);
    const paymentId = first.outcome === "unmatched" ? first.payment.id : "";
    await db.bookonce.reviews.attach({ paymentId, bookingId: held.id, actor });
    const before = await digestOf(db);
    expect(await db.bookonce.confirmPayment(charge)).toMatchObject({
      outcome: "booked",
      booking: { id: held.id },
      repeated: true,
    });
    expect(await digestOf(db)).toBe(before);
  });

  test.each([300, 700])(
    "of %i Stars, attached to a booking of 500, is returned as it was paid when that is cancelled",
    async (amount) => {
      const [payment, held] = [await stray(amount), await book(db.bookonce)];
      await db.bookonce.reviews.attach({ paymentId: payment.id, bookingId: held.id, actor });
      const outcome = await db.bookonce.cancel({ bookingId: held.id, customer: held.customer });
      expect(outcome).toMatchObject({ outcome: "cancelled", refund: { amount, paymentId: payment.id } });
      expect(await db.bookonce.audit()).toMatchObject({ ok: true });
    },
  );
});

describe("a review is refused, and nothing is written,", () => {
  const refused = (reason: string) => ({ outcome: "refused", reason });
  const nobody = "00000000-0000-4000-8000-000000000000";

  test("when there is no such payment, or it does not wait any more", async () => {
    const payment = await stray();
    const bought = await sell(db.bookonce);
    await db.bookonce.reviews.close({ paymentId: payment.id, actor, note: "done" });
    const before = await digestOf(db);
    expect(await db.bookonce.reviews.refund({ paymentId: nobody, actor })).toEqual(refused("unknown_payment"));
    expect(await db.bookonce.reviews.refund({ paymentId: payment.id, actor })).toEqual(refused("not_in_review"));
    expect(await db.bookonce.reviews.close({ paymentId: bought.paymentId, actor, note: "x" })).toEqual(
      refused("not_in_review"),
    );
    expect(await digestOf(db)).toBe(before);
  });

  test("when the booking is unknown, cancelled or paid", async () => {
    const payment = await stray();
    const { booking: paid } = await sell(db.bookonce);
    const cancelled = await book(db.bookonce);
    await db.bookonce.cancel({ bookingId: cancelled.id, customer: cancelled.customer });
    const before = await digestOf(db);
    const attach = (bookingId: string) => db.bookonce.reviews.attach({ paymentId: payment.id, bookingId, actor });
    expect(await attach(nobody)).toEqual(refused("unknown_booking"));
    expect(await attach(cancelled.id)).toEqual(refused("cancelled"));
    expect(await attach(paid.id)).toEqual(refused("already_paid"));
    expect(await digestOf(db)).toBe(before);
  });

  test("when two people decide at once: one decision counts", async () => {
    const [payment, held] = [await stray(), await book(db.bookonce)];
    const outcomes = await Promise.all([
      db.bookonce.reviews.refund({ paymentId: payment.id, actor }),
      db.another().reviews.attach({ paymentId: payment.id, bookingId: held.id, actor: "boris" }),
    ]);
    expect(outcomes.filter((outcome) => outcome.outcome === "refused")).toEqual([refused("not_in_review")]);
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  });
});
