import type { BookingView } from "bookonce";
import { calendarEvent } from "bookonce/calendar";
import type { ExternalCalendar } from "./caldav.ts";
import type { PushState } from "./state.ts";

export interface PushSettings {
  readonly domain: string;
  readonly organizer: { readonly name: string; readonly email: string };
}

/**
 * Brings the calendar's entry of one booking up to date. Safe to repeat: the entry is named by the booking, and carries the booking's
 * version as its sequence. First the calendar, then our memory: a crash in between repeats the push, and never forgets it.
 */
export async function push(
  booking: BookingView,
  calendar: ExternalCalendar,
  state: PushState,
  { domain, organizer }: PushSettings,
): Promise<void> {
  const uid = uidOf(booking.id, domain);
  if (booking.state !== "confirmed") {
    if ((await state.pushed(booking.id)) === null) return;
    await calendar.remove(uid);
    await state.forget(booking.id);
    return;
  }
  if (((await state.pushed(booking.id)) ?? 0) >= booking.version) return;
  const file = calendarEvent({
    uid,
    sequence: booking.version,
    method: "request",
    start: booking.start,
    end: booking.end,
    stamp: booking.confirmedAt ?? booking.createdAt,
    summary: booking.title ?? "Booking",
    organizer,
  });
  await calendar.put(uid, file);
  await state.remember(booking.id, booking.version);
}

/** Stable for the life of the booking, so that a moved booking moves its entry. */
export function uidOf(bookingId: string, domain: string): string {
  return `${bookingId}@${domain}`;
}
