import type { Booking } from "./model.ts";
import type { Instant } from "./time.ts";

/** Until when the booking's claims count: a hold's end, or (confirmed) without end. */
export function claimEnd(booking: Booking): Instant | null {
  return booking.state === "held" ? booking.holdExpiresAt : null;
}
