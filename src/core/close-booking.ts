import { closeClaims } from "./claims.ts";
import type { Booking, NewEvent } from "./model.ts";
import { type Changes, type State, standingApproval } from "./state.ts";
import type { Instant } from "./time.ts";

interface Closing {
  readonly actor: string;
  readonly reason: string | null;
  /** The refund that is queued with it. */
  readonly refundId: string | null;
  /** Why an approval that stands can lead to no charge that we accept. */
  readonly voidReason: "cancelled" | "replaced";
}

export interface Closed {
  readonly booking: Booking;
  readonly changes: Changes & { readonly events: readonly NewEvent[] };
}

/** The one way in which a booking is cancelled: its claims are closed now, and a charge that still comes will be late. */
export function closeBooking(state: State, booking: Booking, closing: Closing, now: Instant): Closed {
  const { actor, reason, refundId, voidReason } = closing;
  const closed: Booking = {
    ...booking,
    state: "cancelled",
    holdExpiresAt: null,
    payableUntil: null,
    version: booking.version + 1,
    cancelledAt: now,
    cancelledBy: actor,
    cancelReason: reason,
  };
  const approval = standingApproval(state, booking.id);
  const event: NewEvent = {
    bookingId: booking.id,
    type: "booking_cancelled",
    at: now,
    actor,
    version: closed.version,
    data: { reason, refund: refundId },
  };
  return {
    booking: closed,
    changes: {
      bookings: [closed],
      claims: closeClaims(state, booking.id, now),
      checkouts: approval === undefined ? [] : [{ ...approval, voidedAt: now, voidReason }],
      events: [event],
    },
  };
}
