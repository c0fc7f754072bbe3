import type { PoliciesInput } from "bookonce";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { digestOf, hour, receipt, unique } from "../../support/fixtures.ts";
import { ask, at, have, stopClock } from "./support.ts";

// B9
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.clock.reset());
afterAll(() => db.drop());

type Cancellation = NonNullable<PoliciesInput["cancellation"]>;
const tiers = [
  { until: { hours: 12 }, percent: 50 },
  { until: { hours: 48 }, percent: 100 },
] as const;

/** A paid booking of a shop with this policy, and the clock stopped so many hours before its start. */
async function paid(
  cancellation: Cancellation,
  hoursBefore: number,
  over: { provider?: string; amount?: number } = {},
) {
  const bookonce = db.another({ policies: { cancellation } });
  const anna = (await bookonce.resources.put({ id: unique("anna") })).id;
  const price = { amount: over.amount ?? 500, currency: over.provider === undefined ? "XTR" : "UZS" };
  const booking = await have(bookonce, { resources: [anna], start: at(0), price });
  const charge = await receipt(bookonce, booking, { provider: over.provider ?? "telegram_stars" });
  if (charge.outcome !== "booked") throw new Error(charge.outcome);
  await stopClock(db, new Date(at(0).getTime() - hoursBefore * hour).toISOString());
  const owner = { bookingId: booking.id, customer: booking.customer };
  const admin = { bookingId: booking.id, administrator: "olga" };
  return { bookonce, booking, owner, admin, anna, paymentId: charge.payment.id };
}

