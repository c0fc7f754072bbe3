import { describe, expect, test } from "vitest";
import type { Booking, Payment } from "../../src/core/model.ts";
import { type Review, review } from "../../src/core/review.ts";
import {
  aBooking,
  aKey,
  aPayment,
  aRival,
  bookingIn,
  changesNothing,
  context,
  eventTypes,
  now,
  world,
} from "../support/worlds.ts";

const unmatched = aPayment(null, { disposition: "unmatched", reason: "unknown_booking", review: "open" });

function asked(action: Review["action"], over: Partial<Review> = {}): Review {
  return { paymentId: "p1", actor: "olga", note: "called him", action, ...over };
}
const attachTo = { attachTo: "b1" };

const refusals: readonly {
  readonly when: string;
  readonly payments?: readonly Payment[];
  readonly bookings?: readonly Booking[];
  readonly action?: Review["action"];
  readonly reason: string;
}[] = [
  { when: "there is no such payment", payments: [], action: "refund", reason: "unknown_payment" },
  ...(["refunded", "attached", "closed", null] as const).map((state) => ({
    when: `its review is ${state}`,
    payments: [{ ...unmatched, review: state }],
    action: "close" as const,
    reason: "not_in_review",
  })),
  { when: "there is no such booking", reason: "unknown_booking" },
  { when: "the booking was cancelled", bookings: [bookingIn.cancelled()], reason: "cancelled" },
  { when: "the booking is confirmed", bookings: [bookingIn.confirmed()], reason: "already_paid" },
  {
    when: "the booking has its payment, whatever its state says",
    bookings: [aBooking()],
    payments: [unmatched, aPayment(aBooking(), { id: "p2", key: aKey("charge2") })],
    reason: "already_paid",
  },
  { when: "the hold is over and the slot taken", bookings: [bookingIn.lapsed(), aRival()], reason: "slot_taken" },
  {
    when: "nothing was claimed and the slot is taken",
    bookings: [bookingIn.pending(), aRival()],
    reason: "slot_taken",
  },
];

describe("a review is refused, and nothing changes, when", () => {
  test.each(refusals)("$when: $reason", ({ payments = [unmatched], bookings = [], action = attachTo, reason }) => {
    const decision = review(world({ payments, bookings }), asked(action), context());
    expect(decision.outcome).toEqual({ outcome: "refused", reason });
    expect(changesNothing(decision)).toBe(true);
  });
});

describe("a payment in review", () => {
  const reviewed = { reviewedBy: "olga", reviewedAt: now, note: "called him" };

  test("is returned: the refund is queued with the decision", () => {
    const decision = review(world({ payments: [unmatched] }), asked("refund"), context());
    expect(decision.outcome).toMatchObject({ outcome: "refund_queued", payment: { review: "refunded", ...reviewed } });
    expect(decision.changes.refunds).toMatchObject([{ paymentId: "p1", money: { amount: 500 }, reason: "review" }]);
    expect(eventTypes(decision)).toEqual(["review_closed", "refund_requested"]);
  });

  test("is closed with a note", () => {
    const decision = review(world({ payments: [unmatched] }), asked("close"), context());
    expect(decision.outcome).toMatchObject({ outcome: "closed", payment: { review: "closed", ...reviewed } });
    expect(decision.changes.refunds).toBeUndefined();
    expect(decision.changes.events).toMatchObject([
      { type: "review_closed", actor: "olga", data: { note: "called him" } },
    ]);
  });

  test.each([
    ["held: its claims lose their end", bookingIn.held(), 1],
    ["held, though a rival wants it", bookingIn.held(), 1],
    ["lapsed, and the slot is free: it is claimed anew", bookingIn.lapsed(), 2],
    ["swept, and the slot is free", bookingIn.swept(), 2],
    ["pending, and the slot is free", bookingIn.pending(), 1],
  ])("is attached to a booking that is %s", (_, booking, claimNumber) => {
    const decision = review(world({ payments: [unmatched], bookings: [booking] }), asked(attachTo), context());
    expect(decision.outcome).toMatchObject({
      outcome: "attached",
      payment: { review: "attached", bookingId: "b1", disposition: "booked", ...reviewed },
      booking: { state: "confirmed", version: 2, confirmedAt: now, holdExpiresAt: null, payableUntil: null },
    });
    expect(decision.changes.claims).toMatchObject([{ bookingId: "b1", number: claimNumber, liveUntil: null }]);
    expect(eventTypes(decision)).toEqual(["review_closed", "booking_confirmed"]);
  });
});
