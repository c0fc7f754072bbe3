import type { Booking, BookingState, Disposition, Payment, Refund, RefundState, Want } from "../core/model.ts";
import type { Money } from "../core/money.ts";
import { stateAt } from "../core/states.ts";
import type { Instant } from "../core/time.ts";

/** A booking as the library's user sees it. Instants are `Date`s in UTC; amounts are in minor units. */
export interface BookingView {
  readonly id: string;
  /** The invoice payload: put it into the invoice, unchanged. Unguessable; show it to nobody but the provider (S1). */
  readonly payload: string;
  readonly customer: string;
  /** Who may pay; null: anyone who has the invoice. */
  readonly payer: string | null;
  /** What the booking is at this instant: a hold that is over is `expired`, whether or not a sweeper has run. */
  readonly state: BookingState;
  /** What it has; before it claims, what it wants. */
  readonly resources: readonly string[];
  /** What was asked for: resources or pools, and how many places of each. */
  readonly wants: readonly Want[];
  readonly service: string | null;
  readonly start: Date;
  readonly end: Date;
  readonly price: Money | null;
  /** What is still to be paid; null when it is paid, free or over. */
  readonly amountDue: Money | null;
  readonly holdExpiresAt: Date | null;
  readonly payableUntil: Date | null;
  readonly version: number;
  readonly requestId: string | null;
  readonly title: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly cancelledBy: string | null;
  readonly cancelReason: string | null;
  readonly attendance: "attended" | "no_show" | null;
  /** It was offered to this entry of the waiting list; null: made by the customer. */
  readonly waitlistEntryId: string | null;
}

export function viewBooking(booking: Booking, now: Instant): BookingView {
  const state = stateAt(booking, now);
  return {
    id: booking.id,
    payload: booking.token,
    customer: booking.customer,
    payer: booking.payer,
    state,
    resources: booking.resources,
    wants: booking.wants,
    service: booking.service,
    start: new Date(booking.interval.start),
    end: new Date(booking.interval.end),
    price: booking.price,
    amountDue: state === "held" || state === "pending" ? booking.price : null,
    holdExpiresAt: date(booking.holdExpiresAt),
    payableUntil: date(booking.payableUntil),
    version: booking.version,
    requestId: booking.requestId,
    title: booking.title,
    data: booking.data,
    createdAt: new Date(booking.createdAt),
    confirmedAt: date(booking.confirmedAt),
    cancelledAt: date(booking.cancelledAt),
    cancelledBy: booking.cancelledBy,
    cancelReason: booking.cancelReason,
    attendance: booking.attendance,
    waitlistEntryId: booking.waitlistEntryId,
  };
}

/** A charge as stored: where it came from and where it ended up. */
export interface PaymentView {
  readonly id: string;
  readonly provider: string;
  /** The bot or the cash desk. */
  readonly account: string;
  readonly chargeId: string;
  readonly payload: string;
  readonly payer: string;
  readonly amount: number;
  readonly currency: string;
  readonly bookingId: string | null;
  readonly disposition: Disposition;
  readonly reason: string | null;
  readonly receivedAt: Date;
  readonly review: "open" | "refunded" | "attached" | "closed" | null;
  readonly reviewedBy: string | null;
  readonly note: string | null;
  /** The provider's own details, as received. */
  readonly details: Readonly<Record<string, unknown>>;
}

export function viewPayment(payment: Payment): PaymentView {
  return {
    id: payment.id,
    provider: payment.key.provider,
    account: payment.key.account,
    chargeId: payment.key.externalId,
    payload: payment.facts.token,
    payer: payment.facts.payer,
    amount: payment.facts.money.amount,
    currency: payment.facts.money.currency,
    bookingId: payment.bookingId,
    disposition: payment.disposition,
    reason: payment.reason,
    receivedAt: new Date(payment.receivedAt),
    review: payment.review,
    reviewedBy: payment.reviewedBy,
    note: payment.note,
    details: payment.details,
  };
}

/** Money on its way back. */
export interface RefundView {
  readonly id: string;
  readonly paymentId: string;
  readonly bookingId: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly reason: string;
  /** `unconfirmed`: the provider was called and nobody knows whether it heard. Never tell the buyer "refunded" before `completed`. */
  readonly state: RefundState;
  readonly attempts: number;
  readonly requestedAt: Date;
  readonly dueAt: Date;
  readonly lastError: string | null;
  readonly completedAt: Date | null;
  readonly completedBy: string | null;
  readonly note: string | null;
}

export function viewRefund(refund: Refund): RefundView {
  return {
    id: refund.id,
    paymentId: refund.paymentId,
    bookingId: refund.bookingId,
    amount: refund.money.amount,
    currency: refund.money.currency,
    reason: refund.reason,
    state: refund.state,
    attempts: refund.attempts,
    requestedAt: new Date(refund.requestedAt),
    dueAt: new Date(refund.dueAt),
    lastError: refund.lastError,
    completedAt: date(refund.completedAt),
    completedBy: refund.completedBy,
    note: refund.note,
  };
}

function date(at: Instant | null): Date | null {
  return at === null ? null : new Date(at);
}
