import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  count,
  digestOf,
  historyOf,
  minute,
  preCheckout,
  receipt,
  receiptOf,
  sell,
} from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";
import { Random } from "../support/random.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

describe("S9: on the receipt everything is compared again", () => {
  test.each([
    ["another payer", { payer: "maria" }, "wrong_payer"],
    ["another amount", { amount: 499 }, "wrong_amount"],
    ["another currency", { currency: "USD" }, "wrong_amount"],
  ])("%s is kept for a person, and nothing is booked", async (_, over, reason) => {
    const booking = await book(db.bookonce);
    const outcome = await receipt(db.bookonce, booking, over);
    expect(outcome).toMatchObject({ outcome: "mismatch", payment: { reason, review: "open", bookingId: booking.id } });
    expect(await db.bookonce.bookings.get(booking.id)).toEqual(booking);
    expect(await receipt(db.bookonce, booking)).toMatchObject({ outcome: "booked" });
  });

  test("a payload of ours that names no booking is kept too", async () => {
    const booking = await book(db.bookonce);
    const outcome = await receipt(db.bookonce, booking, { payload: "bko1_gone" });
    expect(outcome).toMatchObject({
      outcome: "unmatched",
      booking: null,
      payment: { review: "open", bookingId: null },
    });
  });
});

describe("S10: a charge counts once", () => {
  test("the same receipt again changes nothing and is answered the same", async () => {
    const booking = await book(db.bookonce);
    const charge = receiptOf(booking, { details: { provider_charge: "abc", nested: { n: [1, "ü"] } } });
    const first = await db.bookonce.confirmPayment(charge);
    const before = await digestOf(db);
    expect(await db.bookonce.confirmPayment(charge)).toEqual({ ...first, repeated: true });
    expect(await digestOf(db)).toBe(before);
    expect(first).toMatchObject({ payment: { details: { provider_charge: "abc", nested: { n: [1, "ü"] } } } });
  });

  test.each(["late", "surplus", "mismatch", "unmatched"])("also when it was %s", async (kind) => {
    const booking = await book(db.bookonce);
    if (kind === "late") await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
    if (kind === "surplus") await receipt(db.bookonce, booking);
    const over = kind === "mismatch" ? { amount: 3 } : kind === "unmatched" ? { payload: "bko1_none" } : {};
    const charge = receiptOf(booking, over);
    const first = await db.bookonce.confirmPayment(charge);
    expect(first).toMatchObject({ outcome: kind, repeated: false });
    const before = await digestOf(db);
    expect(await db.bookonce.confirmPayment(charge)).toEqual({ ...first, repeated: true });
    expect(await digestOf(db)).toBe(before);
  });

  test("the same charge id with other facts is an incident: recorded and never applied", async () => {
    const [booking, other] = [await book(db.bookonce), await book(db.bookonce)];
    const charge = receiptOf(booking);
    await db.bookonce.confirmPayment(charge);
    for (const over of [{ amount: 1 }, { payer: "x" }, { payload: other.payload, payer: other.customer }]) {
      expect(await db.bookonce.confirmPayment({ ...charge, ...over })).toMatchObject({ outcome: "conflict" });
    }
    expect(await count(db, "events", "type = 'payment_conflict' and booking_id = $1", [booking.id])).toBe(3);
    expect(await db.bookonce.bookings.get(other.id)).toMatchObject({ state: "held" });
    expect(await count(db, "payments", "external_id = $1", [charge.chargeId])).toBe(1);
  });

  test("the same charge id at another bot is another charge", async () => {
    const [first, second] = [await book(db.bookonce), await book(db.bookonce)];
    expect(await receipt(db.bookonce, first, { chargeId: "c-1" })).toMatchObject({ outcome: "booked" });
    expect(await receipt(db.bookonce, second, { chargeId: "c-1", account: "bot2" })).toMatchObject({
      outcome: "booked",
    });
    expect(await db.bookonce.payments.find({ chargeId: "c-1" })).toHaveLength(2);
  });
});

