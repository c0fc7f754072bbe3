import { place } from "./assign.ts";
import { confirmedBooking, keepPlace } from "./confirm-payment.ts";
import type { Context } from "./context.ts";
import type { Booking, NewEvent, Payment, Refund } from "./model.ts";
import { queueRefund } from "./refund.ts";
import { bookedPayment, type Changes, type Decision, paymentById, type State, unchanged } from "./state.ts";
import { stateAt } from "./states.ts";
import { usedEvents } from "./waiting-entry.ts";

/** What a person decides about a payment that waits for review. */
export interface Review {
  readonly paymentId: string;
  readonly actor: string;
  readonly note: string | null;
  readonly action: "refund" | "close" | { readonly attachTo: string };
}

export type ReviewOutcome =
  | { readonly outcome: "refund_queued"; readonly payment: Payment; readonly refund: Refund }
  | { readonly outcome: "attached"; readonly payment: Payment; readonly booking: Booking }
  | { readonly outcome: "closed"; readonly payment: Payment }
  | { readonly outcome: "refused"; readonly reason: ReviewRefusal };

export type ReviewRefusal =
  | "unknown_payment"
  | "not_in_review"
  | "unknown_booking"
  | "already_paid"
  | "slot_taken"
  | "cancelled";

/** Refund it, attach it to a booking, or close it with a note. */
export function review(state: State, command: Review, context: Context): Decision<ReviewOutcome> {
  const payment = paymentById(state, command.paymentId);
  if (payment === undefined) return unchanged({ outcome: "refused", reason: "unknown_payment" });
  if (payment.review !== "open") return unchanged({ outcome: "refused", reason: "not_in_review" });
  if (command.action === "refund") return refund(payment, command, context);
  if (command.action === "close") return close(payment, command, context);
  return attach(state, payment, command, command.action.attachTo, context);
}

function refund(payment: Payment, command: Review, context: Context): Decision<ReviewOutcome> {
  const reviewed = reviewedPayment(payment, "refunded", command, context);
  const queued = queueRefund(reviewed, payment.facts.money, "review", context);
  return {
    outcome: { outcome: "refund_queued", payment: reviewed, refund: queued.refund },
    changes: {
      payments: [reviewed],
      refunds: [queued.refund],
      events: [reviewEvent(reviewed, command, context), ...queued.events],
    },
  };
}

function close(payment: Payment, command: Review, context: Context): Decision<ReviewOutcome> {
  const reviewed = reviewedPayment(payment, "closed", command, context);
  return {
    outcome: { outcome: "closed", payment: reviewed },
    changes: { payments: [reviewed], events: [reviewEvent(reviewed, command, context)] },
  };
}

function attach(
  state: State,
  payment: Payment,
  command: Review,
  bookingId: string,
  context: Context,
): Decision<ReviewOutcome> {
  const { now } = context;
  const booking = state.bookings.get(bookingId);
  if (booking === undefined) return unchanged({ outcome: "refused", reason: "unknown_booking" });
  const current = stateAt(booking, now);
  if (current === "cancelled") return unchanged({ outcome: "refused", reason: "cancelled" });
  if (current === "confirmed" || bookedPayment(state, booking.id) !== undefined) {
    return unchanged({ outcome: "refused", reason: "already_paid" });
  }
  const placed = current === "held" ? keepPlace(state, booking, now) : place(state, booking, null, context);
  if ("refused" in placed) return unchanged({ outcome: "refused", reason: "slot_taken" });
  const confirmed = confirmedBooking(placed.booking, now);
  const reviewed: Payment = {
    ...reviewedPayment(payment, "attached", command, context),
    bookingId,
    disposition: "booked",
  };
  const confirmedEvent: NewEvent = {
    bookingId,
    type: "booking_confirmed",
    at: now,
    actor: command.actor,
    version: confirmed.version,
    data: { paymentId: payment.id, chargeId: payment.key.externalId },
  };
  const changes: Changes = {
    resources: placed.resources,
    bookings: [confirmed],
    claims: placed.claims,
    payments: [reviewed],
    events: [reviewEvent(reviewed, command, context), confirmedEvent, ...usedEvents(confirmed, command.actor, now)],
  };
  return { outcome: { outcome: "attached", payment: reviewed, booking: confirmed }, changes };
}

function reviewedPayment(
  payment: Payment,
  review: NonNullable<Payment["review"]>,
  { actor, note }: Review,
  { now }: Context,
): Payment {
  return { ...payment, review, reviewedBy: actor, reviewedAt: now, note };
}

function reviewEvent(payment: Payment, { actor }: Review, { now }: Context): NewEvent {
  return {
    bookingId: payment.bookingId,
    type: "review_closed",
    at: now,
    actor,
    version: null,
    data: { paymentId: payment.id, review: payment.review, note: payment.note },
  };
}
