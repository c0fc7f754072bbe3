import { z } from "zod";
import { isOurToken } from "../../core/token.ts";
import type { BookingView } from "../../verbs/views.ts";
import { check } from "./check.ts";
import { isProviderCurrency } from "./currencies.ts";

/** What every invoice says. */
export interface InvoiceText {
  /** 1 to 32 characters. */
  readonly title: string;
  /** 1 to 255 characters. */
  readonly description: string;
  /** The name of the one price row. Default: the title. */
  readonly label?: string;
  readonly photo?: { readonly url: string; readonly width?: number; readonly height?: number; readonly size?: number };
}

/** An invoice in Telegram Stars: digital goods and services. */
export interface StarsInvoiceInput extends InvoiceText {
  /** The booking to be paid, as `reserveSlot` returned it: payload and price are taken from it, so that they cannot differ. */
  readonly booking: Pick<BookingView, "payload" | "amountDue">;
}

/** An invoice through a payment provider: physical goods and services. */
export interface ProviderInvoiceInput extends StarsInvoiceInput {
  /** From BotFather. */
  readonly providerToken: string;
  /** What the provider wants to know, such as a receipt; becomes JSON text. */
  readonly providerData?: unknown;
  readonly needName?: boolean;
  readonly needPhoneNumber?: boolean;
  readonly needEmail?: boolean;
}

/** For an invoice that is sent as a message. */
export interface InvoiceChat {
  readonly chatId: number | string;
  readonly messageThreadId?: number;
  /**
   * The deep link of forwarded copies. Default `"book"`: a forwarded invoice leads to the bot and carries no Pay button, and in a private
   * chat it is paid once at most. `null`: forwarded copies can be paid, by anybody; for bookings with payer `"anyone"`.
   */
  readonly startParameter?: string | null;
}

/** Parameters of `createInvoiceLink`. */
export interface InvoiceLinkParams {
  title: string;
  description: string;
  payload: string;
  currency: string;
  prices: { label: string; amount: number }[];
  provider_token?: string;
  provider_data?: string;
  photo_url?: string;
  photo_width?: number;
  photo_height?: number;
  photo_size?: number;
  need_name?: true;
  need_phone_number?: true;
  need_email?: true;
}

/** Parameters of `sendInvoice`. */
export interface SendInvoiceParams extends InvoiceLinkParams {
  chat_id: number | string;
  message_thread_id?: number;
  start_parameter?: string;
}

const storable = (text: string): boolean => text.trim() !== "" && !text.includes("\u0000") && text.isWellFormed();
// Telegram counts characters, not UTF-16 units.
const text = (max: number) =>
  z
    .string()
    .refine(storable, "must not be empty, and be well-formed text without NUL")
    .refine((value) => [...value].length <= max, `must have at most ${max} characters`);

const pixels = z.number().int().positive();
const common = {
  booking: z.looseObject({
    payload: z
      .string()
      .refine(isOurToken, "must be the booking's own payload")
      .refine((value) => Buffer.byteLength(value) <= 128, "must have at most 128 bytes"),
    amountDue: z.looseObject(
      {
        amount: z.number().int("must be whole minor units").positive("must be more than nothing"),
        currency: z.string(),
      },
      "there is nothing to pay: the booking is free, paid or over",
    ),
  }),
  title: text(32),
  description: text(255),
  label: text(64).optional(),
  photo: z
    .strictObject({ url: z.url(), width: pixels.optional(), height: pixels.optional(), size: pixels.optional() })
    .optional(),
  chatId: z.union([z.number().int(), z.string().min(1)]).optional(),
  messageThreadId: z.number().int().positive().optional(),
  startParameter: z
    .string()
    .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -")
    .nullable()
    .default("book"),
};

/**
 * Not documented by Telegram. A higher price is almost always one that was multiplied by 100 by mistake; one Star is the smallest unit.
 */
const maxStars = 100_000;

const starsSchema = z.strictObject(common).superRefine(({ booking: { amountDue } }, context) => {
  const wrong = (message: string) => context.addIssue({ code: "custom", path: ["booking", "amountDue"], message });
  if (amountDue.currency !== "XTR") wrong(`Stars are XTR; this price is in ${amountDue.currency}`);
  else if (amountDue.amount > maxStars)
    wrong(`must be at most ${maxStars} Stars; Stars have no smaller unit, do not multiply by 100`);
});

