import { z } from "zod";
import { badRequest } from "./bot-api-error.ts";
import type { Chat, StoredMessage } from "./chat.ts";
import type { Params } from "./params.ts";
import { randomSlug } from "./random-ids.ts";

/** An invoice: a message in a chat, or a link that anybody may hold. */
export interface Invoice {
  readonly slug: string;
  readonly bot: number;
  readonly title: string;
  readonly description: string;
  readonly payload: string;
  readonly currency: string;
  /** Minor units; whole Stars for XTR. */
  readonly total: number;
  readonly startParameter: string;
  readonly subscriptionPeriod: number;
  readonly flexible: boolean;
  readonly maxTip: number;
  readonly needs: InvoiceNeeds;
  /** Where the message hangs; undefined for links. */
  readonly chat: Chat | undefined;
  message: StoredMessage | undefined;
  /** Who has paid a copy of it, in order. */
  readonly paidBy: number[];
}

/** Which details of the buyer a provider's invoice asks for. */
export interface InvoiceNeeds {
  readonly name: boolean;
  readonly phone: boolean;
  readonly email: boolean;
  readonly shippingAddress: boolean;
}

const pricesSchema = z.array(z.object({ label: z.string().min(1), amount: z.coerce.number().int() }));
const MONTH_SECONDS = 2_592_000;
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency").filter((code) => code[0] !== "X"));

/** Reads the parameters of `sendInvoice` or `createInvoiceLink`, refusing what Telegram refuses. */
export function parseInvoice(params: Params, bot: number, chat: Chat | undefined): Invoice {
  const title = params.requiredString("title");
  const description = params.requiredString("description");
  const payload = params.requiredString("payload");
  const currency = params.requiredString("currency");
  if ([...title].length > 32) throw badRequest("INVOICE_TITLE_INVALID");
  if ([...description].length > 255) throw badRequest("INVOICE_DESCRIPTION_INVALID");
  if (Buffer.byteLength(payload, "utf8") > 128) throw badRequest("INVOICE_PAYLOAD_INVALID");
  const prices = params.json("prices", pricesSchema);
  if (!prices) throw badRequest(`parameter "prices" is required`);
  const total = prices.reduce((sum, price) => sum + price.amount, 0);
  const subscriptionPeriod = params.integer("subscription_period", 0, 0, Number.MAX_SAFE_INTEGER);
  const stars = currency === "XTR";
  if (stars) checkStars(params, prices.length, total, subscriptionPeriod);
  else checkProvider(params, currency, total, subscriptionPeriod);
  return {
    slug: randomSlug(),
    bot,
    title,
    description,
    payload,
    currency,
    total,
    startParameter: params.string("start_parameter"),
    subscriptionPeriod,
    // Not supported for Stars, and ignored there.
    flexible: !stars && params.boolean("is_flexible"),
    maxTip: params.integer("max_tip_amount", 0, 0, Number.MAX_SAFE_INTEGER),
    needs: {
      name: !stars && params.boolean("need_name"),
      phone: !stars && params.boolean("need_phone_number"),
      email: !stars && params.boolean("need_email"),
      shippingAddress: !stars && params.boolean("need_shipping_address"),
    },
    chat,
    message: undefined,
    paidBy: [],
  };
}

function checkStars(params: Params, prices: number, total: number, subscriptionPeriod: number): void {
  const tips =
    params.integer("max_tip_amount", 0, 0, Number.MAX_SAFE_INTEGER) > 0 || params.has("suggested_tip_amounts");
  if (prices !== 1 || total <= 0 || tips || params.string("provider_token") !== "") {
    throw badRequest("STARS_INVOICE_INVALID");
  }
  if (subscriptionPeriod === 0) return;
  if (subscriptionPeriod !== MONTH_SECONDS) throw badRequest("SUBSCRIPTION_PERIOD_INVALID");
  if (total > 10_000) throw badRequest("STARS_INVOICE_INVALID");
}

function checkProvider(params: Params, currency: string, total: number, subscriptionPeriod: number): void {
  // A mistyped XTR lands here too, and gets this misleading answer from Telegram as well.
  if (params.string("provider_token") === "" || !CURRENCIES.has(currency)) throw badRequest("PAYMENT_PROVIDER_INVALID");
  if (total <= 0 || total >= 1e12) throw badRequest("CURRENCY_TOTAL_AMOUNT_INVALID");
  if (subscriptionPeriod !== 0) throw badRequest("SUBSCRIPTION_PERIOD_INVALID");
}

/** The invoices of all bots, by slug and by message. */
export class InvoiceBook {
  readonly #bySlug = new Map<string, Invoice>();
  readonly #byMessage = new Map<string, Invoice>();

  add(invoice: Invoice): void {
    this.#bySlug.set(invoice.slug, invoice);
    const { message } = invoice;
    if (message) this.#byMessage.set(messageKey(invoice.bot, message.chat.id, message.id), invoice);
  }

  /** The invoice of a message, even of a deleted one. */
  byMessage(bot: number, chatId: number, messageId: number): Invoice | undefined {
    return this.#byMessage.get(messageKey(bot, chatId, messageId));
  }

  bySlug(slug: string): Invoice | undefined {
    return this.#bySlug.get(slug);
  }

  /** The invoice behind `https://t.me/$…` or `https://t.me/invoice/…`. */
  byLink(link: string): Invoice | undefined {
    const slug = /^https:\/\/t\.me\/(?:\$|invoice\/)([\w-]+)$/.exec(link)?.[1];
    return slug === undefined ? undefined : this.#bySlug.get(slug);
  }
}

function messageKey(bot: number, chatId: number, messageId: number): string {
  return `${bot}:${chatId}:${messageId}`;
}

/** The link of an invoice made by `createInvoiceLink`. */
export function invoiceLink(invoice: Invoice): string {
  return `https://t.me/$${invoice.slug}`;
}

/** Why this person cannot open the payment form of this invoice, if so. */
export function whyNotPayable(
  invoice: Invoice,
  person: number,
): "INVOICE_ALREADY_PAID" | "INVOICE_NOT_PAYABLE" | undefined {
  if (!invoice.chat) return undefined;
  const deleted = invoice.message === undefined;
  const privateChat = invoice.chat.bot !== undefined;
  const singleChat = invoice.startParameter !== "";
  const forwarded = privateChat && invoice.chat.id !== person;
  if (forwarded) return singleChat || deleted ? "INVOICE_NOT_PAYABLE" : undefined;
  if (deleted) return "INVOICE_NOT_PAYABLE";
  return singleChat && privateChat && invoice.paidBy.length > 0 ? "INVOICE_ALREADY_PAID" : undefined;
}
