import type { Booking, BookingState } from "./model.ts";
import type { Instant } from "./time.ts";

/** What a booking is at `now`, whether or not a sweeper has run (B6). At equality a hold is over. */
export function stateAt(booking: Booking, now: Instant): BookingState {
  if (booking.state === "held" && now >= (booking.holdExpiresAt ?? 0)) return "expired";
  if (booking.state === "pending" && now >= (booking.payableUntil ?? 0)) return "expired";
  return booking.state;
}

/** Whether the booking still waits for, or has, what the customer asked for. */
export function isStanding(booking: Booking, now: Instant): boolean {
  const state = stateAt(booking, now);
  return state === "pending" || state === "held" || state === "confirmed";
}
