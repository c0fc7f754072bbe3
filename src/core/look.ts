import { type AdmissionRefusal, admit, type Wanted } from "./admit.ts";
import { placesLeft, type Standing } from "./assign.ts";
import { claimedInterval } from "./claims.ts";
import type { Context } from "./context.ts";
import { liveHolds } from "./limits.ts";
import type { Booking } from "./model.ts";
import { isSameIntention } from "./reserve-slot.ts";
import type { State } from "./state.ts";
import { type Instant, overlaps } from "./time.ts";

/** `left`: how many more bookings of this kind it has room for. `own`: the customer's own live hold is here. */
export type Looked = { readonly left: number; readonly own: boolean } | { readonly refused: AdmissionRefusal };

const nobody: Standing = { without: [], preferred: [] };

/**
 * What a time is to somebody who only looks at it: admitted as a claim would be (B16), or hers, because her own live hold is there,
 * which she may have again or exchange (R27). A hold elsewhere that fills up her day does not make the rest of the day hers.
 *
 * @param replaced The booking that she would give up for it, or move there: it is in nobody's way, as when she does.
 */
export function look(
  state: State,
  wanted: Wanted,
  context: Pick<Context, "now" | "admitTime">,
  replaced: Pick<Booking, "id" | "resources"> | null = null,
): Looked {
  const others = replaced === null ? nobody : { without: [replaced.id], preferred: replaced.resources };
  const admitted = admit(state, wanted, others, context);
  const holds = ownHoldsAt(state, wanted, context.now);
  // Where there is room for another, only the same again is hers: claiming it returns her hold.
  const hers = "refused" in admitted ? holds : holds.filter((hold) => isSameIntention(hold, wanted));
  if (hers.length > 0) {
    const standing = { ...others, without: [...others.without, ...hers.map(({ id }) => id)] };
    if (!("refused" in admit(state, wanted, standing, context))) {
      return { left: placesLeft(state, wanted, standing, context), own: true };
    }
  }
  return "refused" in admitted ? admitted : { left: placesLeft(state, wanted, others, context), own: false };
}

/** The customer's live holds of this very time on what is wanted. */
function ownHoldsAt(state: State, wanted: Wanted, now: Instant): Booking[] {
  if (wanted.customer === null) return [];
  const claimed = claimedInterval(wanted);
  const resources = wanted.wants.flatMap(({ resource }) => [
    resource,
    ...(state.resources.get(resource)?.members ?? []),
  ]);
  return liveHolds(state, wanted.customer, now).filter(
    (hold) =>
      overlaps(claimedInterval(hold), claimed) && hold.resources.some((resource) => resources.includes(resource)),
  );
}
