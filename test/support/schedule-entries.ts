import type { WaitlistEntryView } from "bookonce";
import type { WaitingEntry } from "../../src/core/waiting-entry.ts";
import { plainState } from "./schedule-judge.ts";
import { plainEntryState } from "./schedule-line-judge.ts";
import type { Sides, Taken } from "./schedule-sides.ts";

/** The entry of an answer too is the same on both sides: as the verb shows it, and as it is plainly read from the model's rows. */
export function withEntry(
  sides: Sides,
  taken: Taken,
  database: EntryOr<WaitlistEntryView>,
  model: EntryOr<WaitingEntry>,
): Taken {
  return {
    ...taken,
    database: [taken.database, "entry" in database ? viewOf(sides, database.entry) : null],
    model: [taken.model, "entry" in model ? plainView(sides, model.entry) : null],
  };
}

type EntryOr<Entry> = { readonly entry: Entry } | { readonly outcome: "refused" };

function viewOf(sides: Sides, { id, offer, from, to, joinedAt, closedAt, ...entry }: WaitlistEntryView): unknown {
  const { customer, service, resources, quantity, state, consent, requestId, closedBy } = entry;
  const when = [Number(from), Number(to), Number(joinedAt), closedAt && Number(closedAt), Number(consent.at)];
  const what = [customer, service, resources, quantity, state, requestId, closedBy];
  return [sides.nameOf(id), ...what, ...when, offer && sides.nameOf(offer.id)];
}

function plainView(sides: Sides, entry: WaitingEntry): unknown {
  const { customer, service, wants, quantity, window, consent, requestId, joinedAt, closedAt, closedBy } = entry;
  const state = plainEntryState(sides.state, entry, sides.now);
  const when = [window.start, window.end, joinedAt, closedAt, consent.at];
  const what = [customer, service, wants, quantity, state, requestId, closedBy];
  const held = [...sides.state.bookings.values()].find(
    (booking) => booking.waitlistEntryId === entry.id && plainState(booking, sides.now) === "held",
  );
  return [entry.id, ...what, ...when, state === "offered" ? (held?.id ?? null) : null];
}
