import type { BookonceEvent } from "bookonce";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  count,
  lateCharge,
  minute,
  preCheckout,
  query,
  receipt,
  receiptOf,
  reserve,
  sell,
  soon,
  tally,
  unique,
} from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

// Faults that people who take payments in bots have met, as far as they concern the verbs; with bots and HTTP they are in
// test/providers. The numbers are those of the collection of cases; B10 to B17
// are numbers of rules too, so that a case is called one.
describe("on one database, its clock untouched", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  afterAll(() => db.drop());

  test("B25: the updates of one purchase alternate between two processes", async () => {
    const other = db.another();
    const held = await book(db.bookonce);
    const asked = query(held);
    const charge = receiptOf(held);
    expect(await other.decidePreCheckout(asked)).toMatchObject({ outcome: "approved", repeated: false });
    expect(await db.bookonce.decidePreCheckout(asked)).toMatchObject({ outcome: "approved", repeated: true });
    expect(await other.confirmPayment(charge)).toMatchObject({ outcome: "booked", repeated: false });
    expect(await db.bookonce.confirmPayment(charge)).toMatchObject({ outcome: "booked", repeated: true });
  });

  test("B31: two users buy different slots back to back, and each gets his own", async () => {
    const [first, second] = [await book(db.bookonce), await book(db.bookonce)];
    await preCheckout(db.bookonce, first);
    await preCheckout(db.bookonce, second);
    expect(await receipt(db.bookonce, second)).toMatchObject({ booking: { id: second.id, customer: second.customer } });
    expect(await receipt(db.bookonce, first)).toMatchObject({ booking: { id: first.id, customer: first.customer } });
  });

  test("B32: one user buys twice in a row", async () => {
    const customer = unique("customer");
    for (const _ of [1, 2]) expect((await sell(db.bookonce, { customer })).booking.state).toBe("confirmed");
  });

  test("B33: a second real charge on an old invoice is no duplicate: the first buys, the second goes back", async () => {
    const held = await book(db.bookonce);
    expect(await receipt(db.bookonce, held, { chargeId: "A" })).toMatchObject({ outcome: "booked" });
    expect(await receipt(db.bookonce, held, { chargeId: "B" })).toMatchObject({
      outcome: "surplus",
      refund: { amount: 500 },
    });
    const payments = await db.bookonce.payments.find({ bookingId: held.id });
    expect(payments.map(({ chargeId, disposition }) => [chargeId, disposition])).toEqual([
      ["A", "booked"],
      ["B", "surplus"],
    ]);
  });

  test("B34: two reservations of one user and one amount: an old payment never satisfies a new purchase", async () => {
    const customer = unique("customer");
    const [first, second] = [await book(db.bookonce, { customer }), await book(db.bookonce, { customer })];
    expect(first.payload).not.toBe(second.payload);
    await receipt(db.bookonce, first);
    expect(await db.bookonce.bookings.get(second.id)).toMatchObject({ state: "held", amountDue: { amount: 500 } });
  });

  test("B35: one message per change, however often the receipt is redelivered", async () => {
    const held = await book(db.bookonce);
    const charge = receiptOf(held);
    for (const _ of [1, 2, 3]) await db.bookonce.confirmPayment(charge);
    const seen: BookonceEvent[] = [];
    await db.bookonce.events.run(async (event) => void (event.bookingId === held.id && seen.push(event)));
    expect(seen.filter((event) => event.type === "booking_confirmed")).toHaveLength(1);
  });

  test("B37: somebody else pays a shared invoice: declined at checkout, and if it got through, kept for a person", async () => {
    const held = await book(db.bookonce);
    expect(await preCheckout(db.bookonce, held, { payer: "stranger" })).toMatchObject({ reason: "wrong_payer" });
    const through = await receipt(db.bookonce, held, { payer: "stranger" });
    expect(through).toMatchObject({ outcome: "mismatch", payment: { payer: "stranger", review: "open" } });
    expect(await db.bookonce.bookings.get(held.id)).toMatchObject({ state: "held" });
    const paymentId = through.outcome === "mismatch" ? through.payment.id : "";
    expect(await db.bookonce.reviews.refund({ paymentId, actor: "olga" })).toMatchObject({ outcome: "refund_queued" });
  });

  test("B38: the charge id is stored, counts once, and finds the payment for /paysupport", async () => {
    const { booking, chargeId } = await sell(db.bookonce);
    expect(await db.bookonce.payments.find({ chargeId })).toMatchObject([
      { bookingId: booking.id, disposition: "booked" },
    ]);
  });

  test("B50: overlap is excluded, not only equality", async () => {
    const resources = [await aResource(db.bookonce)];
    const half = new Date(soon.getTime() + 30 * minute);
    const outcomes = await tally([soon, half].map((start) => reserve(db.bookonce, { resources, start })));
    expect(outcomes).toEqual({ reserved: 1, slot_taken: 1 });
  });

  test("B51, B55: what a stale screen offered is looked at again, and refused as taken", async () => {
    const resources = [await aResource(db.bookonce)];
    expect(await db.bookonce.bookings.busy({ resources, from: soon, to: new Date(soon.getTime() + minute) })).toEqual(
      [],
    );
    await sell(db.bookonce, { resources });
    expect(await reserve(db.bookonce, { resources })).toEqual({
      outcome: "refused",
      reason: "slot_taken",
      resource: resources[0],
    });
  });

  test("B52: two requests for one slot cannot both be approved, in whatever state they wait", async () => {
    const resources = [await aResource(db.bookonce)];
    const invoices = [
      await book(db.bookonce, { resources, claim: "at_checkout" }),
      await book(db.bookonce, { resources, claim: "at_checkout" }),
    ];
    expect(await reserve(db.bookonce, { resources, customer: invoices[0]?.customer ?? "" })).toMatchObject({
      outcome: "existing",
    });
    const outcomes = await tally(invoices.map((invoice) => preCheckout(db.bookonce, invoice)));
    expect(outcomes).toEqual({ approved: 1, slot_taken: 1 });
    expect(await tally(invoices.map((invoice) => receipt(db.bookonce, invoice)))).toEqual({ booked: 1, late: 1 });
  });
});

