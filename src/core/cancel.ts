import { type CancellationTerms, cancellationTerms } from "./cancellation-terms.ts";
import { closeBooking } from "./close-booking.ts";
import type { Context } from "./context.ts";
import type { Booking, Refund } from "./model.ts";
import { queueRefund } from "./refund.ts";
import { bookedPayment, type Decision, returnedOf, type State, unchanged } from "./state.ts";
import { stateAt } from "./states.ts";

export interface Cancel {
  readonly bookingId: string;
  /** The customer who asks, or null for an administrator, who passes the policy. */
  readonly customer: string | null;
  readonly actor: string;
  readonly reason: string | null;
  /** The quote of a preview that is confirmed; null: whatever the terms are. */
  readonly quote: string | null;
}

export type CancelOutcome =
  | {
      readonly outcome: "cancelled";
      readonly booking: Booking;
      readonly refund: Refund | null;
      readonly terms: CancellationTerms;
    }
  | { readonly outcome: "already_cancelled" | "already_expired"; readonly booking: Booking }
  | { readonly outcome: "refused"; readonly reason: "unknown_booking" }
  | {
      readonly outcome: "refused";
      readonly reason: "forbidden_by_policy" | "quote_changed";
      readonly booking: Booking;
      readonly terms: CancellationTerms;
    };

export type CancelPreview =
  | { readonly outcome: "preview"; readonly booking: Booking; readonly terms: CancellationTerms }
  | Exclude<CancelOutcome, { readonly outcome: "cancelled" } | { readonly reason: "quote_changed" }>;

type Asked = Pick<Cancel, "bookingId" | "customer">;

/** The table "cancel" of the decisions, row by row. */
export function cancel(state: State, command: Cancel, context: Context): Decision<CancelOutcome> {
  const preview = previewCancel(state, command, context);
  if (preview.outcome !== "preview") return unchanged(preview);
  const { booking, terms } = preview;
  if (command.quote !== null && command.quote !== terms.quote) {
    return unchanged({ outcome: "refused", reason: "quote_changed", booking, terms });
  }
  return cancelled(state, booking, command, terms, context);
}

/** What `cancel` would answer now, changing nothing. */
export function previewCancel(
  state: State,
  { bookingId, customer }: Asked,
  { now, providers }: Context,
): CancelPreview {
  const booking = state.bookings.get(bookingId);
  // A stranger learns nothing, not even that the booking exists (B9).
  if (booking === undefined || (customer !== null && customer !== booking.customer)) {
    return { outcome: "refused", reason: "unknown_booking" };
  }
  const current = stateAt(booking, now);
  if (current === "cancelled") return { outcome: "already_cancelled", booking };
  if (current === "expired") return { outcome: "already_expired", booking };
  const payment = bookedPayment(state, booking.id);
  const returned = payment === undefined ? 0 : returnedOf(state, payment.id);
  const terms = cancellationTerms(booking, payment, returned, customer === null, providers, now);
  if (current === "confirmed" && !terms.allowed) {
    return { outcome: "refused", reason: "forbidden_by_policy", booking, terms };
  }
  return { outcome: "preview", booking, terms };
}

function cancelled(
  state: State,
  booking: Booking,
  command: Cancel,
  terms: CancellationTerms,
  context: Context,
): Decision<CancelOutcome> {
  const payment = bookedPayment(state, booking.id);
  const queued =
    payment !== undefined && terms.refund !== null ? queueRefund(payment, terms.refund, "cancelled", context) : null;
  const { actor, reason } = command;
  const refundId = queued?.refund.id ?? null;
  const closed = closeBooking(state, booking, { actor, reason, refundId, voidReason: "cancelled" }, context.now);
  return {
    outcome: { outcome: "cancelled", booking: closed.booking, refund: queued?.refund ?? null, terms },
    changes: {
      ...closed.changes,
      refunds: queued === null ? [] : [queued.refund],
      events: [...closed.changes.events, ...(queued?.events ?? [])],
    },
  };
}
