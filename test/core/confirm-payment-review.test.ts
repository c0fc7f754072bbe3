import { describe, expect, test } from "vitest";
import { type ConfirmPayment, confirmPayment } from "../../src/core/confirm-payment.ts";
import type { Booking } from "../../src/core/model.ts";
import { charge } from "../support/charges.ts";
import { aBooking, bookingIn, context, eventTypes, factsOf, world } from "../support/worlds.ts";

const booking = aBooking();

const reviewRows: readonly {
  readonly when: string;
  readonly bookings?: readonly Booking[];
  readonly over?: Partial<ConfirmPayment["facts"]>;
  readonly outcome: string;
  readonly reason: string;
}[] = [
  { when: "the booking is unknown", bookings: [], outcome: "unmatched", reason: "unknown_booking" },
  { when: "the payer differs", over: { payer: "maria" }, outcome: "mismatch", reason: "wrong_payer" },
  {
    when: "payer and amount differ",
    over: { payer: "maria", money: { amount: 1, currency: "XTR" } },
    outcome: "mismatch",
    reason: "wrong_payer",
  },
  {
    when: "the amount is one less",
    over: { money: { amount: 499, currency: "XTR" } },
    outcome: "mismatch",
    reason: "wrong_amount",
  },
  {
    when: "the currency differs",
    over: { money: { amount: 500, currency: "USD" } },
    outcome: "mismatch",
    reason: "wrong_amount",
  },
  { when: "the booking is free", bookings: [aBooking({ price: null })], outcome: "mismatch", reason: "wrong_amount" },
  {
    when: "the amount differs and the booking is paid already",
    bookings: [bookingIn.confirmed()],
    over: { money: { amount: 1, currency: "XTR" } },
    outcome: "mismatch",
    reason: "wrong_amount",
  },
];

describe("confirmPayment leaves it to a person, and the booking alone, when", () => {
  test.each(reviewRows)("$when: $outcome, $reason", ({ bookings = [booking], over = {}, outcome, reason }) => {
    const state = world({ bookings });
    const decision = confirmPayment(state, charge({ facts: factsOf(booking, over) }), context());
    expect(decision.outcome).toMatchObject({ outcome, repeated: false });
    expect(Object.keys(decision.changes).sort()).toEqual(["events", "payments"]);
    const bookingId = bookings[0]?.id ?? null;
    expect(decision.changes.payments).toMatchObject([{ bookingId, disposition: outcome, reason, review: "open" }]);
    expect(eventTypes(decision)).toEqual(["payment_review"]);
  });
});