describe("where the clock moves on", () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await createFrozenDatabase();
  });
  afterEach(() => db.drop());

  test("B09, case B12: approved, and no receipt follows: the hold ends by itself, and the slot is sold again", async () => {
    const held = await book(db.bookonce, { claim: "at_checkout" });
    await preCheckout(db.bookonce, held);
    await db.clock.advance(5 * minute - 1);
    expect(await reserve(db.bookonce, { resources: held.resources })).toMatchObject({ reason: "slot_taken" });
    await db.clock.advance(1);
    expect((await sell(db.bookonce, { resources: held.resources })).booking.state).toBe("confirmed");
  });

  test("B28: a crash after the refund call and before its answer is stored: called again, counted once", async () => {
    const { refundId } = await lateCharge(db);
    const charged = new Set<string>();
    const calls: boolean[] = [];
    const stars = async ({
      refund,
      maybeDone,
    }: {
      readonly refund: { readonly id: string };
      readonly maybeDone: boolean;
    }) => {
      calls.push(maybeDone);
      // Telegram's CHARGE_ALREADY_REFUNDED is a success.
      charged.add(refund.id);
      return { answer: "refunded", by: "telegram" } as const;
    };
    // The process dies here: what it was answered is never stored.
    await db.pool.query(
      `update ${db.schema}.refunds set state = 'sending', attempts = 1, lease_token = gen_random_uuid(),
        lease_until = ${db.schema}.clock() + interval '30 s' where id = $1`,
      [refundId],
    );
    charged.add(refundId);
    expect(await db.bookonce.refunds.run({ provider: "telegram_stars", refund: stars })).toMatchObject({
      completed: 0,
    });
    await db.clock.advance(31_000);
    expect(await db.bookonce.refunds.run({ provider: "telegram_stars", refund: stars })).toMatchObject({
      completed: 1,
    });
    expect(calls).toEqual([true]);
    expect(charged).toEqual(new Set([refundId]));
    expect(await count(db, "events", "type = 'refund_completed'")).toBe(1);
  });

  test("B53: hold A lapses, B books and pays, then A's receipt arrives: A gets the money back, B is untouched", async () => {
    const first = await book(db.bookonce);
    await preCheckout(db.bookonce, first);
    await db.clock.advance(15 * minute);
    const second = await sell(db.bookonce, { resources: first.resources });
    expect(await receipt(db.bookonce, first)).toMatchObject({ outcome: "late", refund: { state: "pending" } });
    expect(await db.bookonce.bookings.get(second.booking.id)).toEqual(second.booking);
  });
});
