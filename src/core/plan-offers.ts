import { admit } from "./admit.ts";
import type { Context } from "./context.ts";
import { liveHolds } from "./limits.ts";
import { type Candidate, type OfferPlace, offerPlace } from "./offer-place.ts";
import { applyChanges, type Changes, offersOf, type State } from "./state.ts";
import { entryStateAt, type WaitingEntry } from "./waiting-entry.ts";

/** Whether anybody at all could have it: most times of a full house are taken, and are looked at once for the whole line. */
export function isFree(state: State, { wanted }: Candidate, context: Pick<Context, "now" | "admitTime">): boolean {
  return !("refused" in admit(state, { ...wanted, customer: null }, { without: [], preferred: [] }, context));
}

export interface Plan {
  readonly offers: readonly OfferPlace[];
  /** Policy `strict`: somebody in the line cannot be served, and those behind must wait. */
  readonly blocked: boolean;
}

/**
 * Who is to be offered what: first come, first served, each the earliest time that fits. The plan is made on what was read without
 * locks; each of its offers is decided again under the locks.
 */
export function planOffers(
  state: State,
  line: readonly WaitingEntry[],
  candidatesOf: (entry: WaitingEntry) => readonly Candidate[],
  context: Context,
): Plan {
  const offers: OfferPlace[] = [];
  let current = state;
  for (const entry of line) {
    const served = serve(current, entry, candidatesOf(entry), context);
    if ("offer" in served) {
      offers.push(served.offer);
      current = applyChanges(current, served.changes);
    } else if (served.blocks && context.policies.waitingList.order === "strict") {
      return { offers, blocked: true };
    }
  }
  return { offers, blocked: false };
}

type Served = { readonly offer: OfferPlace; readonly changes: Changes } | { readonly blocks: boolean };

/** `blocks`: the customer waits, and nothing fits. One who would not or may not have any time that is free holds nobody up. */
function serve(state: State, entry: WaitingEntry, candidates: readonly Candidate[], context: Context): Served {
  if (entryStateAt(entry, offersOf(state, entry.id), context.now) !== "waiting") return { blocks: false };
  // Before her times: whether something is free makes no difference to one who can have nothing.
  if (liveHolds(state, entry.customer, context.now).length >= context.policies.maxLiveHoldsPerCustomer) {
    return { blocks: false };
  }
  let blocks = true;
  for (const candidate of candidates) {
    const offer = { entryId: entry.id, candidate };
    const { outcome, changes } = offerPlace(state, offer, context);
    if (outcome.outcome === "offered") return { offer, changes };
    if (outcome.reason === "passed") blocks = false;
  }
  return { blocks };
}
