import { z } from "zod";
import { type CancelOutcome as CoreOutcome, cancel as decide } from "../core/cancel.ts";
import { keys } from "../store/keys.ts";
import { type CallOptions, identifier, parseInput, text, uuid } from "./input.ts";
import { command, type Runner } from "./runner.ts";
import { type BookingView, type RefundView, viewBooking, viewRefund } from "./views.ts";

/** What `cancel` takes. */
export interface CancelInput {
  readonly bookingId: string;
  /** The customer who asks; only the owner's bookings are found. */
  readonly customer?: string;
  /** Or an administrator, who passes the policy and is recorded as the actor. */
  readonly administrator?: string;
  /** Why, for the history. */
  readonly reason?: string;
}

/**
 * What `cancel` answers.
 *
 * - `cancelled`: released now; `refund` is the queued refund, null when there is nothing to return or the policy keeps it.
 * - `already_cancelled`, `already_expired`: nothing happened; the booking tells when and by whom.
 * - `refused`: `unknown_booking` (also for somebody else's, who learns nothing), or `forbidden_by_policy`.
 */
export type CancelOutcome =
  | { readonly outcome: "cancelled"; readonly booking: BookingView; readonly refund: RefundView | null }
  | { readonly outcome: "already_cancelled" | "already_expired"; readonly booking: BookingView }
  | { readonly outcome: "refused"; readonly reason: "unknown_booking" }
  | { readonly outcome: "refused"; readonly reason: "forbidden_by_policy"; readonly booking: BookingView };

const schema = z
  .strictObject({
    bookingId: uuid,
    customer: identifier.optional(),
    administrator: identifier.optional(),
    reason: text(1000).optional(),
  })
  .refine((input) => (input.customer === undefined) !== (input.administrator === undefined), {
    path: ["customer"],
    message: "give either customer or administrator",
  });

const defaultBudgetMs = 10_000;

export async function cancel(runner: Runner, input: CancelInput, options: CallOptions = {}): Promise<CancelOutcome> {
  const { bookingId, customer = null, administrator, reason = null } = parseInput("cancel", schema, input);
  const asked = { bookingId, customer, actor: administrator ?? customer ?? "", reason };
  return runner.run(
    command(keys({ bookingIds: [bookingId] }), (state, context) => decide(state, asked, context), view),
    options,
    defaultBudgetMs,
  );
}

function view(outcome: CoreOutcome, now: number): CancelOutcome {
  switch (outcome.outcome) {
    case "cancelled":
      return {
        outcome: "cancelled",
        booking: viewBooking(outcome.booking, now),
        refund: outcome.refund === null ? null : viewRefund(outcome.refund),
      };
    case "refused":
      return outcome.reason === "unknown_booking"
        ? outcome
        : { ...outcome, booking: viewBooking(outcome.booking, now) };
    default:
      return { ...outcome, booking: viewBooking(outcome.booking, now) };
  }
}
