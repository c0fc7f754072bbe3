import { confirmedBooking, keepPlace } from "./confirm-payment.ts";
import type { Context } from "./context.ts";
import type { Booking } from "./model.ts";
import type { Money } from "./money.ts";
import { type Decision, type State, unchanged } from "./state.ts";
import { stateAt } from "./states.ts";
import { usedEvents } from "./waiting-entry.ts";

/** Confirming without a payment: a free booking, or one that is paid at the place. */
export interface Confirm {
  readonly bookingId: string;
  /** The customer who confirms, or null for an administrator, who may confirm a booking with a price too. */
  readonly customer: string | null;
  readonly actor: string;
}

export type ConfirmOutcome =
  | { readonly outcome: "confirmed" | "already_confirmed"; readonly booking: Booking }
  | { readonly outcome: "refused"; readonly reason: "unknown_booking" }
  | { readonly outcome: "refused"; readonly reason: "payment_required"; readonly due: Money; readonly booking: Booking }
  | {
      readonly outcome: "refused";
      readonly reason: "hold_lapsed" | "cancelled" | "not_held";
      readonly booking: Booking;
    };

export function confirm(state: State, command: Confirm, { now }: Context): Decision<ConfirmOutcome> {
  const booking = state.bookings.get(command.bookingId);
  if (booking === undefined || (command.customer !== null && command.customer !== booking.customer)) {
    return unchanged({ outcome: "refused", reason: "unknown_booking" });
  }
  const current = stateAt(booking, now);
  if (current === "confirmed") return unchanged({ outcome: "already_confirmed", booking });
  if (current === "cancelled") return unchanged({ outcome: "refused", reason: "cancelled", booking });
  if (current === "expired") return unchanged({ outcome: "refused", reason: "hold_lapsed", booking });
  // Abandoning the payment page and coming back must not make it free (R43).
  if (booking.price !== null && command.customer !== null) {
    return unchanged({ outcome: "refused", reason: "payment_required", due: booking.price, booking });
  }
  if (current === "pending") return unchanged({ outcome: "refused", reason: "not_held", booking });
  const confirmed = confirmedBooking(booking, now);
  return {
    outcome: { outcome: "confirmed", booking: confirmed },
    changes: {
      bookings: [confirmed],
      claims: keepPlace(state, booking, now).claims,
      events: [
        {
          bookingId: booking.id,
          type: "booking_confirmed",
          at: now,
          actor: command.actor,
          version: confirmed.version,
          data: { paymentId: null, chargeId: null },
        },
        ...usedEvents(confirmed, command.actor, now),
      ],
    },
  };
}
