import { z } from "zod";
import { type TransferOutcome as CoreOutcome, transfer as decide } from "../core/transfer.ts";
import { keys } from "../store/keys.ts";
import { identifier, parseInput, uuid } from "./input.ts";
import type { Patience } from "./patience.ts";
import { command, type Runner } from "./runner.ts";
import { type BookingView, viewBooking } from "./views.ts";
import { actorOf, eitherOr, eitherOrMessage, type Who, whoShape } from "./who.ts";

/** What `transfer` takes. */
export interface TransferInput extends Who {
  readonly bookingId: string;
  /** The new owner. */
  readonly to: string;
}

/**
 * What `transfer` answers: `transferred`; `unchanged` (hers already); or `refused`: `unknown_booking`, `not_confirmed` (one that waits
 * for its payment belongs to the one who pays), `attended`. The payment stays where it is, and is returned to who paid.
 */
export type TransferOutcome =
  | { readonly outcome: "transferred" | "unchanged"; readonly booking: BookingView }
  | { readonly outcome: "refused"; readonly reason: "unknown_booking" | "not_confirmed" | "attended" };

const schema = z.strictObject({ bookingId: uuid, to: identifier, ...whoShape }).refine(eitherOr, eitherOrMessage);
const defaultBudgetMs = 10_000;

export async function transfer(runner: Runner, input: TransferInput, options: Patience = {}): Promise<TransferOutcome> {
  const { bookingId, to, ...who } = parseInput("transfer", schema, input);
  return runner.run(
    command(
      keys({ bookingIds: [bookingId] }),
      (state, context) => decide(state, { bookingId, to, ...actorOf(who) }, context),
      view,
    ),
    options,
    defaultBudgetMs,
  );
}

function view(outcome: CoreOutcome, now: number): TransferOutcome {
  return "booking" in outcome ? { ...outcome, booking: viewBooking(outcome.booking, now) } : outcome;
}
