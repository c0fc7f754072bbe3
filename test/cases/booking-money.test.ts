import { afterEach, beforeEach, expect, test } from "vitest";
import type { TestDatabase } from "../support/database.ts";
import { book, count, historyOf, minute, receipt, receiptOf, soon } from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";
import { answering } from "../support/refunders.ts";

// Faults that real booking software has shown with money; the numbers are those of the collection of cases.
let db: TestDatabase;
beforeEach(async () => {
  db = await createFrozenDatabase();
});
afterEach(() => db.drop());

const actor = "olga";

test("R46: a part of the price buys nothing, is shown as owed long after the hold is over, and goes back by hand", async () => {
  const price = { amount: 100, currency: "UZS" };
  const provider = "telegram_payments";
  const held = await book(db.bookonce, { price });
  const part = await receipt(db.bookonce, held, { provider, amount: 40 });
  if (part.outcome !== "mismatch") throw new Error(part.outcome);
  expect(part).toMatchObject({ payment: { amount: 40, reason: "wrong_amount", review: "open" } });
  expect(await db.bookonce.bookings.get(held.id)).toMatchObject({ state: "held", amountDue: price });

  await db.clock.advance(15 * minute);
  await db.bookonce.sweep();
  expect(await db.bookonce.bookings.get(held.id)).toMatchObject({ state: "expired" });
  expect(await db.bookonce.reviews.list()).toMatchObject([{ id: part.payment.id, amount: 40, bookingId: held.id }]);
  expect(await db.bookonce.audit()).toMatchObject({ ok: true, amounts: { UZS: { review: 40, unaccounted: 0 } } });

  // The rest is another part, not the price: two wrong amounts never make a right one.
  const rest = await receipt(db.bookonce, held, { provider, amount: 60 });
  if (rest.outcome !== "mismatch") throw new Error(rest.outcome);
  expect(await db.bookonce.bookings.get(held.id)).toMatchObject({ state: "expired" });

  for (const { id: paymentId } of [part.payment, rest.payment]) {
    const reviewed = await db.bookonce.reviews.refund({ paymentId, actor });
    if (reviewed.outcome !== "refund_queued") throw new Error(reviewed.outcome);
    // Nobody but a person can return it.
    expect(reviewed.refund).toMatchObject({ amount: reviewed.payment.amount, state: "needs_attention" });
    await db.bookonce.refunds.resolve({ refundId: reviewed.refund.id, actor, note: "in the cabinet" });
  }
  expect(await db.bookonce.reviews.list()).toEqual([]);
  expect(await db.bookonce.audit()).toMatchObject({ ok: true, amounts: { UZS: { review: 0, returned: 100 } } });
  expect(await historyOf(db.bookonce, held)).not.toContain("booking_confirmed");
});

test.each([
  ["after its answer", { answer: "refunded", by: "re_1" }, "re_1"],
  ["in place of its answer", { answer: "unknown", error: "timed out" }, "webhook re_1"],
] as const)(
  "R50: our refund of a part, reported twice by the provider %s, counts once; no more than the rest can follow",
  async (_, answer, completedBy) => {
    const acme = "acme";
    const shop = db.another({
      providers: { [acme]: { refund: "api", partialRefund: true } },
      policies: { cancellation: { tiers: [{ until: { hours: 0 }, percent: 34 }] } },
    });
    const held = await book(shop, { price: { amount: 30, currency: "USD" } });
    const paid = await receipt(shop, held, { provider: acme });
    if (paid.outcome !== "booked") throw new Error(paid.outcome);
    const paymentId = paid.payment.id;
    const cancelled = await shop.cancel({ bookingId: held.id, customer: held.customer });
    if (cancelled.outcome !== "cancelled" || cancelled.refund === null) throw new Error(cancelled.outcome);
    const { id: refundId } = cancelled.refund;
    expect(cancelled.refund).toMatchObject({ amount: 10, state: "pending" });

    await shop.refunds.run({ ...answering(answer), provider: acme });
    for (const _ of [1, 2]) {
      const seen = await shop.refunds.seen({ refundId, by: "webhook re_1" });
      expect(seen).toMatchObject({ state: "completed", completedBy });
    }
    const returned = async () => {
      const [totals] = await shop.payments.totals({ provider: acme, account: "bot" });
      return [totals?.refunds, totals?.returned];
    };
    expect(await returned()).toEqual([1, 10]);
    expect(await count(db, "events", "type = 'refund_completed'")).toBe(1);

    // Whoever writes: 21 more are more than was paid, 20 are what is left.
    const more = (amount: number) =>
      db.pool.query(
        `insert into ${db.schema}.refunds (id, payment_id, booking_id, amount, currency, reason, state, attempts, requested_at, due_at)
        values (gen_random_uuid(), $1, $2, $3, 'USD', 'by hand', 'pending', 0, now(), now())`,
        [paymentId, held.id, amount],
      );
    await expect(more(21)).rejects.toMatchObject({ code: "23514" });
    expect(await shop.refunds.recordExternal({ paymentId, by: "chargeback" })).toMatchObject({
      outcome: "recorded",
      refund: { amount: 20 },
    });
    expect(await returned()).toEqual([2, 30]);
    await expect(more(1)).rejects.toMatchObject({ code: "23514" });
    expect(await shop.refunds.recordExternal({ paymentId, by: "chargeback" })).toEqual({ outcome: "known" });
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  },
);

test("R52: one payment for four places is judged once, as a whole: one confirmation, and nobody is told of a wrong amount", async () => {
  const hall = (await db.bookonce.resources.put({ id: "hall", kind: "counted", capacity: 4 })).id;
  const asked = { resources: [hall], quantity: 4, start: soon, price: { amount: 28_00, currency: "USD" } };
  const held = await book(db.bookonce, asked);
  const charge = receiptOf(held, { provider: "telegram_payments" });
  for (const repeated of [false, true, true]) {
    expect(await db.bookonce.confirmPayment(charge)).toMatchObject({ outcome: "booked", repeated });
  }
  const told: string[] = [];
  await db.bookonce.events.run(async ({ type }) => void told.push(type));
  expect(told).toEqual(["booking_reserved", "booking_confirmed"]);
  expect(await count(db, "payments", "disposition = 'mismatch'")).toBe(0);
  expect(await db.bookonce.reviews.list()).toEqual([]);
});
