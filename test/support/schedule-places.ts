import type { Wanted } from "../../src/core/admit.ts";
import type { Booking, Resource, Want } from "../../src/core/model.ts";
import type { State } from "../../src/core/state.ts";
import { type Answer, plainState } from "./schedule-judge.ts";

// Whether a place can be had, read plainly: from the bookings and not from their claims, and in steps of five minutes.
const step = 5 * 60_000;
const notice = 10 * 60_000;

export interface Asking {
  readonly state: State;
  readonly now: number;
  readonly wanted: Wanted;
  /** What is in nobody's way: the booking that is moved, or replaced. */
  readonly without: string | null;
  readonly answer: Answer & { readonly resource?: string; readonly left?: number; readonly of?: string };
  /** As it is now, where it was given a place. */
  readonly made: Booking | undefined;
  /** The most holds of a customer; null: she asks for none. */
  readonly maxHolds: number | null;
}

const lookedAt: ReadonlySet<string> = new Set([
  "reserved",
  "rescheduled",
  "too_soon",
  "closed",
  "slot_taken",
  "no_capacity",
  "pool_full",
  "limit_reached",
]);

/** Whether such an answer about the place can be right. */
export function placedRightly(asking: Asking): boolean {
  const { answer, made, wanted, now, state } = asking;
  const resource = answer.resource ?? "";
  const name = answer.reason ?? answer.outcome;
  // S5: what has begun is looked at no further.
  if (wanted.interval.start <= now && lookedAt.has(name)) return false;
  switch (name) {
    case "reserved":
    case "rescheduled":
      return made !== undefined && admissible(asking, made);
    case "unknown_resource":
      return state.resources.get(resource)?.active !== true;
    case "in_past":
      return wanted.interval.start <= now;
    case "too_soon":
      return wanted.rules !== null && wanted.interval.start < now + notice;
    case "slot_taken":
      return isBusy(asking, resource);
    case "no_capacity":
      return (
        wanted.wants.some((want) => want.resource === resource && left(asking, want) < want.quantity) &&
        wanted.wants.some((want) => left(asking, want) === answer.left)
      );
    case "pool_full": {
      const members = state.resources.get(resource)?.members ?? [];
      return wanted.wants.length > 1 || members.every((member) => isBusy(asking, member));
    }
    case "too_many_holds":
      return asking.maxHolds !== null && holdsOf(asking, asking.wanted.customer) >= asking.maxHolds;
    case "limit_reached":
      return answer.of === wanted.customer
        ? visitsOf(asking) >= (wanted.limits.perCustomer ?? Number.POSITIVE_INFINITY)
        : partiesOn(asking, answer.of ?? "") >= (wanted.limits.perResource ?? Number.POSITIVE_INFINITY);
    default:
      return true;
  }
}

/** Whether the time can be had at all, and by this customer; where it is wanted of no one thing twice. */
export function canBeHad(asking: Asking): boolean {
  const { wanted, state } = asking;
  return (
    wanted.interval.start > asking.now &&
    wanted.wants.every((want) => {
      const asked = state.resources.get(want.resource);
      return (asked?.kind === "pool" ? asked.members : [want.resource]).some((id) => fitsOn(asking, want, id));
    }) &&
    !isDayFull(asking)
  );
}

export function admissible(asking: Asking, made: Booking): boolean {
  const { wanted, now, state, maxHolds, answer } = asking;
  const pending = plainState(made, now) === "pending";
  const fits = made.resources.every((id, index) => {
    const want = wanted.wants[index];
    const asked = state.resources.get(want?.resource ?? "");
    // Before it claims, it has the pool and none of its members.
    if (pending && asked?.kind === "pool") return id === asked.id;
    if (want === undefined || !fitsOn(asking, want, id)) return false;
    if (asked?.kind === "pool" ? !asked.members.includes(id) : asked?.id !== id) return false;
    return !(asked?.kind === "pool" && answer.outcome === "reserved" && !isFair(asking, asked, id));
  });
  return (
    fits &&
    wanted.interval.start > now &&
    made.interval.start === wanted.interval.start &&
    made.interval.end === wanted.interval.end &&
    new Set(made.resources).size === made.resources.length &&
    !isDayFull(asking) &&
    (maxHolds === null || holdsOf(asking, asking.wanted.customer) < maxHolds)
  );
}

function fitsOn(asking: Asking, want: Want, id: string): boolean {
  const { wanted, state } = asking;
  const resource = state.resources.get(id);
  const { perResource } = wanted.limits;
  if (resource?.active !== true) return false;
  if (perResource !== null && partiesOn(asking, id) >= perResource) return false;
  const enough =
    (resource.kind !== "counted" && wanted.session === null) ||
    left(asking, { ...want, resource: id }) >= want.quantity;
  return enough && (resource.kind === "counted" || !isBusy(asking, id));
}

