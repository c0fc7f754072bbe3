import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestDatabase } from "../support/database.ts";
import { book, digestOf, historyOf, lateCharge, minute, receipt } from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";
import { answering, done } from "../support/refunders.ts";

// S12, S16: what a person does with a refund.
let db: TestDatabase;
beforeEach(async () => {
  db = await createFrozenDatabase();
});
afterEach(() => db.drop());

const actor = "olga";
const refundNow = async (refundId: string) =>
  (await db.bookonce.refunds.list()).find((refund) => refund.id === refundId);

describe("S12: what a person does", () => {
  test.each(["pending", "unconfirmed", "needs_attention"] as const)(
    "closes a refund that is %s with a note",
    async (state) => {
      const { refundId, booking } = await lateCharge(db);
      const answers = { pending: null, unconfirmed: "unknown", needs_attention: "refused" } as const;
      const answer = answers[state];
      if (answer !== null) await db.bookonce.refunds.run(answering({ answer, error: "x" }));
      expect(await refundNow(refundId)).toMatchObject({ state });
      const closed = await db.bookonce.refunds.resolve({ refundId, actor, note: "paid in cash" });
      expect(closed).toMatchObject({ state: "completed", completedBy: actor, note: "paid in cash" });
      const again = await db.bookonce.refunds.resolve({ refundId, actor: "boris", note: "again" });
      expect(again).toEqual(closed);
      const entries = await db.bookonce.bookings.history(booking.id);
      expect(entries.filter((entry) => entry.type === "refund_completed")).toMatchObject([{ actor }]);
    },
  );

  test("what the provider's ledger shows completes a refund, whatever its state", async () => {
    const { refundId } = await lateCharge(db);
    await db.bookonce.refunds.run(answering({ answer: "unknown", error: "timed out" }));
    expect(await db.bookonce.refunds.seen({ refundId, by: "ledger" })).toMatchObject({
      state: "completed",
      completedBy: "ledger",
    });
    await db.clock.advance(minute);
    const refunder = answering(done);
    await db.bookonce.refunds.run(refunder);
    expect(refunder.tasks).toEqual([]);
  });

  test("gives a refund that needs attention back to the workers", async () => {
    const { refundId } = await lateCharge(db);
    await db.bookonce.refunds.run(answering({ answer: "refused", error: "x" }));
    expect(await db.bookonce.refunds.retry({ refundId, actor })).toMatchObject({ state: "unconfirmed", attempts: 0 });
    await expect(db.bookonce.refunds.retry({ refundId, actor })).rejects.toMatchObject({ code: "not_allowed" });
    expect(await db.bookonce.refunds.run(answering(done))).toMatchObject({ completed: 1 });
  });

  test("is told when there is no such refund", async () => {
    const refundId = "00000000-0000-4000-8000-000000000000";
    await expect(db.bookonce.refunds.resolve({ refundId, actor, note: "x" })).rejects.toMatchObject({
      code: "unknown_refund",
    });
    await expect(db.bookonce.refunds.retry({ refundId, actor })).rejects.toMatchObject({ code: "unknown_refund" });
    await expect(db.bookonce.refunds.seen({ refundId, by: actor })).rejects.toMatchObject({ code: "unknown_refund" });
  });
});

describe("S16: where no worker can return the money, a refund stays with a person", () => {
  test.each(["telegram_payments", "a provider that nobody declared"])(
    "%s: retry says so, and writes nothing",
    async (provider) => {
      const { refundId } = await lateCharge(db, { provider });
      expect(await refundNow(refundId)).toMatchObject({
        state: "needs_attention",
        note: expect.stringContaining(provider),
      });
      const before = await digestOf(db);
      const error = await db.bookonce.refunds.retry({ refundId, actor }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: "not_allowed",
        retryable: false,
        message: expect.stringContaining(provider),
      });
      expect(await digestOf(db)).toBe(before);
      expect(await db.bookonce.refunds.resolve({ refundId, actor, note: "cabinet" })).toMatchObject({
        state: "completed",
      });
    },
  );

  test.each(["telegram_payments", "a provider that nobody declared"])(
    "%s: so does a refund out of review",
    async (provider) => {
      const booking = await book(db.bookonce);
      const paid = await receipt(db.bookonce, booking, { provider, payer: "somebody else" });
      if (paid.outcome !== "mismatch") throw new Error(paid.outcome);
      const reviewed = await db.bookonce.reviews.refund({ paymentId: paid.payment.id, actor });
      expect(reviewed).toMatchObject({ outcome: "refund_queued", refund: { state: "needs_attention" } });
      expect((await historyOf(db.bookonce, booking)).slice(-2)).toEqual(["refund_requested", "refund_needs_attention"]);
    },
  );

  test("a provider that was declared later is given to its workers by a retry", async () => {
    const { refundId } = await lateCharge(db, { provider: "acme" });
    await expect(db.bookonce.refunds.retry({ refundId, actor })).rejects.toMatchObject({ code: "not_allowed" });
    const shop = db.another({ providers: { acme: { refund: "api", partialRefund: false } } });
    expect(await shop.refunds.retry({ refundId, actor })).toMatchObject({ state: "pending" });
    expect(await shop.refunds.run({ ...answering(done), provider: "acme" })).toMatchObject({ completed: 1 });
  });
});
