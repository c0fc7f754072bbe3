import { type Closed, closeBooking } from "./close-booking.ts";
import type { Context } from "./context.ts";
import type { Booking, NewEvent, Payment, Refund } from "./model.ts";
import { type Decision, paymentById, type State, unchanged } from "./state.ts";
import { stateAt } from "./states.ts";

/** Money that went back without a refund of ours. */
export interface RecordExternalRefund {
  readonly paymentId: string;
  readonly by: string;
  readonly note: string | null;
}

export type ExternalOutcome =
  | { readonly outcome: "recorded"; readonly refund: Refund; readonly booking: Booking | null }
  | { readonly outcome: "known" };

/** It is a fact, whatever we think of it: an open refund is completed by it, or it is recorded as a completed one of its own. */
export function recordExternalRefund(
  state: State,
  command: RecordExternalRefund,
  context: Context,
): Decision<ExternalOutcome> {
  const payment = paymentById(state, command.paymentId);
  if (payment === undefined) return unchanged({ outcome: "known" });
  const refunds = [...state.refunds.values()].filter((refund) => refund.paymentId === payment.id);
  const open = refunds.find((refund) => refund.state !== "completed");
  const returned = refunds.reduce((sum, refund) => (refund.state === "completed" ? sum + refund.money.amount : sum), 0);
  const left = payment.facts.money.amount - returned;
  if (open === undefined && left <= 0) return unchanged({ outcome: "known" });
  const refund =
    open === undefined ? externalRefund(payment, left, command, context) : completed(open, command, context);
  const event = refundEvent(refund, command, context);
  const booking = payment.bookingId === null ? undefined : state.bookings.get(payment.bookingId);
  const closing = closedBooking(state, payment, booking, command, context);
  return {
    outcome: { outcome: "recorded", refund, booking: closing?.booking ?? booking ?? null },
    changes: {
      ...closing?.changes,
      refunds: [refund],
      payments:
        payment.review === "open"
          ? [{ ...payment, review: "refunded", reviewedBy: command.by, reviewedAt: context.now }]
          : [],
      events: [event, ...(closing?.changes.events ?? [])],
    },
  };
}

function completed(refund: Refund, { by, note }: RecordExternalRefund, { now }: Context): Refund {
  return {
    ...refund,
    state: "completed",
    leaseToken: null,
    leaseUntil: null,
    lastError: null,
    completedAt: now,
    completedBy: by,
    note: note ?? refund.note,
  };
}

function externalRefund(
  payment: Payment,
  amount: number,
  { by, note }: RecordExternalRefund,
  { now, newId }: Context,
): Refund {
  return {
    id: newId(),
    paymentId: payment.id,
    bookingId: payment.bookingId,
    money: { amount, currency: payment.facts.money.currency },
    reason: "external",
    state: "completed",
    attempts: 0,
    requestedAt: now,
    dueAt: now,
    leaseToken: null,
    leaseUntil: null,
    lastError: null,
    completedAt: now,
    completedBy: by,
    note,
  };
}

function refundEvent(refund: Refund, { by }: RecordExternalRefund, { now }: Context): NewEvent {
  const data = { refundId: refund.id, paymentId: refund.paymentId, ...refund.money, reason: refund.reason };
  return { bookingId: refund.bookingId, type: "refund_completed", at: now, actor: by, version: null, data };
}

/** Policy `externalRefund`: what becomes of a booking whose money went back behind our back. */
function closedBooking(
  state: State,
  payment: Payment,
  booking: Booking | undefined,
  { by }: RecordExternalRefund,
  { now }: Context,
): Closed | null {
  if (booking === undefined || payment.disposition !== "booked") return null;
  if (booking.policy.externalRefund !== "cancelBooking" || stateAt(booking, now) !== "confirmed") return null;
  const closing = { actor: by, reason: "refunded outside", refundId: null, voidReason: "cancelled" } as const;
  return closeBooking(state, booking, closing, now);
}
