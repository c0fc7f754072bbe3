import { z } from "zod";
import {
  type Cancel,
  type CancelOutcome as CoreOutcome,
  type CancelPreview as CorePreview,
  cancel as decide,
  previewCancel as preview,
} from "../core/cancel.ts";
import type { CancellationTerms } from "../core/cancellation-terms.ts";
import { unchanged } from "../core/state.ts";
import { keys } from "../store/keys.ts";
import { parseInput, text, uuid } from "./input.ts";
import type { Patience } from "./patience.ts";
import { command, type Runner } from "./runner.ts";
import { type BookingView, type RefundView, viewBooking, viewRefund } from "./views.ts";
import { actorOf, eitherOr, eitherOrMessage, type Who, whoShape } from "./who.ts";

/** What `cancel` takes. */
export interface CancelInput extends Who {
  readonly bookingId: string;
  /** Why, for the history. */
  readonly reason?: string;
  /** The `quote` of a preview: refused with the new terms if they have changed since. */
  readonly quote?: string;
}

/**
 * What `cancel` answers.
 *
 * - `cancelled`: released now; `refund` is the queued refund, null when there is nothing to return or the policy keeps it.
 * - `already_cancelled`, `already_expired`: nothing happened; the booking tells when and by whom.
 * - `refused`: `unknown_booking` (also for somebody else's, who learns nothing), `forbidden_by_policy`, or `quote_changed`.
 */
export type CancelOutcome =
  | {
      readonly outcome: "cancelled";
      readonly booking: BookingView;
      readonly refund: RefundView | null;
      readonly terms: CancellationTerms;
    }
  | { readonly outcome: "already_cancelled" | "already_expired"; readonly booking: BookingView }
  | { readonly outcome: "refused"; readonly reason: "unknown_booking" }
  | {
      readonly outcome: "refused";
      readonly reason: "forbidden_by_policy" | "quote_changed";
      readonly booking: BookingView;
      readonly terms: CancellationTerms;
    };

/** What `previewCancel` answers: what `cancel` would do at this instant. */
export type CancelPreview =
  | { readonly outcome: "preview"; readonly booking: BookingView; readonly terms: CancellationTerms }
  | Exclude<CancelOutcome, { readonly outcome: "cancelled" }>;

const shape = { bookingId: uuid, ...whoShape };
const schema = z
  .strictObject({ ...shape, reason: text(1000).optional(), quote: text(200).optional() })
  .refine(eitherOr, eitherOrMessage);
const previewSchema = z.strictObject(shape).refine(eitherOr, eitherOrMessage);

const defaultBudgetMs = 10_000;

export async function cancel(runner: Runner, input: CancelInput, options: Patience = {}): Promise<CancelOutcome> {
  const { bookingId, reason = null, quote = null, ...who } = parseInput("cancel", schema, input);
  const asked: Cancel = { bookingId, ...actorOf(who), reason, quote };
  return runner.run(
    command(keys({ bookingIds: [bookingId] }), (state, context) => decide(state, asked, context), view),
    options,
    defaultBudgetMs,
  );
}

export async function previewCancel(
  runner: Runner,
  input: Omit<CancelInput, "reason" | "quote">,
  options: Patience = {},
): Promise<CancelPreview> {
  const { bookingId, customer = null } = parseInput("previewCancel", previewSchema, input);
  return runner.run(
    command(
      keys({ bookingIds: [bookingId] }),
      (state, context) => unchanged(preview(state, { bookingId, customer }, context)),
      viewPreview,
    ),
    options,
    defaultBudgetMs,
  );
}

function view(outcome: CoreOutcome, now: number): CancelOutcome {
  if (outcome.outcome !== "cancelled") return viewRefusal(outcome, now);
  return {
    ...outcome,
    booking: viewBooking(outcome.booking, now),
    refund: outcome.refund === null ? null : viewRefund(outcome.refund),
  };
}

function viewPreview(outcome: CorePreview, now: number): CancelPreview {
  if (outcome.outcome !== "preview") return viewRefusal(outcome, now);
  return { ...outcome, booking: viewBooking(outcome.booking, now) };
}

function viewRefusal(
  outcome: Exclude<CoreOutcome, { readonly outcome: "cancelled" }>,
  now: number,
): Exclude<CancelOutcome, { readonly outcome: "cancelled" }> {
  return "booking" in outcome ? { ...outcome, booking: viewBooking(outcome.booking, now) } : outcome;
}
