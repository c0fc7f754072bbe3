import { z } from "zod";
import { confirmPayment as decide, type PaymentOutcome } from "../core/confirm-payment.ts";
import { isOurToken } from "../core/token.ts";
import { keys } from "../store/keys.ts";
import { amount, currency, data, identifier, parseInput, text } from "./input.ts";
import type { Patience } from "./patience.ts";
import { command, type Runner } from "./runner.ts";
import { type BookingView, type PaymentView, type RefundView, viewBooking, viewPayment, viewRefund } from "./views.ts";

/** A charge that a provider reports. `fromSuccessfulPayment` of `bookonce/telegram` makes one from Telegram's receipt. */
export interface ConfirmPaymentInput {
  readonly provider: string;
  /** The bot or the cash desk. */
  readonly account: string;
  /** The provider's id of this one real charge: the idempotency key. */
  readonly chargeId: string;
  readonly payload: string;
  readonly payer: string;
  /** In minor units of the currency. */
  readonly amount: number;
  readonly currency: string;
  /** A subscription's charge: recognised, reported and left alone (S17). */
  readonly recurring?: boolean;
  /** The provider's own details, stored with the payment. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * What `confirmPayment` answers. Whatever it is, the money is accounted for.
 *
 * - `booked`: the payment bought the booking.
 * - `late`: the hold was over, or the booking cancelled; the refund is queued. `surplus`: the booking was paid already; the same.
 * - `mismatch`, `unmatched`: another payer or amount, or no such booking; a person must look at it (`reviews`).
 * - `recurring`, `not_ours`: nothing of ours.
 * - `conflict`: this charge id is known with other facts; an incident, reported and never applied.
 *
 * `repeated`: the charge was known, and this is its stored outcome.
 */
export type ConfirmPaymentOutcome =
  | {
      readonly outcome: "booked";
      readonly booking: BookingView;
      readonly payment: PaymentView;
      readonly repeated: boolean;
    }
  | {
      readonly outcome: "late" | "surplus";
      readonly booking: BookingView;
      readonly payment: PaymentView;
      readonly refund: RefundView | null;
      readonly repeated: boolean;
    }
  | {
      readonly outcome: "mismatch" | "unmatched";
      readonly booking: BookingView | null;
      readonly payment: PaymentView;
      readonly repeated: boolean;
    }
  | { readonly outcome: "conflict"; readonly payment: PaymentView }
  | { readonly outcome: "recurring" | "not_ours" };

const schema = z.strictObject({
  provider: identifier,
  account: identifier,
  chargeId: identifier,
  payload: text(256),
  payer: identifier,
  amount,
  currency,
  recurring: z.boolean().default(false),
  details: data.default({}),
});

const defaultBudgetMs = 15_000;

export async function confirmPayment(
  runner: Runner,
  input: ConfirmPaymentInput,
  options: Patience = {},
): Promise<ConfirmPaymentOutcome> {
  const charge = parseInput("confirmPayment", schema, input);
  if (!isOurToken(charge.payload)) return { outcome: "not_ours" };
  const key = { provider: charge.provider, account: charge.account, externalId: charge.chargeId };
  const facts = {
    token: charge.payload,
    payer: charge.payer,
    money: { amount: charge.amount, currency: charge.currency },
  };
  const { recurring, details } = charge;
  return runner.run(
    command(
      keys({ tokens: [charge.payload], payments: [key] }),
      (state, context) => decide(state, { key, facts, recurring, details }, context),
      view,
    ),
    options,
    defaultBudgetMs,
  );
}

function view(outcome: PaymentOutcome, now: number): ConfirmPaymentOutcome {
  switch (outcome.outcome) {
    case "recurring":
      return { outcome: "recurring" };
    case "conflict":
      return { outcome: "conflict", payment: viewPayment(outcome.payment) };
    case "booked":
      return { ...outcome, booking: viewBooking(outcome.booking, now), payment: viewPayment(outcome.payment) };
    case "late":
    case "surplus":
      return {
        ...outcome,
        booking: viewBooking(outcome.booking, now),
        payment: viewPayment(outcome.payment),
        refund: outcome.refund === null ? null : viewRefund(outcome.refund),
      };
    default:
      return {
        ...outcome,
        booking: outcome.booking === null ? null : viewBooking(outcome.booking, now),
        payment: viewPayment(outcome.payment),
      };
  }
}