test("S10: a receipt that could not be stored is an error that says so: do not acknowledge it, it comes again", async () => {
  const booking = await book(db.bookonce);
  const charge = receiptOf(booking);
  const stalling = await db.pool.connect();
  await stalling.query("begin");
  await stalling.query(`select 1 from ${db.schema}.bookings where id = $1 for update`, [booking.id]);
  const failing = db.bookonce.confirmPayment(charge, { budgetMs: 400 });
  await expect(failing).rejects.toMatchObject({ name: "BookonceError", code: "unavailable", retryable: true });
  await stalling.query("rollback");
  stalling.release();
  expect(await count(db, "payments", "external_id = $1", [charge.chargeId])).toBe(0);
  expect(await db.bookonce.confirmPayment(charge)).toMatchObject({ outcome: "booked", repeated: false });
});

test("S12: whom to tell about a charge that fits no booking is found by the payment that its events name", async () => {
  await receipt(db.bookonce, await book(db.bookonce));
  const charge = receiptOf(await book(db.bookonce), { payload: "bko1_none", payer: "telegram:42" });
  const unmatched = await db.bookonce.confirmPayment(charge);
  if (unmatched.outcome !== "unmatched") throw new Error(unmatched.outcome);
  const paymentId = unmatched.payment.id;
  expect(await db.bookonce.payments.find({ paymentId })).toEqual([
    expect.objectContaining({ id: paymentId, payer: "telegram:42", bookingId: null, chargeId: charge.chargeId }),
  ]);
});

describe("S11: what a charge buys", () => {
  test("a live hold with no payment: confirmed, without end", async () => {
    const booking = await book(db.bookonce);
    expect(await receipt(db.bookonce, booking)).toMatchObject({
      outcome: "booked",
      booking: { state: "confirmed", amountDue: null, holdExpiresAt: null },
    });
    expect(await count(db, "claims", "booking_id = $1 and live_until is null", [booking.id])).toBe(1);
  });

  test("a second charge is surplus and goes back", async () => {
    const { booking } = await sell(db.bookonce);
    const second = await receipt(db.bookonce, booking);
    expect(second).toMatchObject({ outcome: "surplus", refund: { amount: 500, state: "pending" } });
    expect(await db.bookonce.bookings.get(booking.id)).toEqual(booking);
  });

  test("money for a lapsed hold is late and goes back, even if the slot is free", async () => {
    const own = await createFrozenDatabase();
    const booking = await book(own.bookonce);
    await own.clock.advance(15 * minute);
    expect(await receipt(own.bookonce, booking)).toMatchObject({ outcome: "late", refund: { reason: "hold_lapsed" } });
    expect(await own.bookonce.bookings.get(booking.id)).toMatchObject({ state: "expired" });
    await own.drop();
  });

  test("rebookIfFree: the slot is taken again if it is free, and only then", async () => {
    const own = await createFrozenDatabase({ policies: { latePayment: "rebookIfFree" } });
    const [free, taken, swept] = [await book(own.bookonce), await book(own.bookonce), await book(own.bookonce)];
    const invoice = await book(own.bookonce, { claim: "at_checkout" });
    await own.clock.advance(15 * minute);
    const rival = await book(own.bookonce, { resources: taken.resources });
    await own.bookonce.sweep();
    expect(await receipt(own.bookonce, free)).toMatchObject({ outcome: "booked", booking: { id: free.id } });
    expect(await receipt(own.bookonce, swept)).toMatchObject({ outcome: "booked" });
    expect(await receipt(own.bookonce, invoice)).toMatchObject({ outcome: "booked" });
    expect(await receipt(own.bookonce, taken)).toMatchObject({ outcome: "late" });
    expect(await receipt(own.bookonce, rival)).toMatchObject({ outcome: "booked" });
    expect(await own.bookonce.audit()).toMatchObject({ ok: true, payments: { bought: 4, returning: 1 } });
    await own.drop();
  });
});

