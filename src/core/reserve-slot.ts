import { type AdmissionRefusal, admitTimeOf, type Wanted } from "./admit.ts";
import { type Assignment, assign } from "./assign.ts";
import { takeClaims } from "./claims.ts";
import { closeBooking } from "./close-booking.ts";
import type { Context } from "./context.ts";
import { liveHolds } from "./limits.ts";
import type { Anchor, Booking, NewEvent, Want } from "./model.ts";
import type { Money } from "./money.ts";
import { freeze } from "./policies.ts";
import { applyChanges, type Changes, type Decision, type State, together, unchanged } from "./state.ts";
import { isStanding, stateAt } from "./states.ts";
import type { Instant } from "./time.ts";

/** What is asked for, after validation. */
export interface ReserveSlot extends Wanted {
  readonly customer: string;
  readonly payer: string | null;
  readonly anchor: Anchor | null;
  readonly service: string | null;
  readonly price: Money | null;
  /** `now`: held or, if free and asked so, confirmed. `at_checkout`: nothing is claimed before pre-checkout. */
  readonly claim: "now" | "at_checkout";
  readonly confirm: boolean;
  readonly holdMs: number | null;
  /** The customer's own hold that this one takes the place of. */
  readonly replaces: string | null;
  readonly requestId: string | null;
  readonly requestDigest: string;
  readonly title: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly actor: string;
}

export type ReserveRefusal =
  | AdmissionRefusal
  | { readonly reason: "idempotency_conflict" }
  | { readonly reason: "unknown_booking" }
  | { readonly reason: "too_many_holds"; readonly limit: number }
  | { readonly reason: "hold_too_long"; readonly limitMs: number };

export type ReserveOutcome =
  | { readonly outcome: "reserved"; readonly booking: Booking; readonly replaced: Booking | null }
  | { readonly outcome: "existing"; readonly booking: Booking }
  | ({ readonly outcome: "refused" } & ReserveRefusal);

/** The table "reserveSlot" of the decisions, row by row. */
export function reserveSlot(state: State, command: ReserveSlot, context: Context): Decision<ReserveOutcome> {
  const { now } = context;
  const known = sameRequest(state, command);
  if (known !== undefined) {
    return known.requestDigest === command.requestDigest
      ? unchanged({ outcome: "existing", booking: known })
      : refused({ reason: "idempotency_conflict" });
  }
  const same = sameIntention(state, command, now);
  if (same !== undefined) return unchanged({ outcome: "existing", booking: same });

  const replaced = replacedHold(state, command, now);
  if (replaced === undefined) return refused({ reason: "unknown_booking" });
  const released = release(state, replaced, command, context);
  const freed = applyChanges(state, released);

  const standing = { without: [], preferred: [] };
  const refusal = admitTimeOf(freed, command, standing, context) ?? refuseHold(freed, command, context);
  if (refusal !== null) return refused(refusal);
  const assignment = assign(freed, command, standing, context);
  if ("refused" in assignment) return refused(assignment.refused);
  return reserved(freed, assignment, released, command, context);
}

function refused(refusal: ReserveRefusal): Decision<ReserveOutcome> {
  return unchanged({ outcome: "refused", ...refusal });
}

function sameRequest(state: State, command: ReserveSlot): Booking | undefined {
  if (command.requestId === null) return undefined;
  for (const booking of state.bookings.values()) {
    if (booking.customer === command.customer && booking.requestId === command.requestId) return booking;
  }
  return undefined;
}

/** The same intention that still stands is the same booking (B8), unchanged and with its price still due. */
function sameIntention(state: State, command: ReserveSlot, now: Instant): Booking | undefined {
  for (const booking of state.bookings.values()) {
    // What has ended is no intention any more.
    if (isSameIntention(booking, command) && isStanding(booking, now) && now < booking.interval.end) return booking;
  }
  return undefined;
}

