import { z } from "zod";
import { BookonceError, type InputProblem } from "../../core/error.ts";
import type { ConfirmPaymentInput } from "../../verbs/confirm-payment.ts";
import type { PreCheckoutInput } from "../../verbs/decide-pre-checkout.ts";
import { field } from "./api.ts";
import { accountOf, providerOf, telegramCustomer, userIdText } from "./identity.ts";
import { storableRecord } from "./plain.ts";

// Strict about what a decision needs, and about nothing else: unknown fields are ignored and what is absent for Stars may be absent.

const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed();

/** Ids are text. A number here would have lost digits in JSON.parse already. */
const id = z
  .string("must be text")
  .min(1, "must not be empty")
  .max(200, "must have at most 200 characters")
  .refine(isStorable, "must be well-formed text without NUL");
const payload = z
  .string("must be text")
  .min(1, "must not be empty")
  .max(256)
  .refine(isStorable, "must be well-formed text without NUL");
const amount = z
  .number("must be a whole number")
  .int("must be a whole number")
  .positive("must be more than nothing")
  .max(Number.MAX_SAFE_INTEGER, "is too large");
const currency = z.string("must be text").regex(/^[A-Z]{3}$/, "must be three capital letters");
const user = z.looseObject(
  { id: z.unknown().refine((value) => userIdText(value) !== null, "must be a positive whole number") },
  "must be the user who pays",
);

const preCheckoutSchema = z.looseObject({ id, from: user, currency, total_amount: amount, invoice_payload: payload });

const chargeFields = {
  currency,
  total_amount: amount,
  invoice_payload: payload,
  telegram_payment_charge_id: id,
};
const receiptSchema = z.looseObject({
  from: user,
  successful_payment: z.looseObject(chargeFields, "must be a receipt"),
});
const refundNoticeSchema = z.looseObject({ refunded_payment: z.looseObject(chargeFields, "must be a refund") });

/** A refund that Telegram reports in a service message: from the bot itself, so only the charge id tells whose it is. */
export interface RefundNotice {
  readonly provider: string;
  readonly account: string;
  readonly chargeId: string;
  readonly payload: string;
  readonly amount: number;
  readonly currency: string;
}

export type Decoded<Input> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

/**
 * Telegram's `pre_checkout_query` as input of `decidePreCheckout`. Needs no chat and no session. The provider is `telegram_stars` for
 * `XTR`, else `telegram_payments`; the account is the bot; ids stay text.
 *
 * @example
 * ```ts
 * import type { Bookonce } from "bookonce";
 * import { fromPreCheckoutQuery } from "bookonce/telegram";
 *
 * export async function decide(bookonce: Bookonce, botId: number, query: unknown) {
 *   const decision = await bookonce.decidePreCheckout(fromPreCheckoutQuery(botId, query));
 *   return decision.outcome === "approved";
 * }
 * ```
 *
 * @param botId The bot's own id (`ctx.me.id`).
 * @throws BookonceError `invalid_input`: not a pre-checkout query, or a malformed one; `problems` says what is wrong.
 */
export function fromPreCheckoutQuery(botId: number | string, query: unknown): PreCheckoutInput {
  return orThrow("fromPreCheckoutQuery", "a pre_checkout_query", query, decodePreCheckout(accountOf(botId), query));
}

/**
 * A message with a `successful_payment` as input of `confirmPayment`. The payer is `message.from`, never the chat. A subscription's
 * charge is marked `recurring` (S17). Telegram's and the provider's further details go into `details`, cleaned of what PostgreSQL
 * cannot store.
 *
 * @example
 * ```ts
 * import type { Bookonce } from "bookonce";
 * import { fromSuccessfulPayment } from "bookonce/telegram";
 *
 * export async function receive(bookonce: Bookonce, botId: number, message: unknown) {
 *   return bookonce.confirmPayment(fromSuccessfulPayment(botId, message));
 * }
 * ```
 *
 * @param botId The bot's own id (`ctx.me.id`).
 * @throws BookonceError `invalid_input`: not a receipt, or a malformed one; `problems` says what is wrong.
 */
