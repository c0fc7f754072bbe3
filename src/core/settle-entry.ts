import type { Context } from "./context.ts";
import type { Booking } from "./model.ts";
import { type Decision, offersOf, type State, unchanged } from "./state.ts";
import type { Instant } from "./time.ts";
import { acceptedOffer, entryEvent, entryStateAt, type WaitingEntry } from "./waiting-entry.ts";

export interface SettleEntry {
  readonly entryId: string;
  /** Whether its service is offered at all. */
  readonly servable: boolean;
}

export type SettleOutcome = { readonly outcome: "used" | "ended" | "unservable" | "resumed" | "kept" };

const actor = "bookonce";

/**
 * Writes down what has become of an entry, so that it is looked at no more and the customer is told. Nothing depends on when: a used
 * or ended entry is not offered anything, whether or not this has run.
 */
export function settleEntry(
  state: State,
  { entryId, servable }: SettleEntry,
  { now }: Context,
): Decision<SettleOutcome> {
  const entry = state.entries.get(entryId);
  if (entry === undefined) return unchanged({ outcome: "kept" });
  const over = settledEntry(entry, offersOf(state, entry.id), now);
  if (over?.state === "used") return { outcome: { outcome: "used" }, changes: { entries: [over] } };
  if (over !== null) {
    // Whoever was told that the service is off needs no second message.
    const events = entry.state === "waiting" ? [entryEvent("waitlist_ended", over, actor, now)] : [];
    return { outcome: { outcome: "ended" }, changes: { entries: [over], events } };
  }
  if (entry.state === "waiting" && !servable) return marked(entry, "unservable", now);
  if (entry.state === "unservable" && servable) return marked(entry, "waiting", now);
  return unchanged({ outcome: "kept" });
}

/** The entry as it is to be stored when its turn is over: used, or ended with its window; null while it is not. */
export function settledEntry(entry: WaitingEntry, offers: readonly Booking[], now: Instant): WaitingEntry | null {
  const current = entryStateAt(entry, offers, now);
  if (current === entry.state || (current !== "used" && current !== "ended")) return null;
  const accepted = acceptedOffer(offers);
  return {
    ...entry,
    state: current,
    closedAt: accepted?.confirmedAt ?? now,
    closedBy: current === "used" ? entry.customer : actor,
  };
}

function marked(entry: WaitingEntry, state: "unservable" | "waiting", now: Instant): Decision<SettleOutcome> {
  const changed: WaitingEntry = { ...entry, state };
  const event = entryEvent(state === "waiting" ? "waitlist_resumed" : "waitlist_unservable", changed, actor, now);
  return {
    outcome: { outcome: state === "waiting" ? "resumed" : "unservable" },
    changes: { entries: [changed], events: [event] },
  };
}