/** Same customer, same wants, same interval. */
export function isSameIntention(booking: Booking, wanted: Pick<Wanted, "customer" | "interval" | "wants">): boolean {
  return (
    booking.customer === wanted.customer &&
    booking.interval.start === wanted.interval.start &&
    booking.interval.end === wanted.interval.end &&
    sameWants(booking.wants, wanted.wants)
  );
}

function sameWants(left: readonly Want[], right: readonly Want[]): boolean {
  return (
    left.length === right.length &&
    left.every((want, index) => want.resource === right[index]?.resource && want.quantity === right[index]?.quantity)
  );
}

/** The hold to be replaced; null when none was named, undefined when it is not the customer's or no longer a hold. */
function replacedHold(state: State, { replaces, customer }: ReserveSlot, now: Instant): Booking | null | undefined {
  if (replaces === null) return null;
  const booking = state.bookings.get(replaces);
  if (booking === undefined || booking.customer !== customer) return undefined;
  const current = stateAt(booking, now);
  // One that lapsed meanwhile holds nothing any more: there is nothing to release, and nothing to refuse.
  if (current === "expired") return null;
  return current === "held" || current === "pending" ? booking : undefined;
}

/** Choosing another time releases the first, in the same transaction (R27). */
function release(state: State, replaced: Booking | null, { actor }: ReserveSlot, { now }: Context): Changes {
  if (replaced === null) return {};
  const closing = { actor, reason: "replaced", refundId: null, voidReason: "replaced" } as const;
  return closeBooking(state, replaced, closing, now).changes;
}

function refuseHold(state: State, command: ReserveSlot, { now, policies }: Context): ReserveRefusal | null {
  if (!isHold(command)) return null;
  if (liveHolds(state, command.customer, now).length >= policies.maxLiveHoldsPerCustomer) {
    return { reason: "too_many_holds", limit: policies.maxLiveHoldsPerCustomer };
  }
  return command.holdMs !== null && command.holdMs > policies.maxHoldMs
    ? { reason: "hold_too_long", limitMs: policies.maxHoldMs }
    : null;
}

function isHold(command: ReserveSlot): boolean {
  return command.claim === "now" && !isConfirmedAtOnce(command);
}

function isConfirmedAtOnce(command: ReserveSlot): boolean {
  return command.price === null && command.confirm;
}

/** The booking before it has its place. */
export function newBooking(command: ReserveSlot, { now, policies, newId, newToken }: Context): Booking {
  const confirmed = isConfirmedAtOnce(command);
  const held = isHold(command);
  return {
    id: newId(),
    token: newToken(),
    customer: command.customer,
    payer: command.payer,
    state: confirmed ? "confirmed" : held ? "held" : "pending",
    wants: command.wants,
    resources: command.wants.map((want) => want.resource),
    interval: command.interval,
    buffers: command.buffers,
    day: command.day,
    anchor: command.anchor,
    service: command.service,
    session: command.session,
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
    attendance: null,
    waitlistEntryId: null,
    offeredStart: null,
  };
}

/**
 * A booking that claims nothing yet is refused like any other when the time is taken: an invoice for it would only disappoint. Its
 * place is found again at checkout, so nothing of it is kept now.
 */
function reserved(
  state: State,
  assignment: Assignment,
  released: Changes,
  command: ReserveSlot,
  context: Context,
): Decision<ReserveOutcome> {
  const { now } = context;
  const wanted = newBooking(command, context);
  const pending = wanted.state === "pending";
  const booking = pending ? wanted : { ...wanted, resources: assignment.resources };
  const event: NewEvent = {
    bookingId: booking.id,
    type: booking.state === "confirmed" ? "booking_confirmed" : "booking_reserved",
    at: now,
    actor: command.actor,
    version: booking.version,
    data: { state: booking.state },
  };
  const changes: Changes = {
    bookings: [booking],
    claims: pending ? [] : takeClaims(state, booking, now, booking.holdExpiresAt),
    resources: pending ? [] : assignment.chosen,
    events: [event],
  };
  return {
    outcome: { outcome: "reserved", booking, replaced: released.bookings?.[0] ?? null },
    changes: together([released, changes]),
  };
}