describe("S13: every order of events ends in the same place", () => {
  const settled = async (act: (booking: Awaited<ReturnType<typeof book>>) => Promise<unknown>) => {
    const booking = await book(db.bookonce);
    await act(booking);
    const after = await db.bookonce.bookings.get(booking.id);
    return [after?.state, await count(db, "payments", "booking_id = $1 and disposition = 'booked'", [booking.id])];
  };

  test("checkout then receipt; receipt alone; receipt before checkout; receipt twice", async () => {
    const orders = [
      await settled(async (booking) => {
        await preCheckout(db.bookonce, booking);
        await receipt(db.bookonce, booking);
      }),
      await settled((booking) => receipt(db.bookonce, booking)),
      await settled(async (booking) => {
        await receipt(db.bookonce, booking);
        expect(await preCheckout(db.bookonce, booking)).toMatchObject({ reason: "already_paid" });
      }),
      await settled(async (booking) => {
        const charge = receiptOf(booking);
        await db.bookonce.confirmPayment(charge);
        await db.bookonce.confirmPayment(charge);
      }),
      await settled((booking) => Promise.all([preCheckout(db.bookonce, booking), receipt(db.another(), booking)])),
    ];
    for (const order of orders) expect(order).toEqual(["confirmed", 1]);
  });

  test("a receipt for a slot that was only invoiced does not take it: the money goes back", async () => {
    const booking = await book(db.bookonce, { claim: "at_checkout" });
    expect(await receipt(db.bookonce, booking)).toMatchObject({ outcome: "late", refund: { reason: "never_claimed" } });
  });
});

test("S16: a provider token's late charge becomes a task for a person, with what is needed to do it", async () => {
  const booking = await book(db.bookonce, { resources: [await aResource(db.bookonce)] });
  await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
  const late = await receipt(db.bookonce, booking, { provider: "telegram_payments" });
  expect(late).toMatchObject({
    outcome: "late",
    refund: { state: "needs_attention", amount: 500, note: expect.stringContaining("cabinet") },
  });
  expect(await historyOf(db.bookonce, booking)).toContain("refund_needs_attention");
});

test("S17: a recurring receipt is reported and left alone", async () => {
  const booking = await book(db.bookonce);
  const charge = receiptOf(booking, { recurring: true });
  expect(await db.bookonce.confirmPayment(charge)).toEqual({ outcome: "recurring" });
  expect(await db.bookonce.confirmPayment(charge)).toEqual({ outcome: "recurring" });
  expect(await db.bookonce.bookings.get(booking.id)).toEqual(booking);
  expect(await count(db, "payments", "external_id = $1", [charge.chargeId])).toBe(0);
  expect(await historyOf(db.bookonce, booking)).toEqual(["booking_reserved", "payment_recurring"]);
});

// An index entry ends at 2 704 bytes, and the data of an incident may be longer.
test("an incident whose ids are as long as they may be, in letters of three bytes, is recorded like any other", async () => {
  // By chance, for they must not compress; the same in every run.
  const random = new Random(7);
  const long = (length: number) =>
    Array.from({ length }, () => String.fromCharCode(0x4e00 + random.below(20_000))).join("");
  const charge = {
    provider: long(200),
    account: long(200),
    chargeId: long(200),
    payload: `bko1_${long(251)}`,
    payer: long(200),
    amount: 500,
    currency: "XTR",
  };
  expect(await db.bookonce.confirmPayment({ ...charge, recurring: true })).toEqual({ outcome: "recurring" });
  expect(await db.bookonce.confirmPayment(charge)).toMatchObject({ outcome: "unmatched" });
  expect(await db.bookonce.confirmPayment({ ...charge, amount: 1 })).toMatchObject({ outcome: "conflict" });
});
