import type { Duration } from "./duration.ts";
import type { PaymentFaults } from "./faults.ts";

/** Why a client could not pay. The first three are Telegram's words; the others are the fake's names for what a client shows. */
export type PaymentFailure =
  | "BALANCE_TOO_LOW"
  | "FORM_EXPIRED"
  | "PAYMENT_FAILED"
  /** A single-chat invoice in a private chat was paid before: it shows a receipt instead of a Pay button. */
  | "INVOICE_ALREADY_PAID"
  /** Deleted, or a forwarded copy of a single-chat invoice: there is no Pay button. */
  | "INVOICE_NOT_PAYABLE";

/**
 * What the buyer's client shows in the end.
 *
 * - `paid`: charged.
 * - `rejected`: the bot said no, with this message.
 * - `timeout`: no answer within ten seconds (`BOT_PRECHECKOUT_TIMEOUT`).
 * - `failed`: the client shows an error. With the fault `clientSeesFailure` the charge happened all the same.
 */
export type PaymentOutcome =
  | { readonly outcome: "paid"; readonly chargeId: string }
  | { readonly outcome: "rejected"; readonly message: string }
  | { readonly outcome: "timeout" }
  | { readonly outcome: "failed"; readonly reason: PaymentFailure };

/** What the buyer fills in, and what goes wrong with this one payment. */
export interface PayOptions {
  faults?: PaymentFaults | undefined;
  /** How long ago the payment form was opened; older than ten minutes gives `FORM_EXPIRED`. */
  formAge?: Duration | undefined;
  /** A tip in minor units, up to the invoice's `max_tip_amount`; provider payments only. */
  tip?: number | undefined;
  /** Which of the bot's shipping options is chosen; default the first. */
  shippingOption?: string | undefined;
  /** An affiliate that receives this share of the Stars; the rest, with fractions, reaches the bot. */
  affiliate?: { commissionPerMille: number } | undefined;
}
