import type { Booking } from "./model.ts";
import type { Instant } from "./time.ts";

/** A reminder that a rule makes of a booking. `dueAt` is worked out by the calendar, in the zone of the place. */
export interface Planned {
  readonly kind: string;
  readonly dueAt: Instant;
  /** How much later than due it may still be sent. */
  readonly lateMs: number;
}

export interface Due {
  readonly bookingId: string;
  readonly kind: string;
  readonly version: number;
  readonly dueAt: Instant;
  readonly outcome: "queued" | "missed";
}

/**
 * Which of the planned reminders are to be dealt with now. One that was due before the booking came to be as it is (`since`: confirmed,
 * moved, given to somebody else) is none (R53): "tomorrow at ten" is no news to somebody who has just chosen it. One that is much too
 * late is missed rather than sent.
 */
export function dueReminders(
  booking: Booking,
  planned: readonly Planned[],
  done: readonly string[],
  since: Instant,
  now: Instant,
): readonly Due[] {
  if (booking.state !== "confirmed" || booking.attendance !== null || booking.interval.start <= now) return [];
  return planned
    .filter(({ kind, dueAt }) => !done.includes(kind) && dueAt <= now && dueAt > since)
    .map(({ kind, dueAt, lateMs }) => ({
      bookingId: booking.id,
      kind,
      version: booking.version,
      dueAt,
      outcome: now <= dueAt + lateMs ? "queued" : "missed",
    }));
}
