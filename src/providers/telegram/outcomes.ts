import type { BookonceError, InputProblem } from "../../core/error.ts";
import type { DeclineReason } from "../../core/model.ts";
import type { ConfirmPaymentOutcome } from "../../verbs/confirm-payment.ts";
import type { BookingView, PaymentView, RefundView } from "../../verbs/views.ts";
import type { PaymentUpdate } from "./update.ts";

/**
 * What became of the answer to a pre-checkout query.
 *
 * - `sent`: Telegram took it (which is still no proof that a charge follows).
 * - `unknown`: no reply in time. A hold stays until it expires: nobody knows what Telegram heard (S8).
 * - `refused`: Telegram refused the call for another reason than age; `onError` has it.
 */
export type AnswerState = "sent" | "unknown" | "refused";

/** Stars or money that went back to a buyer although no refund of ours asked for it: support, a chargeback, another program. */
export interface ExternalRefund {
  /** Where it was seen. */
  readonly seenIn: "message" | "ledger";
  readonly provider: string;
  readonly account: string;
  readonly chargeId: string;
  readonly payload: string;
  /** In minor units; of a ledger entry, what left the bot's balance. */
  readonly amount: number;
  readonly currency: string;
  /** The payment it returns, or null when we never recorded it. */
  readonly payment: PaymentView | null;
}

/**
 * What an update came to.
 *
 * Pre-checkout: `approved`, `declined` (with its `reason`), or `answer_expired`: Telegram no longer waited for the answer; `voided`
 * says whether the approval was taken back, so that the next press of Pay can be approved (S7).
 *
 * Receipt: what `confirmPayment` answered (`booked`, `late`, `surplus`, `mismatch`, `unmatched`, `conflict`), or `recurring`.
 *
 * Refund message: `refund_seen`, which completes a refund of ours, or `external_refund`.
 *
 * Otherwise: `subscription` (recognised and left alone), `not_ours` (a payment of the bot's other code), `ignored` (no payment at
 * all), `malformed` (nothing was written), `not_stored` (the database was away: do not acknowledge).
 */
export type TelegramOutcome =
  | {
      readonly outcome: "approved";
      readonly booking: BookingView;
      readonly holdExpiresAt: Date;
      readonly repeated: boolean;
      readonly answer: AnswerState;
    }
  | {
      readonly outcome: "declined";
      readonly reason: DeclineReason;
      readonly booking: BookingView | null;
      readonly repeated: boolean;
      readonly answer: AnswerState;
    }
  | {
      readonly outcome: "answer_expired";
      readonly decision: "approved" | "declined";
      readonly booking: BookingView | null;
      readonly voided: boolean;
    }
  | Exclude<ConfirmPaymentOutcome, { readonly outcome: "recurring" | "not_ours" }>
  | { readonly outcome: "recurring"; readonly chargeId: string }
  | {
      readonly outcome: "refund_seen";
      readonly refund: RefundView;
      readonly payment: PaymentView;
      readonly repeated: boolean;
    }
  | { readonly outcome: "external_refund"; readonly refund: ExternalRefund }
  | { readonly outcome: "subscription"; readonly state: string }
  | { readonly outcome: "malformed"; readonly of: PaymentUpdate; readonly problems: readonly InputProblem[] }
  | { readonly outcome: "not_stored"; readonly of: PaymentUpdate; readonly error: BookonceError }
  | { readonly outcome: "not_ours" | "ignored" };

/** The answer of `handleUpdate`. */
export type HandledUpdate = TelegramOutcome & {
  /** True when the update was ours and nobody else needs to look at it. */
  readonly handled: boolean;
  /**
   * `"ok"`: tell Telegram that the update has arrived (2xx). `"retry"`: it must be delivered again; answer 503 to a webhook. Under
   * long polling there is no second delivery: pass `patience: "until_stored"`.
   */
  readonly ack: "ok" | "retry";
};

export function handled<Outcome extends TelegramOutcome>(
  outcome: Outcome,
): Outcome & { readonly handled: true; readonly ack: "ok" } {
  return { ...outcome, handled: true, ack: "ok" };
}

export function passedOn<Outcome extends TelegramOutcome>(
  outcome: Outcome,
): Outcome & { readonly handled: false; readonly ack: "ok" } {
  return { ...outcome, handled: false, ack: "ok" };
}
