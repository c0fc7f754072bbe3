import { z } from "zod";
import { type ConfirmOutcome as CoreOutcome, confirm as decide } from "../core/confirm.ts";
import type { Money } from "../core/money.ts";
import { keys } from "../store/keys.ts";
import { parseInput, uuid } from "./input.ts";
import type { Patience } from "./patience.ts";
import { command, type Runner } from "./runner.ts";
import { type BookingView, viewBooking } from "./views.ts";
import { actorOf, eitherOr, eitherOrMessage, type Who, whoShape } from "./who.ts";

/** What `confirm` takes. */
export interface ConfirmInput extends Who {
  readonly bookingId: string;
}

/**
 * What `confirm` answers.
 *
 * - `confirmed`, `already_confirmed`.
 * - `refused`: `payment_required` (a booking with a price is confirmed by its payment, or by an administrator when it is paid at the
 *   place), `hold_lapsed`, `cancelled`, `not_held` (nothing is claimed yet), `unknown_booking`.
 */
export type ConfirmOutcome =
  | { readonly outcome: "confirmed" | "already_confirmed"; readonly booking: BookingView }
  | { readonly outcome: "refused"; readonly reason: "unknown_booking" }
  | {
      readonly outcome: "refused";
      readonly reason: "payment_required";
      readonly due: Money;
      readonly booking: BookingView;
    }
  | {
      readonly outcome: "refused";
      readonly reason: "hold_lapsed" | "cancelled" | "not_held";
      readonly booking: BookingView;
    };

const schema = z.strictObject({ bookingId: uuid, ...whoShape }).refine(eitherOr, eitherOrMessage);
const defaultBudgetMs = 10_000;

export async function confirm(runner: Runner, input: ConfirmInput, options: Patience = {}): Promise<ConfirmOutcome> {
  const { bookingId, ...who } = parseInput("confirm", schema, input);
  return runner.run(
    command(
      keys({ bookingIds: [bookingId] }),
      (state, context) => decide(state, { bookingId, ...actorOf(who) }, context),
      view,
    ),
    options,
    defaultBudgetMs,
  );
}

function view(outcome: CoreOutcome, now: number): ConfirmOutcome {
  return "booking" in outcome ? { ...outcome, booking: viewBooking(outcome.booking, now) } : outcome;
}
