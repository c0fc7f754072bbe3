import type { Context } from "./context.ts";
import type { Booking } from "./model.ts";
import { type Decision, type State, unchanged } from "./state.ts";
import { stateAt } from "./states.ts";

/** Whether the customer came. A mark on a confirmed booking; a mistake can be put right. */
export interface Attend {
  readonly bookingId: string;
  readonly attendance: "attended" | "no_show";
  readonly actor: string;
}

export type AttendOutcome =
  | { readonly outcome: "marked" | "already_marked"; readonly booking: Booking }
  | { readonly outcome: "refused"; readonly reason: "unknown_booking" | "not_confirmed" | "too_early" };

export function attend(state: State, command: Attend, { now }: Context): Decision<AttendOutcome> {
  const booking = state.bookings.get(command.bookingId);
  if (booking === undefined) return unchanged({ outcome: "refused", reason: "unknown_booking" });
  if (stateAt(booking, now) !== "confirmed") return unchanged({ outcome: "refused", reason: "not_confirmed" });
  if (booking.attendance === command.attendance) return unchanged({ outcome: "already_marked", booking });
  // Who is not there before the start is not late yet.
  if (command.attendance === "no_show" && now < booking.interval.start) {
    return unchanged({ outcome: "refused", reason: "too_early" });
  }
  const marked: Booking = { ...booking, attendance: command.attendance };
  return {
    outcome: { outcome: "marked", booking: marked },
    changes: {
      bookings: [marked],
      events: [
        {
          bookingId: booking.id,
          type: command.attendance === "attended" ? "booking_attended" : "booking_no_show",
          at: now,
          actor: command.actor,
          version: marked.version,
          data: {},
        },
      ],
    },
  };
}
