import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { book, hour, lateCharge, minute, preCheckout, receipt } from "../support/fixtures.ts";

// A booking's policy is JSON: a row from another version, or a hand in the table, may have left anything there.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const policies: readonly (readonly [what: string, policy: unknown])[] = [
  ["nothing in it", {}],
  ["null", null],
  ["a list", []],
  ["a number", 7],
  ["parts that are null", { cancellation: null, rescheduling: null, settlementGraceMsByProvider: null }],
  ["lengths that are none", { settlementGraceMs: "soon", rescheduling: { untilMsBeforeStart: -1 } }],
  ["tiers that are none", { cancellation: { tiers: [{ untilMsBeforeStart: "day", percent: 100 }] } }],
  ["tiers of more than was paid", { cancellation: { tiers: [{ untilMsBeforeStart: 0, percent: 400 }] } }],
  ["an empty list of tiers", { cancellation: { tiers: [] } }],
  ["words that nobody knows", { latePayment: "keep", externalRefund: 5, cancellation: { afterwards: "fee" } }],
];

describe.each(policies)("O6: a policy with %s is judged by the defaults", (_, policy) => {
  const damaged = async <Sold extends { readonly id: string }>(booking: Sold): Promise<Sold> => {
    const values = [booking.id, JSON.stringify(policy)];
    await db.pool.query(`update ${db.schema}.bookings set policy = $2::jsonb where id = $1`, values);
    return booking;
  };

  test("S2: a query is decided, with the settlement grace of five minutes", async () => {
    const booking = await damaged(await book(db.bookonce, { hold: { minutes: 1 } }));
    const before = Date.now();
    const decision = await preCheckout(db.bookonce, booking);
    if (decision.outcome !== "approved") throw new Error(decision.outcome);
    const grace = decision.holdExpiresAt.getTime() - before;
    expect(grace).toBeGreaterThan(4.9 * minute);
    expect(grace).toBeLessThan(5.5 * minute);
    expect(await receipt(db.bookonce, booking)).toMatchObject({ outcome: "booked" });
  });

  test("B9, B10: it is moved, previewed and cancelled with all of the money, days before it starts", async () => {
    const booking = await damaged(await book(db.bookonce));
    await receipt(db.bookonce, booking);
    const own = { bookingId: booking.id, customer: booking.customer };
    const start = new Date(booking.start.getTime() + 3 * hour);
    expect(await db.bookonce.reschedule({ ...own, start })).toMatchObject({ outcome: "rescheduled" });
    expect(await db.bookonce.previewCancel(own)).toMatchObject({ outcome: "preview", terms: { percent: 100 } });
    expect(await db.bookonce.cancel(own)).toMatchObject({ outcome: "cancelled", refund: { amount: 500 } });
  });

  test("S11: late money goes back", async () => {
    const { booking } = await lateCharge(db);
    await damaged(booking);
    expect(await receipt(db.bookonce, booking)).toMatchObject({ outcome: "late", refund: { amount: 500 } });
  });

  test("S12: money that goes back without us is recorded, and the booking kept", async () => {
    const booking = await damaged(await book(db.bookonce));
    const paid = await receipt(db.bookonce, booking);
    if (paid.outcome !== "booked") throw new Error(paid.outcome);
    const recorded = await db.bookonce.refunds.recordExternal({ paymentId: paid.payment.id, by: "ledger" });
    expect(recorded).toMatchObject({ outcome: "recorded", booking: { state: "confirmed" } });
  });
});
