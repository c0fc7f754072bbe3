import { BookonceError } from "../../core/error.ts";
import type { PaymentView } from "../../verbs/views.ts";

/** Payments in Telegram Stars: refunded by a call. */
export const starsProvider = "telegram_stars";
/** Payments through a provider token: no Bot API refund exists (S16). */
export const tokenProvider = "telegram_payments";

export type TelegramProvider = typeof starsProvider | typeof tokenProvider;

/** Stars and provider money take different ways back; the currency tells which it is. */
export function providerOf(currency: string): TelegramProvider {
  return currency === "XTR" ? starsProvider : tokenProvider;
}

const customerPrefix = "telegram:";

/**
 * Our name for a Telegram user, as customer and as payer: `telegram:42`.
 *
 * @example
 * ```ts
 * import { telegramCustomer } from "bookonce/telegram";
 *
 * telegramCustomer(42); // "telegram:42"
 * ```
 *
 * @throws BookonceError `invalid_input`: not a user id.
 */
export function telegramCustomer(userId: number | string): string {
  const id = userIdText(userId);
  if (id === null) throw new BookonceError("invalid_input", "telegramCustomer: a user id is a positive whole number");
  return `${customerPrefix}${id}`;
}

/** The user behind one of our names, or null when it is none of Telegram's: for sending a message to a customer. */
export function telegramUserId(customer: string): number | null {
  if (!customer.startsWith(customerPrefix)) return null;
  const id = userIdText(customer.slice(customerPrefix.length));
  // User ids have at most 52 significant bits, so a safe integer holds them.
  return id === null ? null : Number(id);
}

/** The account of our payments: the bot. @throws BookonceError `invalid_input` */
export function accountOf(botId: number | string): string {
  const id = userIdText(botId);
  if (id === null)
    throw new BookonceError(
      "invalid_input",
      "botId: must be the bot's own id, the number before the colon of its token",
    );
  return id;
}

/** The decimal text of an id that Telegram sends as a number; null for anything else. */
export function userIdText(id: unknown): string | null {
  const text = typeof id === "number" ? String(id) : id;
  if (typeof text !== "string" || !/^[1-9]\d{0,15}$/.test(text)) return null;
  return Number.isSafeInteger(Number(text)) ? text : null;
}

/** Of payments with this charge id, the one of this bot. */
export function ownPayment(
  found: readonly PaymentView[],
  key: { readonly account: string; readonly provider: string },
): PaymentView | undefined {
  return found.find((payment) => payment.account === key.account && payment.provider === key.provider);
}
