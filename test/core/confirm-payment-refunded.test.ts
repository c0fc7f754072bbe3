import { describe, expect, test } from "vitest";
import { confirmPayment } from "../../src/core/confirm-payment.ts";
import type { State } from "../../src/core/state.ts";
import { charge, rebooking } from "../support/charges.ts";
import {
  aBooking,
  aKey,
  aPayment,
  aRival,
  bookingIn,
  context,
  eventTypes,
  hour,
  now,
  world,
} from "../support/worlds.ts";

const booking = aBooking();

const refundedRows: readonly {
  readonly when: string;
  readonly state: State;
  readonly outcome: "late" | "surplus";
  readonly reason: string;
}[] = [
  {
    when: "the booking has its payment",
    state: world({ bookings: [bookingIn.confirmed()], payments: [aPayment(booking)] }),
    outcome: "surplus",
    reason: "already_paid",
  },
  {
    when: "the booking has its payment, though it was cancelled since",
    state: world({ bookings: [bookingIn.cancelled()], payments: [aPayment(booking)] }),
    outcome: "surplus",
    reason: "already_paid",
  },
  {
    when: "the booking was confirmed in some other way",
    state: world({ bookings: [bookingIn.confirmed()] }),
    outcome: "surplus",
    reason: "already_paid",
  },
  {
    when: "the hold is over at this very instant, even though the slot is free",
    state: world({ bookings: [bookingIn.lapsed()] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the hold was swept",
    state: world({ bookings: [bookingIn.swept()] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the booking never claimed its slot",
    state: world({ bookings: [bookingIn.pending()] }),
    outcome: "late",
    reason: "never_claimed",
  },
  {
    when: "the invoice's time is over",
    state: world({ bookings: [bookingIn.unpayable()] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the booking was cancelled, whatever the policy",
    state: world({ bookings: [bookingIn.cancelled({ policy: rebooking })] }),
    outcome: "late",
    reason: "cancelled",
  },
  {
    when: "the policy re-books, but somebody else has the slot",
    state: world({ bookings: [bookingIn.lapsed({ policy: rebooking }), aRival()] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the policy re-books, but one of two resources is taken",
    state: world({
      bookings: [bookingIn.lapsed({ policy: rebooking, resources: ["anna", "room"] }), aRival({ resources: ["room"] })],
    }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the policy re-books, but it was an offer of the waiting list, which has passed to the next",
    state: world({ bookings: [bookingIn.lapsed({ policy: rebooking, waitlistEntryId: "e1" })] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the policy re-books, but the time begins at this very instant",
    state: world({ bookings: [bookingIn.lapsed({ policy: rebooking, interval: { start: now, end: now + hour } })] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
];

describe("confirmPayment records and returns the money when", () => {
  test.each(refundedRows)("$when: $outcome, $reason", ({ state, outcome, reason }) => {
    const decision = confirmPayment(state, charge(), context());
    expect(decision.outcome).toMatchObject({ outcome, repeated: false, refund: { state: "pending", dueAt: now } });
    expect(decision.changes.bookings).toBeUndefined();
    expect(decision.changes.claims).toBeUndefined();
    expect(decision.changes.payments).toMatchObject([{ bookingId: "b1", disposition: outcome, reason, review: null }]);
    const paymentId = decision.changes.payments?.[0]?.id;
    expect(decision.changes.refunds).toMatchObject([{ paymentId, bookingId: "b1", money: { amount: 500 }, reason }]);
    expect(eventTypes(decision)).toEqual([outcome === "late" ? "payment_late" : "payment_surplus", "refund_requested"]);
  });

  test.each(["telegram_payments", "cash", "constructor"])(
    "a charge of %s, which has no refund call, asks a person",
    (provider) => {
      const state = world({ bookings: [bookingIn.lapsed()] });
      const decision = confirmPayment(state, charge({ key: aKey("c", { provider }) }), context());
      expect(decision.changes.refunds).toMatchObject([
        { state: "needs_attention", note: expect.stringContaining(provider) },
      ]);
      expect(eventTypes(decision)).toEqual(["payment_late", "refund_requested", "refund_needs_attention"]);
    },
  );
});
