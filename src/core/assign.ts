import { claimedInterval, takeClaims } from "./claims.ts";
import type { Context } from "./context.ts";
import { type DayLimitReached, type DayLimits, noLimits, resourceDayFull } from "./limits.ts";
import type { Booking, Buffers, Claim, Resource, Session, Want } from "./model.ts";
import { capacityLeft, type Occupied, occupied, type Place, seatsOf, sessionPlacesLeft } from "./occupancy.ts";
import { claimsOn, isLive, type State } from "./state.ts";
import { type Instant, type Interval, overlaps } from "./time.ts";

/** What is to be placed. A booking is one; so is a time that is only looked at. */
export interface Placing {
  readonly wants: readonly Want[];
  readonly interval: Interval;
  readonly buffers: Buffers;
  /** The local day, in which the load of a pool's members is counted. */
  readonly day: Interval;
  readonly session: Session | null;
  readonly limits: DayLimits;
}

/** Whose claims are not in the way, and which members are kept if they are free. */
export interface Standing {
  readonly without: readonly string[];
  readonly preferred: readonly string[];
}

export type Refused =
  | Occupied
  | DayLimitReached
  | { readonly reason: "unknown_resource"; readonly resource: string }
  | { readonly reason: "closed"; readonly resource: string; readonly because: string }
  | { readonly reason: "pool_full"; readonly resource: string };

/** A resource for every want, in order, and the pool members among them. */
export interface Assignment {
  readonly resources: readonly string[];
  readonly chosen: readonly Resource[];
}

/** A resource for every want, all or none (B3). The choice depends on nothing but the state: same state, same member. */
export function assign(
  state: State,
  placing: Placing,
  standing: Standing,
  context: Pick<Context, "now" | "admitTime">,
): Assignment | { readonly refused: Refused } {
  const full = sessionFull(state, placing, standing, context.now);
  if (full !== null) return { refused: full };
  const resources: string[] = [];
  const chosen: Resource[] = [];
  for (const want of placing.wants) {
    const wanted = state.resources.get(want.resource);
    if (wanted?.active !== true) return { refused: { reason: "unknown_resource", resource: want.resource } };
    if (wanted.kind === "pool") {
      const member = chooseMember(state, wanted, placing, want, standing, resources, context);
      if (member === null) return { refused: { reason: "pool_full", resource: wanted.id } };
      resources.push(member.id);
      chosen.push({ ...member, lastChosenAt: context.now });
      continue;
    }
    const refused = unavailable(state, wanted, placing, want, standing, context);
    if (refused !== null) return { refused };
    resources.push(wanted.id);
  }
  return { resources, chosen };
}

function sessionFull(state: State, placing: Placing, { without }: Standing, now: Instant): Refused | null {
  const [first] = placing.wants;
  if (placing.session === null || first === undefined) return null;
  const left = sessionPlacesLeft(state, placing.session, without, now);
  return left < seatsOf(placing.wants) ? { reason: "no_capacity", resource: first.resource, left } : null;
}

function unavailable(
  state: State,
  resource: Resource,
  placing: Placing,
  want: Want,
  standing: Standing,
  { now, admitTime }: Pick<Context, "now" | "admitTime">,
): Refused | null {
  const closed = resource.rules === null ? null : admitTime(resource.rules, placing.interval, now);
  if (closed !== null) {
    return {
      reason: "closed",
      resource: resource.id,
      because: closed.reason === "closed" ? closed.because : closed.reason,
    };
  }
  const full = resourceDayFull(state, resource.id, placing, standing.without, now);
  if (full !== null) return full;
  return occupied(state, resource, placeOf(placing, want, standing), now);
}

function placeOf(placing: Placing, { quantity }: Want, { without }: Standing): Place {
  return { without, sessionId: placing.session?.id ?? null, interval: claimedInterval(placing), quantity };
}

