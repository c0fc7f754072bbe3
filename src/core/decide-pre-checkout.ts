import { place } from "./assign.ts";
import { keepClaims } from "./claims.ts";
import type { Context } from "./context.ts";
import type { Booking, Checkout, DeclineReason, PaymentFacts, ProviderKey } from "./model.ts";
import { sameMoney } from "./money.ts";
import { settlementGrace } from "./policies.ts";
import {
  bookedPayment,
  bookingByToken,
  type Changes,
  type Decision,
  providerKey,
  type State,
  standingApproval,
  unchanged,
} from "./state.ts";
import { stateAt } from "./states.ts";
import type { Instant } from "./time.ts";

/** A provider asks whether it may charge. */
export interface DecidePreCheckout {
  readonly key: ProviderKey;
  readonly facts: PaymentFacts;
}

export type CheckoutOutcome =
  | {
      readonly outcome: "approved";
      readonly booking: Booking;
      /** Until when the slot is kept for the charge. */
      readonly holdExpiresAt: Instant;
      /** Whether this is the stored answer to a query that was decided before. */
      readonly repeated: boolean;
    }
  | {
      readonly outcome: "declined";
      readonly reason: DeclineReason;
      readonly booking: Booking | null;
      readonly repeated: boolean;
    };

/** The table "decidePreCheckout" of the decisions, row by row. */
export function decidePreCheckout(
  state: State,
  command: DecidePreCheckout,
  context: Context,
): Decision<CheckoutOutcome> {
  const booking = bookingByToken(state, command.facts.token);
  const decided = state.checkouts.get(providerKey(command.key));
  if (decided !== undefined) return repeat(decided, command, booking, context);
  if (booking === undefined) return decline(command, null, "unknown_booking", context);

  const reason = refuse(state, booking, command, context);
  if (reason !== null) return decline(command, booking, reason, context);
  const current = stateAt(booking, context.now);
  return current === "held" ? keep(state, booking, command, context) : take(state, booking, command, context);
}

function decline(
  command: DecidePreCheckout,
  booking: Booking | null,
  reason: DeclineReason,
  { now }: Context,
): Decision<CheckoutOutcome> {
  return {
    outcome: { outcome: "declined", reason, booking, repeated: false },
    changes: { checkouts: [stored(command, booking, reason, now)] },
  };
}

/** A query that was decided before: the stored answer, and nothing is extended (S6). */
function repeat(
  decided: Checkout,
  command: DecidePreCheckout,
  booking: Booking | undefined,
  { now }: Context,
): Decision<CheckoutOutcome> {
  const declined = (reason: DeclineReason): CheckoutOutcome => ({
    outcome: "declined",
    reason,
    booking: booking ?? null,
    repeated: true,
  });
  if (!sameFacts(decided.facts, command.facts)) {
    return {
      outcome: declined("conflict"),
      changes: { events: [conflictEvent("checkout_conflict", decided.bookingId, command, now)] },
    };
  }
  // Only a no has a reason.
  if (decided.reason !== null) return unchanged(declined(decided.reason));
  if (booking === undefined) return unchanged(declined("unknown_booking"));
  const standing = stateAt(booking, now);
  if (standing === "cancelled") return unchanged(declined("cancelled"));
  // Its hold lives no more: it has become a booking, perhaps by another charge, and a second one must not follow.
  if (standing === "confirmed") return unchanged(declined("already_paid"));
  if (standing !== "held" || decided.voidedAt !== null) return unchanged(declined("hold_lapsed"));
  return unchanged({ outcome: "approved", booking, holdExpiresAt: booking.holdExpiresAt ?? now, repeated: true });
}