describe("B9: what goes back, in the preview and in the act", () => {
  const part = { provider: "telegram_payments" };
  test.each([
    ["before the first tier ends, all", 49, part, { percent: 100, rounded: false, amount: 500 }],
    ["at its very end, all", 48, part, { percent: 100, rounded: false, amount: 500 }],
    ["within the second, half", 47, part, { percent: 50, rounded: false, amount: 250 }],
    ["half of an odd amount, rounded down", 47, { ...part, amount: 501 }, { percent: 50, rounded: false, amount: 250 }],
    ["later, nothing", 11, part, { percent: 0, rounded: false, amount: null }],
    ["half of Stars, which go back whole or not at all", 47, {}, { percent: 50, rounded: true, amount: null }],
  ] as const)("%s", async (_, hoursBefore, over, { amount, ...terms }) => {
    const { bookonce, owner } = await paid({ tiers }, hoursBefore, over);
    const preview = await bookonce.previewCancel(owner);
    const refund = amount === null ? null : expect.objectContaining({ amount });
    expect(preview).toMatchObject({ outcome: "preview", terms: { allowed: true, ...terms, refund } });
    if (preview.outcome !== "preview") return;
    const done = await bookonce.cancel({ ...owner, quote: preview.terms.quote });
    expect(done).toMatchObject({ outcome: "cancelled", terms: preview.terms });
    expect(done.outcome === "cancelled" ? (done.refund?.amount ?? null) : "refused").toBe(amount);
    expect(await bookonce.audit()).toMatchObject({ ok: true });
  });

  test("half of Stars may be rounded up to the whole by policy", async () => {
    const { bookonce, owner } = await paid({ tiers, wholeInsteadOfPart: "all" }, 47);
    expect(await bookonce.previewCancel(owner)).toMatchObject({
      terms: { percent: 50, rounded: true, refund: { amount: 500, currency: "XTR" } },
    });
  });

  test("B9: when it is too late a customer is refused with the terms, and nothing changes; an administrator passes, and all goes back", async () => {
    const { bookonce, owner, admin } = await paid({ refundUntil: { hours: 24 }, afterwards: "forbidden" }, 23);
    const before = await digestOf(db);
    const refused = { outcome: "refused", reason: "forbidden_by_policy", terms: { allowed: false, refund: null } };
    expect(await bookonce.previewCancel(owner)).toMatchObject(refused);
    expect(await bookonce.cancel(owner)).toMatchObject(refused);
    expect(await digestOf(db)).toBe(before);
    expect(await bookonce.previewCancel(admin)).toMatchObject({ terms: { allowed: true, percent: 100 } });
    expect(await bookonce.cancel(admin)).toMatchObject({
      outcome: "cancelled",
      booking: { cancelledBy: "olga" },
      refund: { amount: 500 },
    });
  });

  test("B9: a quote whose terms have changed meanwhile is refused with the new ones, and nothing changes", async () => {
    const { bookonce, owner } = await paid({ tiers }, 49, { provider: "telegram_payments" });
    const preview = await bookonce.previewCancel(owner);
    if (preview.outcome !== "preview") throw new Error(preview.outcome);
    await stopClock(db, new Date(at(0).getTime() - 47 * hour).toISOString());
    const before = await digestOf(db);
    const stale = await bookonce.cancel({ ...owner, quote: preview.terms.quote });
    expect(stale).toMatchObject({
      outcome: "refused",
      reason: "quote_changed",
      terms: { percent: 50, refund: { amount: 250 } },
    });
    expect(await digestOf(db)).toBe(before);
    if (stale.outcome !== "refused" || stale.reason !== "quote_changed") return;
    expect((await bookonce.cancel({ ...owner, quote: stale.terms.quote })).outcome).toBe("cancelled");
  });

  test("B9: a booking that was moved meanwhile has other terms, though the sum is the same", async () => {
    const { bookonce, owner } = await paid({}, 100);
    const preview = await bookonce.previewCancel(owner);
    if (preview.outcome !== "preview") throw new Error(preview.outcome);
    await bookonce.reschedule({ ...owner, start: at(5) });
    expect(await bookonce.cancel({ ...owner, quote: preview.terms.quote })).toMatchObject({ reason: "quote_changed" });
  });

  test("B9: the policy is the one of the day it was booked, whatever the instance says now", async () => {
    const { owner } = await paid({ tiers: [{ until: { hours: 0 }, percent: 100 }] }, 1);
    const stricter = db.another({
      policies: { cancellation: { refundUntil: { hours: 100 }, afterwards: "forbidden" } },
    });
    expect(await stricter.previewCancel(owner)).toMatchObject({ outcome: "preview", terms: { percent: 100 } });
  });

  test("B9: a preview writes nothing, and says the same of what is over as cancel does", async () => {
    const { bookonce, owner, booking } = await paid({}, 100);
    const before = await digestOf(db);
    await bookonce.previewCancel(owner);
    expect(await bookonce.previewCancel({ ...owner, customer: "a stranger" })).toEqual({
      outcome: "refused",
      reason: "unknown_booking",
    });
    expect(await digestOf(db)).toBe(before);
    await bookonce.cancel(owner);
    expect(await bookonce.previewCancel(owner)).toMatchObject({
      outcome: "already_cancelled",
      booking: { id: booking.id },
    });
  });

  test("B9: after the slot was sold again, cancelling once more frees nothing and returns nothing twice", async () => {
    const { bookonce, owner, anna, paymentId } = await paid({}, 100);
    await bookonce.cancel(owner);
    const next = await have(bookonce, { resources: [anna], start: at(0), confirm: true });
    const before = await digestOf(db);
    expect(await bookonce.cancel(owner)).toMatchObject({ outcome: "already_cancelled" });
    expect(await bookonce.cancel({ bookingId: owner.bookingId, administrator: "olga" })).toMatchObject({
      outcome: "already_cancelled",
    });
    expect(await digestOf(db)).toBe(before);
    expect(await ask(bookonce, { resources: [anna], start: at(0) })).toMatchObject({ reason: "slot_taken" });
    expect(await bookonce.bookings.get(next.id)).toMatchObject({ state: "confirmed" });
    expect(await bookonce.refunds.ofPayment(paymentId)).toHaveLength(1);
  });
});

describe("P6: an attended booking is not refunded, unless the policy says so", () => {
  test("a customer is refused; an administrator passes", async () => {
    const { bookonce, owner, admin } = await paid({}, 48);
    await bookonce.checkIn({ bookingId: owner.bookingId, actor: "door" });
    expect(await bookonce.previewCancel(owner)).toMatchObject({
      outcome: "refused",
      reason: "forbidden_by_policy",
      terms: { percent: 0, refund: null },
    });
    expect(await bookonce.cancel(admin)).toMatchObject({ outcome: "cancelled", refund: { amount: 500 } });
  });

  test("with refundAttended the tiers hold for it as for any other, and a no-show is judged by them anyway", async () => {
    const { bookonce, owner } = await paid({ refundAttended: true }, 48);
    await bookonce.checkIn({ bookingId: owner.bookingId, actor: "door" });
    expect(await bookonce.previewCancel(owner)).toMatchObject({ terms: { percent: 100, refund: { amount: 500 } } });
    const late = await paid({}, -2);
    await late.bookonce.markNoShow({ bookingId: late.owner.bookingId, actor: "door" });
    expect(await late.bookonce.previewCancel(late.owner)).toMatchObject({ terms: { allowed: true, refund: null } });
  });
});