/** Free members first, then rank: a member who is busy at that hour is never chosen for being the least loaded that day (R10). */
function chooseMember(
  state: State,
  pool: Resource,
  placing: Placing,
  want: Want,
  standing: Standing,
  taken: readonly string[],
  context: Pick<Context, "now" | "admitTime">,
): Resource | null {
  const free = freeMembers(state, pool, placing, want, standing, taken, context);
  const kept =
    free.find((member) => isIn(state, placing.session, member, context.now)) ??
    free.find((member) => standing.preferred.includes(member.id));
  if (kept !== undefined) return kept;
  const rank = (member: Resource): number =>
    pool.fairness === "least_loaded" ? loadOf(state, member.id, placing.day, context.now) : (member.lastChosenAt ?? -1);
  // Stable: among equals, the one named first.
  return free.toSorted((left, right) => rank(left) - rank(right))[0] ?? null;
}

/** Whoever joins a session comes to the member that it is with, not to another one who happens to be free. */
function isIn(state: State, session: Session | null, member: Resource, now: Instant): boolean {
  if (session === null) return false;
  return claimsOn(state, member.id).some((claim) => claim.holder === session.id && isLive(claim, now));
}

function freeMembers(
  state: State,
  pool: Resource,
  placing: Placing,
  want: Want,
  standing: Standing,
  taken: readonly string[],
  context: Pick<Context, "now" | "admitTime">,
): Resource[] {
  return pool.members
    .map((id) => state.resources.get(id))
    .filter((member) => member !== undefined)
    .filter((member) => member.active && !taken.includes(member.id))
    .filter((member) => unavailable(state, member, placing, want, standing, context) === null);
}

function loadOf(state: State, resource: string, day: Interval, now: Instant): number {
  return claimsOn(state, resource).filter((claim) => isLive(claim, now) && overlaps(claim.interval, day)).length;
}

/**
 * How many more bookings of this kind the time has room for: free members of a pool, places of a counted resource, seats of a session.
 * 0 when it cannot be had at all.
 */
export function placesLeft(
  state: State,
  placing: Placing,
  standing: Standing,
  context: Pick<Context, "now" | "admitTime">,
): number {
  if ("refused" in assign(state, placing, standing, context)) return 0;
  const placesIn = (wants: readonly Want[]) => wants.map((want) => placesOf(state, placing, want, standing, context));
  if (placing.session === null) return Math.min(...placesIn(placing.wants));
  const seats = sessionPlacesLeft(state, placing.session, standing.without, context.now);
  // Its exclusive resources are shared; what is counted, everybody takes for herself.
  const counted = placing.wants.filter(({ resource }) => state.resources.get(resource)?.kind === "counted");
  return Math.min(Math.floor(seats / seatsOf(placing.wants)), ...placesIn(counted));
}

function placesOf(
  state: State,
  placing: Placing,
  want: Want,
  standing: Standing,
  context: Pick<Context, "now" | "admitTime">,
): number {
  const wanted = state.resources.get(want.resource);
  if (wanted?.kind === "pool") {
    return freeMembers(state, wanted, placing, want, standing, [], context).length;
  }
  if (wanted?.kind !== "counted") return 1;
  return Math.floor(capacityLeft(state, wanted, placeOf(placing, want, standing), context.now) / want.quantity);
}

/** The booking with its resources assigned, and what to write for it. */
export interface Placed {
  readonly booking: Booking;
  readonly claims: readonly Claim[];
  readonly resources: readonly Resource[];
}

/** Claims what the booking wants, from `now` until its hold ends (or without end), or says what is in the way. */
export function place(
  state: State,
  booking: Booking,
  liveUntil: Instant | null,
  context: Pick<Context, "now" | "admitTime">,
): Placed | { readonly refused: Refused } {
  const standing = { without: [booking.id], preferred: booking.resources };
  // Limits were judged when it was made: a paying customer is not refused because the day has filled up since.
  const assignment = assign(state, { ...booking, limits: noLimits }, standing, context);
  if ("refused" in assignment) return assignment;
  const assigned = { ...booking, resources: assignment.resources };
  return {
    booking: assigned,
    claims: takeClaims(state, assigned, context.now, liveUntil),
    resources: assignment.chosen,
  };
}