/** Every reason to say no but one: whether the place itself is free is seen when it is taken. */
function refuse(state: State, booking: Booking, { facts }: DecidePreCheckout, { now }: Context): DeclineReason | null {
  if (booking.payer !== null && booking.payer !== facts.payer) return "wrong_payer";
  if (booking.price === null || !sameMoney(booking.price, facts.money)) return "wrong_amount";
  const current = stateAt(booking, now);
  if (current === "cancelled") return "cancelled";
  if (current === "confirmed" || bookedPayment(state, booking.id) !== undefined) return "already_paid";
  if (current === "expired" && !mayRetake(state, booking)) return "hold_lapsed";
  if (booking.interval.start <= now) return "in_past";
  return standingApproval(state, booking.id) === undefined ? null : "payment_in_progress";
}

/** Policy `retakeLapsedHold`: a lapsed hold that was never approved may be taken again. */
function mayRetake(state: State, booking: Booking): boolean {
  if (!booking.policy.retakeLapsedHold || booking.holdExpiresAt === null) return false;
  // An offer that lapsed has been passed on.
  if (booking.waitlistEntryId !== null) return false;
  for (const checkout of state.checkouts.values()) {
    if (checkout.bookingId === booking.id && checkout.decision === "approved") return false;
  }
  return true;
}

/** Held and alive: the hold stays at least as long as the charge may need. */
function keep(state: State, booking: Booking, command: DecidePreCheckout, { now }: Context): Decision<CheckoutOutcome> {
  const graceEnd = now + settlementGrace(booking.policy, command.key.provider);
  const holdEnd = booking.holdExpiresAt;
  const holdExpiresAt = holdEnd !== null && holdEnd > graceEnd ? holdEnd : graceEnd;
  const held: Booking = { ...booking, holdExpiresAt };
  return {
    outcome: { outcome: "approved", booking: held, holdExpiresAt, repeated: false },
    changes: {
      bookings: [held],
      claims: keepClaims(state, booking.id, now, holdExpiresAt),
      checkouts: [stored(command, held, null, now)],
    },
  };
}

/** Pending (or lapsed, where policy lets it be taken again): claims now, if it is free. */
function take(state: State, booking: Booking, command: DecidePreCheckout, context: Context): Decision<CheckoutOutcome> {
  const { now } = context;
  const holdExpiresAt = now + settlementGrace(booking.policy, command.key.provider);
  const placed = place(state, booking, holdExpiresAt, context);
  if ("refused" in placed) return decline(command, booking, "slot_taken", context);
  const held: Booking = {
    ...placed.booking,
    state: "held",
    holdExpiresAt,
    payableUntil: null,
    version: booking.version + 1,
  };
  const changes: Changes = {
    resources: placed.resources,
    bookings: [held],
    claims: placed.claims,
    checkouts: [stored(command, held, null, now)],
    events: [
      {
        bookingId: held.id,
        type: "booking_held",
        at: now,
        actor: command.key.provider,
        version: held.version,
        data: { checkoutId: command.key.externalId },
      },
    ],
  };
  return { outcome: { outcome: "approved", booking: held, holdExpiresAt, repeated: false }, changes };
}

function stored(
  command: DecidePreCheckout,
  booking: Booking | null,
  reason: DeclineReason | null,
  now: Instant,
): Checkout {
  return {
    key: command.key,
    facts: command.facts,
    bookingId: booking?.id ?? null,
    decision: reason === null ? "approved" : "declined",
    reason,
    decidedAt: now,
    voidedAt: null,
    voidReason: null,
  };
}

export function sameFacts(left: PaymentFacts, right: PaymentFacts): boolean {
  return left.token === right.token && left.payer === right.payer && sameMoney(left.money, right.money);
}

/** An incident: the same provider id with other facts. Recorded and reported, never applied (S10). */
export function conflictEvent(
  type: "checkout_conflict" | "payment_conflict",
  bookingId: string | null,
  command: { readonly key: ProviderKey; readonly facts: PaymentFacts },
  now: Instant,
): NonNullable<Changes["events"]>[number] {
  const { key, facts } = command;
  return { bookingId, type, at: now, actor: key.provider, version: null, data: { ...key, facts } };
}
