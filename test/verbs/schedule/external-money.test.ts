import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import {
  book,
  count,
  digestOf,
  historyOf,
  lateCharge,
  query,
  receiptOf,
  sell,
  unique,
} from "../../support/fixtures.ts";
import { takenAt } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const by = "telegram ledger";
const cancelling = () => db.another({ policies: { externalRefund: "cancelBooking" } });

describe("recordExternal: money that went back without us", () => {
  test("by default the booking is kept, the refund is recorded once, and the books agree", async () => {
    const { booking, paymentId } = await sell(db.bookonce);
    const recorded = await db.bookonce.refunds.recordExternal({ paymentId, by, note: "support" });
    expect(recorded).toMatchObject({
      outcome: "recorded",
      refund: { state: "completed", reason: "external", amount: 500, completedBy: by, note: "support" },
      booking: { id: booking.id, state: "confirmed" },
    });
    const before = await digestOf(db);
    expect(await db.bookonce.refunds.recordExternal({ paymentId, by })).toEqual({ outcome: "known" });
    expect(await digestOf(db)).toBe(before);
    expect(await db.bookonce.refunds.ofPayment(paymentId)).toHaveLength(1);
  });

  test("by policy the booking is cancelled with it: its place is free, and nothing more goes back", async () => {
    const { booking, paymentId } = await sell(cancelling());
    expect(await db.bookonce.refunds.recordExternal({ paymentId, by })).toMatchObject({
      outcome: "recorded",
      booking: { state: "cancelled", cancelledBy: by, cancelReason: "refunded outside" },
    });
    expect(await db.bookonce.bookings.holders({ resource: booking.resources[0] ?? "", at: booking.start })).toEqual([]);
    expect((await historyOf(db.bookonce, booking)).slice(-2)).toEqual(["refund_completed", "booking_cancelled"]);
    expect(await db.bookonce.refunds.ofPayment(paymentId)).toHaveLength(1);
  });

  test("a refund of ours that is still open is completed by it, and not made twice", async () => {
    const { paymentId, refundId } = await lateCharge(db);
    expect(await db.bookonce.refunds.recordExternal({ paymentId, by })).toMatchObject({
      outcome: "recorded",
      refund: { id: refundId, state: "completed", completedBy: by },
    });
    const called: string[] = [];
    await db.bookonce.refunds.run({
      provider: "telegram_stars",
      refund: async ({ refund }) => {
        called.push(refund.id);
        return { answer: "refunded", by: "api" };
      },
    });
    expect(called).not.toContain(refundId);
  });

  test("after our own refund of the whole it is known; the booking that we cancelled stays as it is", async () => {
    const { booking, paymentId } = await sell(cancelling());
    const done = await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
    if (done.outcome !== "cancelled" || done.refund === null) throw new Error(done.outcome);
    await db.bookonce.refunds.seen({ refundId: done.refund.id, by });
    expect(await db.bookonce.refunds.recordExternal({ paymentId, by })).toEqual({ outcome: "known" });
  });

  test("a payment that waits for a person is settled by it", async () => {
    const booking = await book(db.bookonce);
    const paid = await db.bookonce.confirmPayment(receiptOf(booking, { amount: 7 }));
    if (!("payment" in paid) || paid.payment === null) throw new Error(paid.outcome);
    expect(await db.bookonce.reviews.list()).toMatchObject([{ id: paid.payment.id }]);
    expect(await db.bookonce.refunds.recordExternal({ paymentId: paid.payment.id, by })).toMatchObject({
      refund: { amount: 7 },
    });
    expect(await db.bookonce.reviews.list()).toEqual([]);
    expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "held" });
  });

  test("an unknown payment is an error with a code", async () => {
    await expect(db.bookonce.refunds.recordExternal({ paymentId: crypto.randomUUID(), by })).rejects.toMatchObject({
      code: "unknown_payment",
    });
  });

  test("two workers see it at once: it is recorded once", async () => {
    const { paymentId } = await sell(db.bookonce);
    const record = () => db.another().refunds.recordExternal({ paymentId, by });
    const outcomes = (await Promise.all([record(), record(), record()])).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(["known", "known", "recorded"]);
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  });
});

test("S12: a refunder of one account takes only the charges of that account; one without takes all", async () => {
  const [one, two] = [unique("bot"), unique("bot")];
  const first = await lateCharge(db, { account: one });
  const second = await lateCharge(db, { account: two });
  const run = async (account?: string) => {
    const called: string[] = [];
    await db.bookonce.refunds.run({
      provider: "telegram_stars",
      ...(account !== undefined && { account }),
      refund: async ({ refund }) => {
        called.push(refund.id);
        return { answer: "refunded", by: "api" };
      },
    });
    return called;
  };
  expect(await run(one)).toEqual([first.refundId]);
  expect(await run(one)).toEqual([]);
  expect(await run()).toContain(second.refundId);
});

test("O2: totals by currency are what was charged and what came back, at one account", async () => {
  const account = unique("bot");
  expect(await db.bookonce.payments.totals({ provider: "telegram_stars", account })).toEqual([]);
  for (const amount of [500, 500, 500]) {
    const booking = await book(db.bookonce, { price: { amount, currency: "XTR" } });
    await db.bookonce.confirmPayment(receiptOf(booking, { account }));
  }
  const booking = await book(db.bookonce, { price: { amount: 7, currency: "UZS" } });
  await db.bookonce.confirmPayment(receiptOf(booking, { account }));
  const { refundId } = await lateCharge(db, { account });
  const totals = () => db.bookonce.payments.totals({ provider: "telegram_stars", account });
  const uzs = { currency: "UZS", charges: 1, charged: 7, refunds: 0, returned: 0 };
  expect(await totals()).toEqual([uzs, { currency: "XTR", charges: 4, charged: 2000, refunds: 0, returned: 0 }]);
  await db.bookonce.refunds.seen({ refundId, by });
  expect(await totals()).toEqual([uzs, { currency: "XTR", charges: 4, charged: 2000, refunds: 1, returned: 500 }]);
});

describe("S10, S17: an incident that is reported again is stored once", () => {
  const incidents = (type: string) => count(db, "events", "type = $1", [type]);

  test("the same charge with other facts, delivered three times", async () => {
    const { booking, chargeId } = await sell(db.bookonce);
    const other = receiptOf(booking, { chargeId, amount: 1 });
    for (let again = 0; again < 3; again += 1) {
      expect(await db.bookonce.confirmPayment(other)).toMatchObject({ outcome: "conflict" });
    }
    expect(await incidents("payment_conflict")).toBe(1);
  });

  test("the same checkout with other facts, delivered three times", async () => {
    const booking = await book(db.bookonce);
    const asked = query(booking);
    await db.bookonce.decidePreCheckout(asked);
    for (let again = 0; again < 3; again += 1) {
      expect(await db.bookonce.decidePreCheckout({ ...asked, amount: 1 })).toMatchObject({ reason: "conflict" });
    }
    expect(await incidents("checkout_conflict")).toBe(1);
  });

  test("a recurring receipt, delivered three times", async () => {
    const booking = await book(db.bookonce);
    const recurring = receiptOf(booking, { recurring: true });
    for (let again = 0; again < 3; again += 1) {
      expect(await db.bookonce.confirmPayment(recurring)).toMatchObject({ outcome: "recurring" });
    }
    expect(await incidents("payment_recurring")).toBe(1);
    expect(await takenAt(db.bookonce, booking.resources[0] ?? "", 0)).toBe(0);
  });
});
