import { closeClaims } from "./claims.ts";
import type { Context } from "./context.ts";
import type { Booking } from "./model.ts";
import { type Decision, type State, unchanged } from "./state.ts";
import { stateAt } from "./states.ts";

export type ExpireOutcome = { readonly outcome: "expired"; readonly booking: Booking } | { readonly outcome: "kept" };

/** Writes down that a hold or an unpaid booking is over, so that the customer is told. Nothing else depends on it (B6). */
export function expire(
  state: State,
  command: { readonly bookingId: string },
  { now }: Context,
): Decision<ExpireOutcome> {
  const booking = state.bookings.get(command.bookingId);
  if (booking === undefined || booking.state === "expired" || stateAt(booking, now) !== "expired") {
    return unchanged({ outcome: "kept" });
  }
  const expired: Booking = { ...booking, state: "expired", version: booking.version + 1 };
  return {
    outcome: { outcome: "expired", booking: expired },
    changes: {
      bookings: [expired],
      claims: closeClaims(state, booking.id, now),
      events: [
        {
          bookingId: booking.id,
          // One message, and the right one: an offer that lapsed has been passed on.
          type: booking.waitlistEntryId === null ? "booking_expired" : "waitlist_lapsed",
          at: now,
          actor: "bookonce",
          version: expired.version,
          data: { was: booking.state, ...(booking.waitlistEntryId && { entryId: booking.waitlistEntryId }) },
        },
      ],
    },
  };
}