function isDayFull(asking: Asking): boolean {
  const { customer, limits } = asking.wanted;
  return limits.perCustomer !== null && customer !== null && visitsOf(asking) >= limits.perCustomer;
}

/** Nobody whose turn is sooner is free. Only where a pool is the one thing wanted, and by nobody who joins a session. */
function isFair(asking: Asking, pool: Resource, chosen: string): boolean {
  if (asking.wanted.wants.length > 1 || asking.wanted.session !== null) return true;
  const turn = (id: string): number =>
    pool.fairness === "least_loaded" ? loadOf(asking, id) : (asking.state.resources.get(id)?.lastChosenAt ?? 0);
  return pool.members.every((id) => isBusy(asking, id) || turn(id) >= turn(chosen));
}

/** Bookings that the member has that day. */
function loadOf(asking: Asking, member: string): number {
  const { day } = asking.wanted;
  return others(asking).filter(
    ({ resources, interval, buffers, ...booking }) =>
      ["held", "confirmed"].includes(plainState({ ...booking, resources, interval, buffers }, asking.now)) &&
      resources.includes(member) &&
      interval.start - buffers.beforeMs < day.end &&
      day.start < interval.end + buffers.afterMs,
  ).length;
}

const others = ({ state, without }: Pick<Asking, "state" | "without">): Booking[] =>
  [...state.bookings.values()].filter((booking) => booking.id !== without);

/** Those that have the resource at the moment of the day, buffers included. */
function having(asking: Asking, resource: string, moment: number): Booking[] {
  return others(asking).filter(({ resources, interval, buffers, ...booking }) => {
    const state = plainState({ ...booking, resources, interval, buffers }, asking.now);
    const within = interval.start - buffers.beforeMs <= moment && moment < interval.end + buffers.afterMs;
    return (state === "held" || state === "confirmed") && within && resources.includes(resource);
  });
}

function moments({ wanted: { interval, buffers } }: Asking): number[] {
  const from = interval.start - buffers.beforeMs;
  const length = interval.end + buffers.afterMs - from;
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => from + index * step);
}

function isBusy(asking: Asking, resource: string): boolean {
  const { wanted } = asking;
  return moments(asking).some((moment) =>
    having(asking, resource, moment).some(
      ({ session }) => wanted.session === null || session?.id !== wanted.session.id,
    ),
  );
}

/** Places that stay free: of what is counted, or else of the session. */
function left(asking: Asking, { resource }: Want): number {
  const { state, wanted } = asking;
  const places = state.resources.get(resource);
  if (places?.kind === "counted") {
    const taken = moments(asking).map((moment) =>
      having(asking, resource, moment).reduce(
        (sum, { wants, resources }) => sum + (wants[resources.indexOf(resource)]?.quantity ?? 0),
        0,
      ),
    );
    return places.capacity - Math.max(0, ...taken);
  }
  const seats = others(asking)
    .filter(({ session }) => session !== null && session.id === wanted.session?.id)
    .filter((booking) => ["held", "confirmed"].includes(plainState(booking, asking.now)))
    .reduce((sum, { wants }) => sum + (wants[0]?.quantity ?? 0), 0);
  return (wanted.session?.capacity ?? 0) - seats;
}

const startsThatDay = ({ wanted: { day } }: Asking, { interval }: Booking): boolean =>
  day.start <= interval.start && interval.start < day.end;

/** Her bookings of that day, paid or still to be paid. */
function visitsOf(asking: Asking): number {
  return others(asking).filter(
    (booking) =>
      booking.customer === asking.wanted.customer &&
      startsThatDay(asking, booking) &&
      ["pending", "held", "confirmed"].includes(plainState(booking, asking.now)),
  ).length;
}

/** Parties that the resource has that day; a session is one. */
function partiesOn(asking: Asking, resource: string): number {
  const parties = others(asking)
    .filter((booking) => booking.resources.includes(resource) && startsThatDay(asking, booking))
    .filter((booking) => ["held", "confirmed"].includes(plainState(booking, asking.now)))
    .map(({ id, session }) => session?.id ?? id);
  return new Set(parties).size;
}

/** What she holds of times that are not over. */
export function holdsOf(
  { state, now, without }: Pick<Asking, "state" | "now" | "without">,
  customer: string | null,
): number {
  return others({ state, without }).filter(
    (booking) => booking.customer === customer && plainState(booking, now) === "held" && now < booking.interval.end,
  ).length;
}
