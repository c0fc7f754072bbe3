import { type Placed, place } from "./assign.ts";
import { keepClaims } from "./claims.ts";
import type { Context } from "./context.ts";
import { conflictEvent, sameFacts } from "./decide-pre-checkout.ts";
import type { Booking, Disposition, NewEvent, Payment, PaymentFacts, ProviderKey, Refund } from "./model.ts";
import { sameMoney } from "./money.ts";
import { queueRefund } from "./refund.ts";
import { bookedPayment, bookingByToken, type Decision, providerKey, type State, unchanged } from "./state.ts";
import { stateAt } from "./states.ts";
import type { Instant } from "./time.ts";
import { usedEvents } from "./waiting-entry.ts";

/** A provider reports that it has charged. The money has moved: whatever is decided, the payment is stored. */
export interface ConfirmPayment {
  readonly key: ProviderKey;
  readonly facts: PaymentFacts;
  /** A subscription's charge: recognised and left alone (S17). */
  readonly recurring: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

export type PaymentOutcome =
  | { readonly outcome: "booked"; readonly booking: Booking; readonly payment: Payment; readonly repeated: boolean }
  | {
      readonly outcome: "late" | "surplus";
      readonly booking: Booking;
      readonly payment: Payment;
      readonly refund: Refund | null;
      readonly repeated: boolean;
    }
  | {
      readonly outcome: "mismatch" | "unmatched";
      readonly booking: Booking | null;
      readonly payment: Payment;
      readonly repeated: boolean;
    }
  | { readonly outcome: "recurring" }
  | { readonly outcome: "conflict"; readonly payment: Payment };

/** The table "confirmPayment" of the decisions, row by row. */
export function confirmPayment(state: State, command: ConfirmPayment, context: Context): Decision<PaymentOutcome> {
  const booking = bookingByToken(state, command.facts.token);
  if (command.recurring) return recurring(command, booking, context);

  const known = state.payments.get(providerKey(command.key));
  if (known !== undefined) return repeat(state, known, command, context);
  if (booking === undefined) return review(command, undefined, "unmatched", "unknown_booking", context);

  const wrong = mismatch(booking, command.facts);
  if (wrong !== null) return review(command, booking, "mismatch", wrong, context);
  if (bookedPayment(state, booking.id) !== undefined || stateAt(booking, context.now) === "confirmed") {
    return refund(command, booking, "surplus", "already_paid", context);
  }
  if (stateAt(booking, context.now) === "held") return book(command, keepPlace(state, booking, context.now), context);
  return late(state, command, booking, context);
}

function recurring(command: ConfirmPayment, booking: Booking | undefined, { now }: Context): Decision<PaymentOutcome> {
  const { key, facts } = command;
  const event: NewEvent = {
    bookingId: booking?.id ?? null,
    type: "payment_recurring",
    at: now,
    actor: key.provider,
    version: null,
    data: { ...key, facts },
  };
  return { outcome: { outcome: "recurring" }, changes: { events: [event] } };
}

/** The same charge again: the stored outcome and no effect; with other facts an incident (S10). */
function repeat(state: State, known: Payment, command: ConfirmPayment, { now }: Context): Decision<PaymentOutcome> {
  if (!sameFacts(known.facts, command.facts)) {
    return {
      outcome: { outcome: "conflict", payment: known },
      changes: { events: [conflictEvent("payment_conflict", known.bookingId, command, now)] },
    };
  }
  const booking = known.bookingId === null ? undefined : state.bookings.get(known.bookingId);
  return unchanged(storedOutcome(state, known, booking));
}

function storedOutcome(state: State, payment: Payment, booking: Booking | undefined): PaymentOutcome {
  const disposition = payment.disposition;
  if (disposition === "mismatch" || disposition === "unmatched" || booking === undefined) {
    const kind = disposition === "mismatch" ? "mismatch" : "unmatched";
    return { outcome: kind, booking: booking ?? null, payment, repeated: true };
  }
  if (disposition === "booked") return { outcome: "booked", booking, payment, repeated: true };
  const refund = [...state.refunds.values()].find((candidate) => candidate.paymentId === payment.id) ?? null;
  return { outcome: disposition, booking, payment, refund, repeated: true };
}

function mismatch(booking: Booking, facts: PaymentFacts): "wrong_payer" | "wrong_amount" | null {
  if (booking.payer !== null && booking.payer !== facts.payer) return "wrong_payer";
  if (booking.price === null || !sameMoney(booking.price, facts.money)) return "wrong_amount";
  return null;
}

/** A payment that a person must look at; the booking is untouched (S9). */
function review(
  command: ConfirmPayment,
  booking: Booking | undefined,
  disposition: "mismatch" | "unmatched",
  reason: string,
  context: Context,
): Decision<PaymentOutcome> {
  const payment = newPayment(command, booking, disposition, reason, context);
  return {
    outcome: { outcome: disposition, booking: booking ?? null, payment, repeated: false },
    changes: { payments: [payment], events: [paymentEvent("payment_review", payment, context)] },
  };
}

/** Money that cannot buy the booking goes back: the refund task is written with the payment (S12). */
function refund(
  command: ConfirmPayment,
  booking: Booking,
  disposition: "late" | "surplus",
  reason: string,
  context: Context,
): Decision<PaymentOutcome> {
  const payment = newPayment(command, booking, disposition, reason, context);
  const queued = queueRefund(payment, payment.facts.money, reason, context);
  return {
    outcome: { outcome: disposition, booking, payment, refund: queued.refund, repeated: false },
    changes: {
      payments: [payment],
      refunds: [queued.refund],
      events: [
        paymentEvent(disposition === "late" ? "payment_late" : "payment_surplus", payment, context),
        ...queued.events,
      ],
    },
  };
}

function late(state: State, command: ConfirmPayment, booking: Booking, context: Context): Decision<PaymentOutcome> {
  const { now } = context;
  const current = stateAt(booking, now);
  if (current === "cancelled") return refund(command, booking, "late", "cancelled", context);
  if (mayRebook(booking, now)) {
    const placed = place(state, booking, null, context);
    if (!("refused" in placed)) return book(command, placed, context);
  }
  const reason = current === "pending" ? "never_claimed" : "hold_lapsed";
  return refund(command, booking, "late", reason, context);
}

/** Policy `rebookIfFree`. An offer that lapsed has been passed on, and whom it was made to may have accepted another since. */
function mayRebook(booking: Booking, now: Instant): boolean {
  return (
    booking.policy.latePayment === "rebookIfFree" && booking.waitlistEntryId === null && now < booking.interval.start
  );
}

/** The payment buys the booking: confirmed, claims without end. */
function book(command: ConfirmPayment, placed: Placed, context: Context): Decision<PaymentOutcome> {
  const { now } = context;
  const payment = newPayment(command, placed.booking, "booked", null, context);
  const confirmed = confirmedBooking(placed.booking, now);
  return {
    outcome: { outcome: "booked", booking: confirmed, payment, repeated: false },
    changes: {
      resources: placed.resources,
      bookings: [confirmed],
      claims: placed.claims,
      payments: [payment],
      events: [
        {
          bookingId: confirmed.id,
          type: "booking_confirmed",
          at: now,
          actor: command.key.provider,
          version: confirmed.version,
          data: { paymentId: payment.id, chargeId: command.key.externalId },
        },
        ...usedEvents(confirmed, command.key.provider, now),
      ],
    },
  };
}

/** What a live hold has already, kept without end. */
export function keepPlace(state: State, booking: Booking, now: Instant): Placed {
  return { booking, claims: keepClaims(state, booking.id, now, null), resources: [] };
}

export function confirmedBooking(booking: Booking, now: Instant): Booking {
  return {
    ...booking,
    state: "confirmed",
    holdExpiresAt: null,
    payableUntil: null,
    confirmedAt: now,
    version: booking.version + 1,
  };
}

function newPayment(
  command: ConfirmPayment,
  booking: Booking | undefined,
  disposition: Disposition,
  reason: string | null,
  { now, newId }: Context,
): Payment {
  return {
    id: newId(),
    key: command.key,
    facts: command.facts,
    bookingId: booking?.id ?? null,
    disposition,
    reason,
    receivedAt: now,
    review: disposition === "mismatch" || disposition === "unmatched" ? "open" : null,
    reviewedBy: null,
    reviewedAt: null,
    note: null,
    details: command.details,
  };
}

function paymentEvent(type: NewEvent["type"], payment: Payment, { now }: Context): NewEvent {
  return {
    bookingId: payment.bookingId,
    type,
    at: now,
    actor: payment.key.provider,
    version: null,
    data: { paymentId: payment.id, chargeId: payment.key.externalId, reason: payment.reason },
  };
}
