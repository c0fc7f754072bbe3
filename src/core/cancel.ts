import { closeClaims } from "./claims.ts";
import type { Context } from "./context.ts";
import type { Booking, Refund } from "./model.ts";
import type { Money } from "./money.ts";
import { queueRefund } from "./refund.ts";
import { bookedPayment, type Changes, type Decision, type State, standingApproval, unchanged } from "./state.ts";
import { stateAt } from "./states.ts";
import type { Instant } from "./time.ts";

export interface Cancel {
  readonly bookingId: string;
  /** The customer who asks, or null for an administrator, who passes the policy. */
  readonly customer: string | null;
  readonly actor: string;
  readonly reason: string | null;
}

export type CancelOutcome =
  | {
      readonly outcome: "cancelled";
      readonly booking: Booking;
      readonly refund: Refund | null;
      readonly refundable: Money | null;
    }
  | { readonly outcome: "already_cancelled" | "already_expired"; readonly booking: Booking }
  | { readonly outcome: "refused"; readonly reason: "unknown_booking" }
  | { readonly outcome: "refused"; readonly reason: "forbidden_by_policy"; readonly booking: Booking };

/** The table "cancel" of the decisions, row by row. */
export function cancel(state: State, command: Cancel, context: Context): Decision<CancelOutcome> {
  const { now } = context;
  const booking = state.bookings.get(command.bookingId);
  // A stranger learns nothing, not even that the booking exists (B9).
  if (booking === undefined || (command.customer !== null && command.customer !== booking.customer)) {
    return unchanged({ outcome: "refused", reason: "unknown_booking" });
  }
  const current = stateAt(booking, now);
  if (current === "cancelled") return unchanged({ outcome: "already_cancelled", booking });
  if (current === "expired") return unchanged({ outcome: "already_expired", booking });
  const terms = cancellationTerms(booking, command.customer === null, now);
  if (current === "confirmed" && !terms.allowed) {
    return unchanged({ outcome: "refused", reason: "forbidden_by_policy", booking });
  }
  return cancelled(state, booking, command, terms, context);
}

interface CancellationTerms {
  readonly allowed: boolean;
  /** Whether what was paid goes back. */
  readonly refunded: boolean;
}

/** What a cancellation at this instant would do, by the policy frozen into the booking. */
export function cancellationTerms(booking: Booking, administrator: boolean, now: Instant): CancellationTerms {
  const { refundUntilMsBeforeStart, afterwards } = booking.policy.cancellation;
  const inTime = now <= booking.interval.start - refundUntilMsBeforeStart;
  if (inTime || administrator) return { allowed: true, refunded: true };
  return { allowed: afterwards === "noRefund", refunded: false };
}

function cancelled(
  state: State,
  booking: Booking,
  command: Cancel,
  terms: CancellationTerms,
  context: Context,
): Decision<CancelOutcome> {
  const { now } = context;
  const closed: Booking = {
    ...booking,
    state: "cancelled",
    holdExpiresAt: null,
    payableUntil: null,
    version: booking.version + 1,
    cancelledAt: now,
    cancelledBy: command.actor,
    cancelReason: command.reason,
  };
  const payment = bookedPayment(state, booking.id);
  // What was paid, which is not the price when a person has attached a payment of another amount.
  const queued =
    payment !== undefined && terms.refunded ? queueRefund(payment, payment.facts.money, "cancelled", context) : null;
  const approval = standingApproval(state, booking.id);
  const changes: Changes = {
    bookings: [closed],
    claims: closeClaims(state, booking.id, now),
    // Its charge, if it still comes, will be late.
    checkouts: approval === undefined ? [] : [{ ...approval, voidedAt: now, voidReason: "cancelled" }],
    refunds: queued === null ? [] : [queued.refund],
    events: [
      {
        bookingId: booking.id,
        type: "booking_cancelled",
        at: now,
        actor: command.actor,
        version: closed.version,
        data: { reason: command.reason, refund: queued?.refund.id ?? null },
      },
      ...(queued?.events ?? []),
    ],
  };
  return {
    outcome: {
      outcome: "cancelled",
      booking: closed,
      refund: queued?.refund ?? null,
      refundable: queued?.refund.money ?? null,
    },
    changes,
  };
}
