import type { Claim, Resource } from "./model.ts";
import { claimsOn, isLive, type State } from "./state.ts";
import { type Instant, type Interval, overlaps } from "./time.ts";

/** Who asks for a place: the claims of the bookings it stands for, and those of its session, are not in the way. */
export interface Place {
  readonly without: readonly string[];
  readonly sessionId: string | null;
  readonly interval: Interval;
  readonly quantity: number;
}

/** Why a resource cannot be had. */
export type Occupied =
  | { readonly reason: "slot_taken"; readonly resource: string }
  | { readonly reason: "no_capacity"; readonly resource: string; readonly left: number };

/** Whether the resource can be had in the interval, next to all live claims on it (B2, B3). */
export function occupied(state: State, resource: Resource, place: Place, now: Instant): Occupied | null {
  if (resource.kind === "counted") {
    const left = capacityLeft(state, resource, place, now);
    return left >= place.quantity ? null : { reason: "no_capacity", resource: resource.id, left };
  }
  const rival = liveClaims(state, resource.id, place, now).some(
    (claim) => claim.exclusive && claim.holder !== place.sessionId,
  );
  return rival ? { reason: "slot_taken", resource: resource.id } : null;
}

/** Places of a counted resource that stay free for the whole interval. Never negative, even when its capacity was lowered. */
export function capacityLeft(state: State, resource: Resource, place: Place, now: Instant): number {
  return Math.max(0, resource.capacity - peak(liveClaims(state, resource.id, place, now), place.interval));
}

function liveClaims(state: State, resource: string, place: Place, now: Instant): Claim[] {
  return claimsOn(state, resource).filter(
    (claim) =>
      !place.without.includes(claim.bookingId) && isLive(claim, now) && overlaps(claim.interval, place.interval),
  );
}

/**
 * The most places taken at any one moment of the interval: not the number of claims that overlap it, for two that follow each other
 * never need two places. Walks the moments at which a claim begins or ends: a place that is given back is free for whoever begins then.
 */
export function peak(claims: readonly Claim[], interval: Interval): number {
  const steps = claims
    .filter((claim) => overlaps(claim.interval, interval))
    .flatMap(({ interval: { start, end }, quantity }) => [
      { at: start, change: quantity },
      { at: end, change: -quantity },
    ]);
  steps.sort((left, right) => left.at - right.at || left.change - right.change);
  let taken = 0;
  let most = 0;
  for (const { at, change } of steps) {
    if (at >= interval.end) break;
    taken += change;
    most = Math.max(most, taken);
  }
  return most;
}

/** How many places of a session are still free. */
export function sessionPlacesLeft(
  state: State,
  session: { readonly id: string; readonly capacity: number },
  without: readonly string[],
  now: Instant,
): number {
  const byBooking = new Map<string, Claim[]>();
  for (const claim of state.claims.values()) {
    if (claim.holder !== session.id || without.includes(claim.bookingId) || !isLive(claim, now)) continue;
    byBooking.set(claim.bookingId, [...(byBooking.get(claim.bookingId) ?? []), claim]);
  }
  const taken = [...byBooking.values()].reduce((sum, claims) => sum + seatsOf(claims), 0);
  return Math.max(0, session.capacity - taken);
}

/**
 * How many places of a session a booking takes. Its resources may be needed in different quantities (the room once, two mats each): the
 * smallest is what a person counts for, in whatever order they are named.
 */
export function seatsOf(parts: readonly { readonly quantity: number }[]): number {
  return Math.min(...parts.map(({ quantity }) => quantity));
}
