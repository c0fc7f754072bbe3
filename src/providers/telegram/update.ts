import type { InputProblem } from "../../core/error.ts";
import { isOurToken } from "../../core/token.ts";
import type { ConfirmPaymentInput } from "../../verbs/confirm-payment.ts";
import type { PreCheckoutInput } from "../../verbs/decide-pre-checkout.ts";
import { field } from "./api.ts";
import { decodePreCheckout, decodeReceipt, decodeRefundNotice, type RefundNotice } from "./decode.ts";
import { accountOf } from "./identity.ts";

/** The updates that have to do with payments. */
export type PaymentUpdate = "pre_checkout_query" | "successful_payment" | "refunded_payment" | "subscription";

/** An update, as far as it concerns us. */
export type DecodedUpdate =
  | { readonly kind: "pre_checkout_query"; readonly input: PreCheckoutInput; readonly language: string | null }
  | { readonly kind: "successful_payment"; readonly input: ConfirmPaymentInput }
  | { readonly kind: "refunded_payment"; readonly input: RefundNotice }
  | { readonly kind: "subscription"; readonly state: string; readonly ours: boolean }
  /** A payment that was not made with an invoice of ours: the bot's other code has it. */
  | { readonly kind: "not_ours"; readonly of: PaymentUpdate }
  | {
      readonly kind: "malformed";
      readonly of: PaymentUpdate;
      readonly problems: readonly InputProblem[];
      /** The payload could be read, and is ours. */
      readonly ours: boolean;
      /** Of a pre-checkout query that can still be answered. */
      readonly queryId: string | null;
      readonly language: string | null;
    }
  /** Anything else that a bot gets. */
  | { readonly kind: "other" };

/**
 * Looks at a raw update as Telegram sent it, of a bot by its id. Nothing but the update is needed, no chat, no session (B03, B06, B14),
 * and no update makes it throw.
 *
 * @throws BookonceError `invalid_input`: a bot id that cannot be right.
 */
export function decodeUpdate(botId: number | string, update: unknown): DecodedUpdate {
  const account = accountOf(botId);
  const query = field(update, "pre_checkout_query");
  if (query !== undefined) return preCheckout(account, query);
  const message = field(update, "message");
  const receipt = field(message, "successful_payment");
  if (receipt !== undefined) return successfulPayment(account, message, receipt);
  const refund = field(message, "refunded_payment");
  if (refund !== undefined) return refundedPayment(account, message, refund);
  const subscription = field(update, "subscription");
  if (subscription !== undefined) {
    return { kind: "subscription", state: text(field(subscription, "state")) ?? "", ours: isOurs(subscription) };
  }
  return { kind: "other" };
}

function preCheckout(account: string, query: unknown): DecodedUpdate {
  if (isForeign(query)) return { kind: "not_ours", of: "pre_checkout_query" };
  const language = text(field(field(query, "from"), "language_code"));
  const decoded = decodePreCheckout(account, query);
  if (decoded.ok) return { kind: "pre_checkout_query", input: decoded.input, language };
  const queryId = text(field(query, "id"));
  return {
    ...malformed("pre_checkout_query", query, decoded.problems),
    queryId: isOurs(query) ? queryId : null,
    language,
  };
}

function successfulPayment(account: string, message: unknown, receipt: unknown): DecodedUpdate {
  if (isForeign(receipt)) return { kind: "not_ours", of: "successful_payment" };
  const decoded = decodeReceipt(account, message);
  return decoded.ok
    ? { kind: "successful_payment", input: decoded.input }
    : malformed("successful_payment", receipt, decoded.problems);
}

function refundedPayment(account: string, message: unknown, refund: unknown): DecodedUpdate {
  if (isForeign(refund)) return { kind: "not_ours", of: "refunded_payment" };
  const decoded = decodeRefundNotice(account, message);
  return decoded.ok
    ? { kind: "refunded_payment", input: decoded.input }
    : malformed("refunded_payment", refund, decoded.problems);
}

function malformed(
  of: PaymentUpdate,
  content: unknown,
  problems: readonly InputProblem[],
): Extract<DecodedUpdate, { kind: "malformed" }> {
  return { kind: "malformed", of, problems, ours: isOurs(content), queryId: null, language: null };
}

function isOurs(content: unknown): boolean {
  const payload = field(content, "invoice_payload");
  return typeof payload === "string" && isOurToken(payload);
}

/** A readable payload that is not ours. Without a readable one nobody knows. */
function isForeign(content: unknown): boolean {
  return typeof field(content, "invoice_payload") === "string" && !isOurs(content);
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
