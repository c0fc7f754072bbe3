import { describe, expect, test } from "vitest";
import { type ConfirmPayment, confirmPayment } from "../../src/core/confirm-payment.ts";
import type { State } from "../../src/core/state.ts";
import { charge } from "../support/charges.ts";
import {
  aBooking,
  aKey,
  aPayment,
  aRefund,
  aRival,
  bookingIn,
  changesNothing,
  context,
  factsOf,
  world,
} from "../support/worlds.ts";

const booking = aBooking();

describe("the same charge again", () => {
  const again = (state: State, over: Partial<ConfirmPayment> = {}) =>
    confirmPayment(state, charge({ key: aKey("charge1"), ...over }), context());

  test.each([
    ["booked", world({ bookings: [bookingIn.confirmed()], payments: [aPayment(booking)] }), { outcome: "booked" }],
    [
      "booked, although the booking was cancelled since",
      world({ bookings: [bookingIn.cancelled()], payments: [aPayment(booking)] }),
      { outcome: "booked", booking: { state: "cancelled" } },
    ],
    [
      "late, with its refund",
      world({
        bookings: [bookingIn.swept()],
        payments: [aPayment(booking, { disposition: "late" })],
        refunds: [aRefund()],
      }),
      { outcome: "late", refund: { id: "f1" } },
    ],
    [
      "surplus, though its refund is not at hand",
      world({
        bookings: [bookingIn.confirmed()],
        payments: [aPayment(booking, { disposition: "surplus" })],
        refunds: [aRefund({ paymentId: "another" })],
      }),
      { outcome: "surplus", refund: null },
    ],
    [
      "mismatch",
      world({ bookings: [booking], payments: [aPayment(booking, { disposition: "mismatch", review: "open" })] }),
      { outcome: "mismatch", booking: { id: "b1" } },
    ],
    [
      "unmatched",
      world({ payments: [aPayment(booking, { bookingId: null, disposition: "unmatched", review: "open" })] }),
      { outcome: "unmatched", booking: null },
    ],
  ])("is answered as stored: %s", (_, state, answer) => {
    const decision = again(state);
    expect(decision.outcome).toMatchObject({ ...answer, payment: { id: "p1" }, repeated: true });
    expect(changesNothing(decision)).toBe(true);
  });

  test.each([
    ["payer", { payer: "maria" }],
    ["amount", { money: { amount: 1, currency: "XTR" } }],
    ["currency", { money: { amount: 500, currency: "USD" } }],
    ["payload", { token: "bko1_rival" }],
  ])("with another %s is an incident and never applied", (_, over) => {
    const state = world({ bookings: [booking, aRival()], payments: [aPayment(booking)] });
    const decision = again(state, { facts: factsOf(booking, over) });
    expect(decision.outcome).toMatchObject({ outcome: "conflict", payment: { id: "p1" } });
    expect(Object.keys(decision.changes)).toEqual(["events"]);
    expect(decision.changes.events).toMatchObject([
      { type: "payment_conflict", bookingId: "b1", data: { externalId: "charge1" } },
    ]);
  });

  test("at another bot or another provider is another charge", () => {
    const state = world({ bookings: [bookingIn.confirmed()], payments: [aPayment(booking)] });
    for (const over of [{ account: "other" }, { provider: "telegram_payments" }]) {
      const decision = again(state, { key: aKey("charge1", over) });
      expect(decision.outcome).toMatchObject({ outcome: "surplus", repeated: false });
    }
  });
});
