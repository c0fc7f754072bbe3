import { type AdmissionRefusal, admit, type Wanted } from "./admit.ts";
import { takeClaims } from "./claims.ts";
import type { Context } from "./context.ts";
import { expire } from "./expire.ts";
import { liveHolds } from "./limits.ts";
import type { Anchor, Booking } from "./model.ts";
import type { Money } from "./money.ts";
import { newBooking } from "./reserve-slot.ts";
import { applyChanges, type Decision, offersOf, type State, together, unchanged } from "./state.ts";
import { isStanding, stateAt } from "./states.ts";
import { entryStateAt, type WaitingEntry } from "./waiting-entry.ts";

/** A time of the service that may be free, and what it costs: the same for everybody who waits for it. */
export interface Candidate {
  readonly service: string;
  readonly wanted: Omit<Wanted, "customer">;
  readonly anchor: Anchor | null;
  readonly price: Money | null;
  readonly title: string | null;
}

export interface OfferPlace {
  readonly entryId: string;
  readonly candidate: Candidate;
}

export type OfferRefusal =
  | AdmissionRefusal
  | {
      /**
       * - `not_waiting`: used, left, over, or another offer is live.
       * - `outside_window`. `passed`: she has declined this time or let it lapse, or has booked it already.
       * - `too_many_holds`: this customer holds as much as one may.
       */
      readonly reason: "not_waiting" | "outside_window" | "passed" | "too_many_holds";
    };

export type OfferOutcome =
  | { readonly outcome: "offered"; readonly booking: Booking }
  | ({ readonly outcome: "refused" } & OfferRefusal);

const actor = "bookonce";

/** An offer is a hold for the waiter, let in by the same function as everybody's: what is not free is never offered (R63). */
export function offerPlace(state: State, { entryId, candidate }: OfferPlace, context: Context): Decision<OfferOutcome> {
  const { now, policies } = context;
  const entry = state.entries.get(entryId);
  if (entry === undefined || entryStateAt(entry, offersOf(state, entryId), now) !== "waiting") {
    return refused({ reason: "not_waiting" });
  }
  const { interval } = candidate.wanted;
  if (interval.start < entry.window.start || entry.window.end < interval.end)
    return refused({ reason: "outside_window" });
  if (liveHolds(state, entry.customer, now).length >= policies.maxLiveHoldsPerCustomer) {
    return refused({ reason: "too_many_holds" });
  }
  const wanted = { ...candidate.wanted, customer: entry.customer };
  const assignment = admit(state, wanted, { without: [], preferred: [] }, context);
  if ("refused" in assignment) return refused(assignment.refused);
  if (hasPassed(state, entry, candidate, context)) return refused({ reason: "passed" });

  // The database allows one held offer per entry: one that is over is written down first.
  const lapsed = lapsedOffers(state, entry, context).map(({ id }) => expire(state, { bookingId: id }, context).changes);
  const booking: Booking = {
    ...heldFor(entry, candidate, context),
    resources: assignment.resources,
    waitlistEntryId: entry.id,
    offeredStart: candidate.wanted.interval.start,
  };
  const changes = {
    bookings: [booking],
    claims: takeClaims(applyChanges(state, together(lapsed)), booking, now, booking.holdExpiresAt),
    resources: assignment.chosen,
    events: [
      {
        bookingId: booking.id,
        type: "waitlist_offered" as const,
        at: now,
        actor,
        version: booking.version,
        data: { entryId: entry.id, customer: entry.customer },
      },
    ],
  };
  return { outcome: { outcome: "offered", booking }, changes: together([...lapsed, changes]) };
}

function refused(refusal: OfferRefusal): Decision<OfferOutcome> {
  return unchanged({ outcome: "refused", ...refusal });
}

/** Nobody is asked twice about one time (unless the policy says so), nor about one that she has. */
function hasPassed(state: State, entry: WaitingEntry, { wanted }: Candidate, { now, policies }: Context): boolean {
  const { start } = wanted.interval;
  const over = offersOf(state, entry.id).some((offer) => offer.offeredStart === start && !isStanding(offer, now));
  if (over && !policies.waitingList.offerAgain) return true;
  return [...state.bookings.values()].some(
    (booking) =>
      booking.customer === entry.customer &&
      booking.service === entry.service &&
      booking.interval.start === start &&
      isStanding(booking, now),
  );
}

function lapsedOffers(state: State, entry: WaitingEntry, { now }: Context): Booking[] {
  return offersOf(state, entry.id).filter((offer) => offer.state === "held" && stateAt(offer, now) === "expired");
}

/** The hold of an offer never outlives the start. */
function heldFor(entry: WaitingEntry, { wanted, service, anchor, price, title }: Candidate, context: Context): Booking {
  const holdMs = Math.min(context.policies.waitingList.offerMs, wanted.interval.start - context.now);
  const command = {
    ...wanted,
    customer: entry.customer,
    payer: entry.customer,
    anchor,
    service,
    price,
    claim: "now" as const,
    confirm: false,
    holdMs,
    replaces: null,
    requestId: null,
    requestDigest: entry.digest,
    title,
    data: {},
    actor,
  };
  return newBooking(command, context);
}
