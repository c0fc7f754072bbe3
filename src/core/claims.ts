import type { Booking, Claim } from "./model.ts";
import { claimsOf, liveClaimsOf, type State } from "./state.ts";
import type { Instant } from "./time.ts";

/** New claims on every resource of the booking, live from `now`. */
export function takeClaims(state: State, booking: Booking, now: Instant, liveUntil: Instant | null): Claim[] {
  const before = claimsOf(state, booking.id).length;
  return booking.resources.map((resource, index) => ({
    bookingId: booking.id,
    number: before + index + 1,
    resource,
    interval: booking.interval,
    liveFrom: now,
    liveUntil,
  }));
}

/** The booking's live claims with another end; none shorter than it has already lasted. */
export function keepClaims(state: State, bookingId: string, now: Instant, liveUntil: Instant | null): Claim[] {
  return liveClaimsOf(state, bookingId, now).map((claim) => ({ ...claim, liveUntil }));
}

/** The booking's live claims, closed at `now`: from this instant they block nobody. */
export function closeClaims(state: State, bookingId: string, now: Instant): Claim[] {
  return keepClaims(state, bookingId, now, now);
}
