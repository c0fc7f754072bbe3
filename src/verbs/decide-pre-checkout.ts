import { z } from "zod";
import { type CheckoutOutcome, decidePreCheckout as decide } from "../core/decide-pre-checkout.ts";
import type { DeclineReason } from "../core/model.ts";
import { isOurToken } from "../core/token.ts";
import { keys } from "../store/keys.ts";
import { amount, currency, identifier, parseInput, text } from "./input.ts";
import type { Patience } from "./patience.ts";
import { command, type Runner, unlessUnavailable } from "./runner.ts";
import { type BookingView, viewBooking } from "./views.ts";

/** A provider's question before it charges. `fromPreCheckoutQuery` of `bookonce/telegram` makes one from Telegram's. */
export interface PreCheckoutInput {
  readonly provider: string;
  /** The bot or the cash desk: ids of a provider are unique within it. */
  readonly account: string;
  /** The provider's own id of this attempt. */
  readonly checkoutId: string;
  /** The invoice payload, as the provider returned it. */
  readonly payload: string;
  readonly payer: string;
  /** In minor units of the currency. */
  readonly amount: number;
  readonly currency: string;
}

/**
 * What `decidePreCheckout` answers.
 *
 * - `approved`: the slot is taken for this booking until `holdExpiresAt`; answer yes. It is not a payment yet.
 * - `declined`, with a `reason`: answer no. Stored like an approval, except `unavailable`, which may be decided again.
 * - `not_ours`: the payload was not made by bookonce; the bot's other code answers.
 *
 * `repeated`: the same query was decided before, and this is the stored answer.
 */
export type PreCheckoutOutcome =
  | {
      readonly outcome: "approved";
      readonly booking: BookingView;
      readonly holdExpiresAt: Date;
      readonly repeated: boolean;
    }
  | {
      readonly outcome: "declined";
      readonly reason: DeclineReason;
      readonly booking: BookingView | null;
      readonly repeated: boolean;
    }
  | { readonly outcome: "not_ours" };

const schema = z.strictObject({
  provider: identifier,
  account: identifier,
  checkoutId: identifier,
  payload: text(256),
  payer: identifier,
  amount,
  currency,
});

/** Telegram counts ten seconds from when it sent the query; the answer needs its share, and the way here had its own (S3). */
const defaultBudgetMs = 4_000;

export async function decidePreCheckout(
  runner: Runner,
  input: PreCheckoutInput,
  options: Patience = {},
): Promise<PreCheckoutOutcome> {
  const asked = parseInput("decidePreCheckout", schema, input);
  if (!isOurToken(asked.payload)) return { outcome: "not_ours" };
  const key = { provider: asked.provider, account: asked.account, externalId: asked.checkoutId };
  const facts = {
    token: asked.payload,
    payer: asked.payer,
    money: { amount: asked.amount, currency: asked.currency },
  };
  const unavailable = { outcome: "declined", reason: "unavailable", booking: null, repeated: false } as const;
  return runner
    .run(
      command(
        keys({ tokens: [asked.payload], checkouts: [key] }),
        (state, context) => decide(state, { key, facts }, context),
        view,
      ),
      options,
      defaultBudgetMs,
    )
    .catch(unlessUnavailable(runner, unavailable));
}

function view(outcome: CheckoutOutcome, now: number): PreCheckoutOutcome {
  if (outcome.outcome === "approved") {
    return {
      ...outcome,
      booking: viewBooking(outcome.booking, now),
      holdExpiresAt: new Date(outcome.holdExpiresAt),
    };
  }
  return { ...outcome, booking: outcome.booking === null ? null : viewBooking(outcome.booking, now) };
}
