import type { Booking, Want } from "../core/model.ts";
import type { Instant } from "../core/time.ts";
import { type EntryState, entryStateAt, liveOffer, type WaitingEntry } from "../core/waiting-entry.ts";
import { toBooking, toEntry, instant as toInstant } from "../store/mapping.ts";
import type { EntriesRead } from "../store/waiting-list.ts";
import { type BookingView, viewBooking } from "./views.ts";

/** An entry of the waiting list as the library's user sees it. */
export interface WaitlistEntryView {
  readonly id: string;
  readonly customer: string;
  readonly service: string;
  /** Instead of the resources that the service names; null: those. */
  readonly resources: readonly Want[] | null;
  readonly quantity: number;
  readonly from: Date;
  readonly to: Date;
  /**
   * - `waiting`; `offered`: a place is held for her at this instant; `used`: she accepted one, whatever became of the booking since.
   * - `left`; `ended`: the window is over; `unservable`: the service is switched off, and the place in line is kept.
   */
  readonly state: EntryState;
  /** The booking that is held for her now: confirm or pay it before `holdExpiresAt`. */
  readonly offer: BookingView | null;
  readonly consent: { readonly text: string; readonly at: Date };
  readonly requestId: string | null;
  readonly joinedAt: Date;
  readonly closedAt: Date | null;
  readonly closedBy: string | null;
}

export function viewEntry(entry: WaitingEntry, offers: readonly Booking[], now: Instant): WaitlistEntryView {
  const state = entryStateAt(entry, offers, now);
  const offer = state === "offered" ? liveOffer(offers, now) : undefined;
  return {
    id: entry.id,
    customer: entry.customer,
    service: entry.service,
    resources: entry.wants,
    quantity: entry.quantity,
    from: new Date(entry.window.start),
    to: new Date(entry.window.end),
    state,
    offer: offer === undefined ? null : viewBooking(offer, now),
    consent: { text: entry.consent.text, at: new Date(entry.consent.at) },
    requestId: entry.requestId,
    joinedAt: new Date(entry.joinedAt),
    closedAt: entry.closedAt === null ? null : new Date(entry.closedAt),
    closedBy: entry.closedBy,
  };
}

export function viewEntries({ now, entries, offers }: EntriesRead): WaitlistEntryView[] {
  const bookings = offers.map(toBooking);
  return entries.map((row) =>
    viewEntry(
      toEntry(row),
      bookings.filter((booking) => booking.waitlistEntryId === row.id),
      toInstant(now),
    ),
  );
}
