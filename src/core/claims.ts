import type { Booking, Claim, Resource } from "./model.ts";
import { claimsOf, liveClaimsOf, type State } from "./state.ts";
import type { Instant, Interval } from "./time.ts";

/** What the booking takes: its interval, widened by the buffers (B2). */
export function claimedInterval({ interval, buffers }: Pick<Booking, "interval" | "buffers">): Interval {
  return { start: interval.start - buffers.beforeMs, end: interval.end + buffers.afterMs };
}

/** Whose claims never exclude each other: a booking's own, or those of the session it is part of. */
export function holderOf(booking: Pick<Booking, "id" | "session">): string {
  return booking.session?.id ?? booking.id;
}

/** New claims on every resource of the booking, live from `now`. */
export function takeClaims(state: State, booking: Booking, now: Instant, liveUntil: Instant | null): Claim[] {
  const before = claimsOf(state, booking.id).reduce((highest, claim) => Math.max(highest, claim.number), 0);
  return booking.resources.map((resource, index) => ({
    bookingId: booking.id,
    number: before + index + 1,
    resource,
    holder: holderOf(booking),
    exclusive: isExclusive(state.resources.get(resource)),
    quantity: booking.wants[index]?.quantity ?? 1,
    sessionCapacity: booking.session?.capacity ?? null,
    interval: claimedInterval(booking),
    buffers: booking.buffers,
    liveFrom: now,
    liveUntil,
  }));
}

function isExclusive(resource: Resource | undefined): boolean {
  return resource?.kind !== "counted";
}

/** The booking's live claims with another end, which never lies before their beginning, wherever the clock has been put since. */
export function keepClaims(state: State, bookingId: string, now: Instant, liveUntil: Instant | null): Claim[] {
  return liveClaimsOf(state, bookingId, now).map((claim) => ({
    ...claim,
    liveUntil: liveUntil === null ? null : Math.max(liveUntil, claim.liveFrom),
  }));
}

/** The booking's live claims, closed at `now`: from this instant they block nobody. */
export function closeClaims(state: State, bookingId: string, now: Instant): Claim[] {
  return keepClaims(state, bookingId, now, now);
}
