import type { Booking } from "./model.ts";
import { claimsOn, isLive, type State } from "./state.ts";
import { isStanding, stateAt } from "./states.ts";
import type { Instant, Interval } from "./time.ts";

/** Bookings that may start on one local day of the place; null: as many as fit. */
export interface DayLimits {
  readonly perResource: number | null;
  readonly perCustomer: number | null;
}

export const noLimits: DayLimits = { perResource: null, perCustomer: null };

/** `of`: the customer or the resource whose day is full. */
export interface DayLimitReached {
  readonly reason: "limit_reached";
  readonly limit: number;
  readonly of: string;
}

export function customerDayFull(
  state: State,
  { customer, day, limits }: { readonly customer: string; readonly day: Interval; readonly limits: DayLimits },
  without: readonly string[],
  now: Instant,
): DayLimitReached | null {
  if (limits.perCustomer === null) return null;
  const booked = [...state.bookings.values()].filter(
    (booking) =>
      booking.customer === customer &&
      !without.includes(booking.id) &&
      isStanding(booking, now) &&
      startsWithin(booking.interval.start, day),
  );
  return booked.length >= limits.perCustomer
    ? { reason: "limit_reached", limit: limits.perCustomer, of: customer }
    : null;
}

export function resourceDayFull(
  state: State,
  resource: string,
  { day, limits }: { readonly day: Interval; readonly limits: DayLimits },
  without: readonly string[],
  now: Instant,
): DayLimitReached | null {
  if (limits.perResource === null) return null;
  // A session counts once, however many have joined.
  const holders = new Set<string>();
  for (const claim of claimsOn(state, resource)) {
    if (without.includes(claim.bookingId) || !isLive(claim, now)) continue;
    if (startsWithin(claim.interval.start + claim.buffers.beforeMs, day)) holders.add(claim.holder);
  }
  return holders.size >= limits.perResource
    ? { reason: "limit_reached", limit: limits.perResource, of: resource }
    : null;
}

function startsWithin(start: Instant, day: Interval): boolean {
  return day.start <= start && start < day.end;
}

/** Live holds of a customer (B7). One of a time that has ended freezes nothing. */
export function liveHolds(state: State, customer: string, now: Instant): Booking[] {
  return [...state.bookings.values()].filter(
    (booking) => booking.customer === customer && stateAt(booking, now) === "held" && now < booking.interval.end,
  );
}
