import { type Closed, closeBooking } from "./close-booking.ts";
import type { Context } from "./context.ts";
import type { Booking } from "./model.ts";
import { type Decision, offersOf, type State, together, unchanged } from "./state.ts";
import { stateAt } from "./states.ts";
import type { Instant } from "./time.ts";
import { entryEvent, entryStateAt, isInLine, liveOffer, type WaitingEntry } from "./waiting-entry.ts";

export interface LeaveWaitingList {
  readonly entryId: string;
  /** The customer who leaves, or null for an administrator. */
  readonly customer: string | null;
  readonly actor: string;
}

export type LeaveOutcome =
  /** `released`: the offer that was live, given up in the same step. */
  | { readonly outcome: "left"; readonly entry: WaitingEntry; readonly released: Booking | null }
  /** It was used, ended or left before. A booking that came of it stays: cancelling that is another wish. */
  | { readonly outcome: "already_over"; readonly entry: WaitingEntry }
  | { readonly outcome: "refused"; readonly reason: "unknown_entry" };

/** Honoured at once, also while an offer is live: whoever has left is never confirmed (R66). */
export function leaveWaitingList(state: State, command: LeaveWaitingList, context: Context): Decision<LeaveOutcome> {
  const { now } = context;
  const entry = state.entries.get(command.entryId);
  if (entry === undefined || (command.customer !== null && command.customer !== entry.customer)) {
    return unchanged({ outcome: "refused", reason: "unknown_entry" });
  }
  const offers = offersOf(state, entry.id);
  if (!isInLine(entryStateAt(entry, offers, now))) return unchanged({ outcome: "already_over", entry });
  const offer = liveOffer(offers, now);
  const released = offer === undefined ? null : release(state, offer, "left", command.actor, now);
  const left: WaitingEntry = { ...entry, state: "left", closedAt: now, closedBy: command.actor };
  const event = entryEvent("waitlist_left", left, command.actor, now);
  return {
    outcome: { outcome: "left", entry: left, released: released?.booking ?? null },
    changes: together([released?.changes ?? {}, { entries: [left], events: [event] }]),
  };
}

export interface DeclineOffer {
  readonly bookingId: string;
  readonly customer: string | null;
  readonly actor: string;
}

export type DeclineOutcome =
  | { readonly outcome: "declined" | "already_over"; readonly booking: Booking }
  | { readonly outcome: "refused"; readonly reason: "unknown_offer" }
  | { readonly outcome: "refused"; readonly reason: "already_confirmed"; readonly booking: Booking };

/** "Not this one": the place is free again at once, and the customer keeps waiting for another. */
export function declineOffer(state: State, command: DeclineOffer, context: Context): Decision<DeclineOutcome> {
  const booking = state.bookings.get(command.bookingId);
  const own = command.customer === null || command.customer === booking?.customer;
  if (booking === undefined || !own || booking.waitlistEntryId === null) {
    return unchanged({ outcome: "refused", reason: "unknown_offer" });
  }
  const current = stateAt(booking, context.now);
  if (current === "confirmed") return unchanged({ outcome: "refused", reason: "already_confirmed", booking });
  if (current !== "held") return unchanged({ outcome: "already_over", booking });
  const released = release(state, booking, "declined", command.actor, context.now);
  return { outcome: { outcome: "declined", booking: released.booking }, changes: released.changes };
}

/** An offer is given up as every hold is: its claims close now, and a charge that still comes is late. */
function release(state: State, offer: Booking, reason: "left" | "declined", actor: string, now: Instant): Closed {
  return closeBooking(state, offer, { actor, reason, refundId: null, voidReason: "cancelled" }, now);
}