export function fromSuccessfulPayment(botId: number | string, message: unknown): ConfirmPaymentInput {
  return orThrow(
    "fromSuccessfulPayment",
    "a message with a successful_payment",
    message,
    decodeReceipt(accountOf(botId), message),
  );
}

export function decodePreCheckout(account: string, query: unknown): Decoded<PreCheckoutInput> {
  const parsed = preCheckoutSchema.safeParse(query);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error) };
  const asked = parsed.data;
  return {
    ok: true,
    input: {
      provider: providerOf(asked.currency),
      account,
      checkoutId: asked.id,
      payload: asked.invoice_payload,
      payer: payerOf(asked.from.id),
      amount: asked.total_amount,
      currency: asked.currency,
    },
  };
}

export function decodeReceipt(account: string, message: unknown): Decoded<ConfirmPaymentInput> {
  const parsed = receiptSchema.safeParse(message);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error) };
  const { from, successful_payment: receipt } = parsed.data;
  return {
    ok: true,
    input: {
      provider: providerOf(receipt.currency),
      account,
      chargeId: receipt.telegram_payment_charge_id,
      payload: receipt.invoice_payload,
      payer: payerOf(from.id),
      amount: receipt.total_amount,
      currency: receipt.currency,
      // A flag, or the end of the paid period: either says that it is a subscription's.
      recurring: receipt["is_recurring"] === true || receipt["subscription_expiration_date"] !== undefined,
      details: detailsOf(parsed.data, receipt),
    },
  };
}

export function decodeRefundNotice(account: string, message: unknown): Decoded<RefundNotice> {
  const parsed = refundNoticeSchema.safeParse(message);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error) };
  const { refunded_payment: refund } = parsed.data;
  return {
    ok: true,
    input: {
      provider: providerOf(refund.currency),
      account,
      chargeId: refund.telegram_payment_charge_id,
      payload: refund.invoice_payload,
      amount: refund.total_amount,
      currency: refund.currency,
    },
  };
}

function payerOf(userId: unknown): string {
  return telegramCustomer(userIdText(userId) ?? "");
}

const maxDetailsBytes = 12_000;

function detailsOf(message: Record<string, unknown>, receipt: Record<string, unknown>): Record<string, unknown> {
  const { provider_payment_charge_id, shipping_option_id, order_info, subscription_expiration_date } = receipt;
  const essential = storableRecord({
    provider_payment_charge_id,
    chat_id: field(message["chat"], "id"),
    message_id: message["message_id"],
    date: message["date"],
    shipping_option_id,
    subscription_expiration_date,
  });
  const { first_name, last_name, username, language_code } = storableRecord(Object(message["from"]));
  const full = {
    ...essential,
    ...storableRecord({ from: { first_name, last_name, username, language_code }, order_info }),
  };
  return Buffer.byteLength(JSON.stringify(full)) <= maxDetailsBytes ? full : essential;
}

function problemsOf(error: z.ZodError): InputProblem[] {
  return error.issues.map(({ path, message }) => ({ path: path.join(".") || "update", message }));
}

function orThrow<Input>(name: string, wanted: string, given: unknown, decoded: Decoded<Input>): Input {
  if (decoded.ok) return decoded.input;
  const instead = kindOf(given);
  const hint = instead === null ? "" : ` This is ${instead}, not ${wanted}.`;
  const summary = decoded.problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new BookonceError("invalid_input", `${name}:${hint} ${summary}`, { problems: decoded.problems });
}

/** What somebody passed instead, where it can be told (B08). */
function kindOf(value: unknown): string | null {
  if (field(value, "update_id") !== undefined) return "a whole update";
  if (field(value, "successful_payment") !== undefined) return "a message with a successful_payment";
  if (field(value, "refunded_payment") !== undefined) return "a message with a refunded_payment";
  if (field(value, "telegram_payment_charge_id") !== undefined) return "a payment without its message";
  if (field(value, "invoice_payload") !== undefined) return "a pre_checkout_query";
  return null;
}