const providerSchema = z
  .strictObject({
    ...common,
    providerToken: z.string().regex(/^\S+$/, "must be the provider's token from BotFather"),
    providerData: z.json({ error: "must be plain JSON" }).optional(),
    needName: z.boolean().default(false),
    needPhoneNumber: z.boolean().default(false),
    needEmail: z.boolean().default(false),
  })
  .superRefine(({ booking: { amountDue } }, context) => {
    const wrong = (message: string) => context.addIssue({ code: "custom", path: ["booking", "amountDue"], message });
    if (amountDue.currency === "XTR") wrong("Stars are paid without a provider: use starsInvoice");
    else if (!isProviderCurrency(amountDue.currency)) wrong(`${amountDue.currency} is no currency of a provider`);
    else if (amountDue.amount >= 1e12) wrong("must have at most 12 digits");
  });

/**
 * The parameters of an invoice in Telegram Stars: of `sendInvoice` when you give a `chatId`, else of `createInvoiceLink`. One price in
 * whole Stars, no tips, nothing that Telegram refuses for Stars.
 *
 * @example
 * ```ts
 * import type { BookingView } from "bookonce";
 * import { starsInvoice } from "bookonce/telegram";
 * import type { Api } from "grammy";
 *
 * export async function ask(api: Api, chatId: number, booking: BookingView) {
 *   const invoice = { booking, title: "English lesson", description: "One hour with Anna, online" };
 *   await api.raw.sendInvoice(starsInvoice({ ...invoice, chatId }));
 *   const link: string = await api.raw.createInvoiceLink(starsInvoice(invoice));
 *   return link;
 * }
 * ```
 *
 * @throws BookonceError `invalid_input`: what Telegram would refuse, with every problem named.
 */
export function starsInvoice(input: StarsInvoiceInput & InvoiceChat): SendInvoiceParams;
export function starsInvoice(input: StarsInvoiceInput): InvoiceLinkParams;
export function starsInvoice(input: StarsInvoiceInput & Partial<InvoiceChat>): InvoiceLinkParams | SendInvoiceParams {
  return params(check("starsInvoice", starsSchema, input));
}

/**
 * The parameters of an invoice through a payment provider, in the minor units of its currency (tiyin, cents; yen have none): of
 * `sendInvoice` when you give a `chatId`, else of `createInvoiceLink`. The Bot API has no refund for these (S16).
 *
 * @example
 * ```ts
 * import type { BookingView } from "bookonce";
 * import { providerInvoice } from "bookonce/telegram";
 * import type { Api } from "grammy";
 *
 * export async function ask(api: Api, chatId: number, booking: BookingView, providerToken: string) {
 *   const text = { title: "Haircut", description: "One hour with Anna" };
 *   await api.raw.sendInvoice(providerInvoice({ booking, providerToken, ...text, chatId }));
 * }
 * ```
 *
 * @throws BookonceError `invalid_input`: what Telegram would refuse, with every problem named.
 */
export function providerInvoice(input: ProviderInvoiceInput & InvoiceChat): SendInvoiceParams;
export function providerInvoice(input: ProviderInvoiceInput): InvoiceLinkParams;
export function providerInvoice(
  input: ProviderInvoiceInput & Partial<InvoiceChat>,
): InvoiceLinkParams | SendInvoiceParams {
  const { providerToken, providerData, needName, needPhoneNumber, needEmail, ...common } = check(
    "providerInvoice",
    providerSchema,
    input,
  );
  return {
    ...params(common),
    provider_token: providerToken,
    ...(providerData === undefined ? {} : { provider_data: JSON.stringify(providerData) }),
    ...(needName ? { need_name: true } : {}),
    ...(needPhoneNumber ? { need_phone_number: true } : {}),
    ...(needEmail ? { need_email: true } : {}),
  };
}

function params(invoice: z.output<typeof starsSchema>): InvoiceLinkParams | SendInvoiceParams {
  const { booking, title, description, label = title, photo, chatId, messageThreadId, startParameter } = invoice;
  const { amount, currency } = booking.amountDue;
  const link: InvoiceLinkParams = {
    title,
    description,
    payload: booking.payload,
    currency,
    prices: [{ label, amount }],
    ...(photo === undefined ? {} : { photo_url: photo.url }),
    ...(photo?.width === undefined ? {} : { photo_width: photo.width }),
    ...(photo?.height === undefined ? {} : { photo_height: photo.height }),
    ...(photo?.size === undefined ? {} : { photo_size: photo.size }),
  };
  if (chatId === undefined) return link;
  return {
    ...link,
    chat_id: chatId,
    ...(messageThreadId === undefined ? {} : { message_thread_id: messageThreadId }),
    ...(startParameter === null ? {} : { start_parameter: startParameter }),
  };
}
