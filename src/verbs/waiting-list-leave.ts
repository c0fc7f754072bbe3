import { z } from "zod";
import {
  type DeclineOutcome as CoreDecline,
  type LeaveOutcome as CoreLeave,
  declineOffer as decideDecline,
  leaveWaitingList as decideLeave,
} from "../core/leave-waiting-list.ts";
import { offersOf } from "../core/state.ts";
import { keys } from "../store/keys.ts";
import type { EntriesRead, WaitingListLookups } from "../store/waiting-list.ts";
import { parseInput, uuid } from "./input.ts";
import { type Patience, patienceWithin } from "./patience.ts";
import { command, type Runner } from "./runner.ts";
import { type BookingView, viewBooking } from "./views.ts";
import { viewEntry, type WaitlistEntryView } from "./waiting-list-views.ts";
import { actorOf, eitherOr, eitherOrMessage, type Who, whoShape } from "./who.ts";

/** What `waitlist.leave` takes. */
export interface LeaveWaitlistInput extends Who {
  readonly entryId: string;
}

/**
 * What `waitlist.leave` answers.
 *
 * - `left`: from this instant nothing is offered to her; `released` is the offer that was live, given up in the same transaction.
 * - `already_over`: used, ended or left before. A confirmed booking that came of it stays; `cancel` is for that.
 * - `refused`: `unknown_entry`, also for somebody else's.
 */
export type LeaveWaitlistOutcome =
  | { readonly outcome: "left"; readonly entry: WaitlistEntryView; readonly released: BookingView | null }
  | { readonly outcome: "already_over"; readonly entry: WaitlistEntryView }
  | { readonly outcome: "refused"; readonly reason: "unknown_entry" };

/** What `waitlist.decline` takes: the booking of the offer. */
export interface DeclineOfferInput extends Who {
  readonly bookingId: string;
}

/**
 * What `waitlist.decline` answers.
 *
 * - `declined`: the place is free again; she keeps waiting for another. `already_over`: declined, lapsed or cancelled before.
 * - `refused`: `already_confirmed` (`cancel` it), `unknown_offer`, also for somebody else's and for what is no offer.
 */
export type DeclineOfferOutcome =
  | { readonly outcome: "declined" | "already_over"; readonly booking: BookingView }
  | { readonly outcome: "refused"; readonly reason: "unknown_offer" }
  | { readonly outcome: "refused"; readonly reason: "already_confirmed"; readonly booking: BookingView };

const leaveSchema = z.strictObject({ entryId: uuid, ...whoShape }).refine(eitherOr, eitherOrMessage);
const declineSchema = z.strictObject({ bookingId: uuid, ...whoShape }).refine(eitherOr, eitherOrMessage);
const defaultBudgetMs = 10_000;

export async function leaveWaitlist(
  runner: Runner,
  lookups: WaitingListLookups,
  input: LeaveWaitlistInput,
  given: Patience = {},
): Promise<LeaveWaitlistOutcome> {
  const options = patienceWithin(given, defaultBudgetMs);
  const { entryId, ...who } = parseInput("waitlist.leave", leaveSchema, input);
  // An entry is guarded by its customer's lock; an administrator does not say whose it is.
  const customer = who.customer ?? (await ownerOf(runner, lookups, entryId, options));
  if (customer === null) return { outcome: "refused", reason: "unknown_entry" };
  const asked = { entryId, ...actorOf(who) };
  return runner.run(
    {
      keys: keys({ customers: [customer], entryIds: [entryId] }),
      decide(state, context) {
        const { outcome, changes } = decideLeave(state, asked, context);
        return { outcome: viewLeave(outcome, offersOf(state, entryId), context.now), changes };
      },
    },
    options,
    defaultBudgetMs,
  );
}

async function ownerOf(
  runner: Runner,
  lookups: WaitingListLookups,
  id: string,
  options: Patience,
): Promise<string | null> {
  const { entries } = await runner.read<EntriesRead>(lookups.entries({ id, inLine: false, limit: 1 }), options);
  return entries[0]?.customer ?? null;
}

function viewLeave(outcome: CoreLeave, offers: ReturnType<typeof offersOf>, now: number): LeaveWaitlistOutcome {
  switch (outcome.outcome) {
    case "left":
      return {
        outcome: "left",
        entry: viewEntry(outcome.entry, offers, now),
        released: outcome.released === null ? null : viewBooking(outcome.released, now),
      };
    case "already_over":
      return { outcome: "already_over", entry: viewEntry(outcome.entry, offers, now) };
    case "refused":
      return outcome;
  }
}

export async function declineOffer(
  runner: Runner,
  input: DeclineOfferInput,
  options: Patience = {},
): Promise<DeclineOfferOutcome> {
  const { bookingId, ...who } = parseInput("waitlist.decline", declineSchema, input);
  return runner.run(
    command(
      keys({ bookingIds: [bookingId] }),
      (state, context) => decideDecline(state, { bookingId, ...actorOf(who) }, context),
      (outcome: CoreDecline, now): DeclineOfferOutcome =>
        "booking" in outcome ? { ...outcome, booking: viewBooking(outcome.booking, now) } : outcome,
    ),
    options,
    defaultBudgetMs,
  );
}
