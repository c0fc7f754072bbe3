import type { Context } from "./context.ts";
import type { Booking } from "./model.ts";
import { type Decision, type State, unchanged } from "./state.ts";
import { stateAt } from "./states.ts";

/** A booking changes hands. No place is taken or freed, so a sold-out evening is no obstacle (R36). */
export interface Transfer {
  readonly bookingId: string;
  readonly customer: string | null;
  readonly to: string;
  readonly actor: string;
}

export type TransferOutcome =
  | { readonly outcome: "transferred" | "unchanged"; readonly booking: Booking }
  | { readonly outcome: "refused"; readonly reason: "unknown_booking" | "not_confirmed" | "attended" };

/** Only a confirmed booking: one that waits for its payment belongs to the one who pays. The payment stays where it is. */
export function transfer(state: State, command: Transfer, { now }: Context): Decision<TransferOutcome> {
  const booking = state.bookings.get(command.bookingId);
  if (booking === undefined || (command.customer !== null && command.customer !== booking.customer)) {
    return unchanged({ outcome: "refused", reason: "unknown_booking" });
  }
  if (stateAt(booking, now) !== "confirmed") return unchanged({ outcome: "refused", reason: "not_confirmed" });
  if (booking.attendance !== null) return unchanged({ outcome: "refused", reason: "attended" });
  if (booking.customer === command.to) return unchanged({ outcome: "unchanged", booking });
  // The request id belongs to the one who made the request.
  const given: Booking = { ...booking, customer: command.to, requestId: null, version: booking.version + 1 };
  return {
    outcome: { outcome: "transferred", booking: given },
    changes: {
      bookings: [given],
      events: [
        {
          bookingId: booking.id,
          type: "booking_transferred",
          at: now,
          actor: command.actor,
          version: given.version,
          data: { from: booking.customer, to: command.to },
        },
      ],
    },
  };
}
