import { takeClaims } from "./claims.ts";
import type { Context } from "./context.ts";
import type { Booking } from "./model.ts";
import type { Money } from "./money.ts";
import { freeze } from "./policies.ts";
import { applyChanges, type Decision, rivalClaim, type State, unchanged } from "./state.ts";
import { isStanding, stateAt } from "./states.ts";
import type { Instant, Interval } from "./time.ts";

/** What is asked for, after validation. */
export interface ReserveSlot {
  readonly customer: string;
  readonly payer: string | null;
  readonly resources: readonly string[];
  readonly interval: Interval;
  readonly price: Money | null;
  /** `now`: held or, if free and asked so, confirmed. `at_checkout`: nothing is claimed before pre-checkout. */
  readonly claim: "now" | "at_checkout";
  readonly confirm: boolean;
  readonly holdMs: number | null;
  readonly requestId: string | null;
  readonly requestDigest: string;
  readonly title: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly actor: string;
}

export type ReserveRefusal =
  | { readonly reason: "idempotency_conflict" }
  | { readonly reason: "unknown_resource"; readonly resource: string }
  | { readonly reason: "in_past" }
  | { readonly reason: "too_many_holds"; readonly limit: number }
  | { readonly reason: "hold_too_long"; readonly limitMs: number }
  | { readonly reason: "slot_taken"; readonly resource: string };

export type ReserveOutcome =
  | { readonly outcome: "reserved"; readonly booking: Booking }
  | { readonly outcome: "existing"; readonly booking: Booking }
  | ({ readonly outcome: "refused" } & ReserveRefusal);

/** The table "reserveSlot" of the decisions, row by row. */
export function reserveSlot(state: State, command: ReserveSlot, context: Context): Decision<ReserveOutcome> {
  const { now } = context;

  const known = sameRequest(state, command);
  if (known !== undefined) {
    return unchanged(
      known.requestDigest === command.requestDigest
        ? { outcome: "existing", booking: known }
        : { outcome: "refused", reason: "idempotency_conflict" },
    );
  }
  const same = sameIntention(state, command, now);
  if (same !== undefined) return unchanged({ outcome: "existing", booking: same });

  const refusal = refuse(state, command, context);
  if (refusal !== null) return unchanged({ outcome: "refused", ...refusal });

  const booking = newBooking(command, context);
  const changes = { bookings: [booking] };
  const claims =
    booking.state === "pending" ? [] : takeClaims(applyChanges(state, changes), booking, now, booking.holdExpiresAt);
  const type = booking.state === "confirmed" ? "booking_confirmed" : "booking_reserved";
  return {
    outcome: { outcome: "reserved", booking },
    changes: {
      ...changes,
      claims,
      events: [
        {
          bookingId: booking.id,
          type,
          at: now,
          actor: command.actor,
          version: booking.version,
          data: { state: booking.state },
        },
      ],
    },
  };
}

function sameRequest(state: State, command: ReserveSlot): Booking | undefined {
  if (command.requestId === null) return undefined;
  for (const booking of state.bookings.values()) {
    if (booking.customer === command.customer && booking.requestId === command.requestId) return booking;
  }
  return undefined;
}

/** Same customer, same resources, same interval, still wanted: the same booking (B8), unchanged and with its price still due. */
function sameIntention(state: State, command: ReserveSlot, now: Instant): Booking | undefined {
  for (const booking of state.bookings.values()) {
    if (
      booking.customer === command.customer &&
      booking.interval.start === command.interval.start &&
      booking.interval.end === command.interval.end &&
      booking.resources.length === command.resources.length &&
      booking.resources.every((resource, index) => resource === command.resources[index]) &&
      isStanding(booking, now) &&
      !isPast(booking, now)
    ) {
      return booking;
    }
  }
  return undefined;
}

/** What has ended is no intention any more, and freezes nothing. */
function isPast(booking: Booking, now: Instant): boolean {
  return booking.interval.end <= now;
}

function refuse(state: State, command: ReserveSlot, { now, policies }: Context): ReserveRefusal | null {
  const unknown = command.resources.find((resource) => state.resources.get(resource)?.active !== true);
  if (unknown !== undefined) return { reason: "unknown_resource", resource: unknown };
  if (command.interval.start <= now) return { reason: "in_past" };
  if (isHold(command)) {
    const live = [...state.bookings.values()].filter(
      (booking) => booking.customer === command.customer && stateAt(booking, now) === "held" && !isPast(booking, now),
    ).length;
    if (live >= policies.maxLiveHoldsPerCustomer) {
      return { reason: "too_many_holds", limit: policies.maxLiveHoldsPerCustomer };
    }
    if (command.holdMs !== null && command.holdMs > policies.maxHoldMs) {
      return { reason: "hold_too_long", limitMs: policies.maxHoldMs };
    }
  }
  // Also for a booking that claims nothing yet: an invoice for a time that is taken now would only disappoint.
  const rival = rivalClaim(state, { bookingId: null, ...command }, now);
  return rival === undefined ? null : { reason: "slot_taken", resource: rival.resource };
}

function isHold(command: ReserveSlot): boolean {
  return command.claim === "now" && !isConfirmedAtOnce(command);
}

function isConfirmedAtOnce(command: ReserveSlot): boolean {
  return command.price === null && command.confirm;
}

function newBooking(command: ReserveSlot, { now, policies, newId, newToken }: Context): Booking {
  const confirmed = isConfirmedAtOnce(command);
  const held = isHold(command);
  return {
    id: newId(),
    token: newToken(),
    customer: command.customer,
    payer: command.payer,
    state: confirmed ? "confirmed" : held ? "held" : "pending",
    resources: command.resources,
    interval: command.interval,
    price: command.price,
    holdExpiresAt: held ? now + (command.holdMs ?? policies.holdMs) : null,
    payableUntil: confirmed || held ? null : now + policies.payableMs,
    policy: freeze(policies),
    version: 1,
    requestId: command.requestId,
    requestDigest: command.requestDigest,
    title: command.title,
    data: command.data,
    createdAt: now,
    confirmedAt: confirmed ? now : null,
    cancelledAt: null,
    cancelledBy: null,
    cancelReason: null,
  };
}
