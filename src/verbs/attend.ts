import { z } from "zod";
import { type AttendOutcome as CoreOutcome, attend as decide } from "../core/attend.ts";
import { keys } from "../store/keys.ts";
import { identifier, parseInput, uuid } from "./input.ts";
import type { Patience } from "./patience.ts";
import { command, type Runner } from "./runner.ts";
import { type BookingView, viewBooking } from "./views.ts";

/** What `checkIn` and `markNoShow` take. */
export interface AttendInput {
  readonly bookingId: string;
  /** Who marks it, for the history. */
  readonly actor: string;
}

/**
 * What they answer: `marked`; `already_marked`; or `refused`: `unknown_booking`, `not_confirmed`, `too_early` (nobody is a no-show before
 * the start).
 */
export type AttendOutcome =
  | { readonly outcome: "marked" | "already_marked"; readonly booking: BookingView }
  | { readonly outcome: "refused"; readonly reason: "unknown_booking" | "not_confirmed" | "too_early" };

const schema = z.strictObject({ bookingId: uuid, actor: identifier });
const defaultBudgetMs = 10_000;

export async function attend(
  runner: Runner,
  attendance: "attended" | "no_show",
  input: AttendInput,
  options: Patience = {},
): Promise<AttendOutcome> {
  const asked = parseInput(attendance === "attended" ? "checkIn" : "markNoShow", schema, input);
  return runner.run(
    command(
      keys({ bookingIds: [asked.bookingId] }),
      (state, context) => decide(state, { ...asked, attendance }, context),
      view,
    ),
    options,
    defaultBudgetMs,
  );
}

function view(outcome: CoreOutcome, now: number): AttendOutcome {
  return "booking" in outcome ? { ...outcome, booking: viewBooking(outcome.booking, now) } : outcome;
}
