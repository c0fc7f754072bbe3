import type { Bookonce } from "bookonce";
import type { ExternalCalendar } from "./caldav.ts";
import { type PushSettings, push, uidOf } from "./push.ts";
import type { PushState } from "./state.ts";

/** What a comparison found and repaired. */
export interface Reconciled {
  /** Entries that somebody deleted in the calendar, pushed again. */
  readonly restored: number;
  /** Entries of bookings that are gone, taken away. */
  readonly removed: number;
}

/** Compares what was pushed with what is there. The bookings are the truth; the calendar is only told. */
export async function reconcile<Caller>(
  bookonce: Bookonce<Caller>,
  calendar: ExternalCalendar,
  state: PushState,
  settings: PushSettings,
): Promise<Reconciled> {
  const there = await calendar.list();
  const known = await state.all();
  let restored = 0;
  let removed = 0;
  for (const bookingId of known.keys()) {
    const booking = await bookonce.bookings.get(bookingId);
    const missing = !there.has(uidOf(bookingId, settings.domain));
    if (booking?.state === "confirmed" && missing && booking.end.getTime() > Date.now()) {
      await state.forget(bookingId);
      restored += 1;
    }
    if (booking !== null) await push(booking, calendar, state, settings);
  }
  for (const uid of there) {
    const bookingId = uid.slice(0, -settings.domain.length - 1);
    if ((await state.pushed(bookingId)) !== null) continue;
    await calendar.remove(uid);
    removed += 1;
  }
  return { restored, removed };
}
