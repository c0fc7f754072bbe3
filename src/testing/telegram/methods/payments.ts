import { z } from "zod";
import { badRequest } from "../bot-api-error.ts";
import { invoiceLink, parseInvoice } from "../invoices.ts";
import type { JsonObject } from "../json.ts";
import { chatFor, markupOf } from "./messages.ts";
import type { Method, MethodCall } from "./method.ts";

const LINK_PARAMETERS = [
  "business_connection_id",
  "title",
  "description",
  "payload",
  "provider_token",
  "currency",
  "prices",
  "subscription_period",
  "max_tip_amount",
  "suggested_tip_amounts",
  "provider_data",
  "photo_url",
  "photo_size",
  "photo_width",
  "photo_height",
  "need_name",
  "need_phone_number",
  "need_email",
  "need_shipping_address",
  "send_phone_number_to_provider",
  "send_email_to_provider",
  "is_flexible",
];

const MESSAGE_PARAMETERS = [
  ...LINK_PARAMETERS.filter((name) => name !== "business_connection_id" && name !== "subscription_period"),
  "chat_id",
  "message_thread_id",
  "direct_messages_topic_id",
  "start_parameter",
  "suggested_post_parameters",
  "disable_notification",
  "protect_content",
  "allow_paid_broadcast",
  "message_effect_id",
  "reply_parameters",
  "reply_markup",
  "reply_to_message_id",
];

const shippingOptionsSchema = z.array(
  z.object({
    id: z.string().min(1),
    title: z.string().min(1),
    prices: z.array(z.object({ label: z.string(), amount: z.coerce.number().int() })).min(1),
  }),
);

const sendInvoice: Method = {
  name: "sendInvoice",
  parameters: MESSAGE_PARAMETERS,
  run: (call) => {
    const { world, bot, params } = call;
    const chat = chatFor(call);
    const invoice = parseInvoice(params, bot.id, chat);
    const { title, description, startParameter, currency, total } = invoice;
    const message = world.post({
      bot: bot.id,
      chat,
      from: "bot",
      fromId: bot.id,
      content: { invoice: { title, description, start_parameter: startParameter, currency, total_amount: total } },
      markup: invoiceMarkup(call, currency, total),
      invoiceSlug: invoice.slug,
    });
    invoice.message = message;
    world.invoices.add(invoice);
    return world.botApiMessage(message);
  },
};

/** The keyboard under an invoice: its first button pays. Without one of the bot's own, Telegram shows its own Pay button. */
function invoiceMarkup(call: MethodCall, currency: string, total: number): JsonObject {
  const given = markupOf(call);
  const rows = given?.["inline_keyboard"];
  if (!Array.isArray(rows)) {
    return { inline_keyboard: [[{ text: currency === "XTR" ? `Pay ⭐️${total}` : `Pay ${currency}`, pay: true }]] };
  }
  const first: unknown = rows[0]?.[0];
  const pays = typeof first === "object" && first !== null && "pay" in first && first.pay === true;
  if (!given || !pays) throw badRequest("REPLY_MARKUP_BUY_EMPTY");
  return given;
}

const createInvoiceLink: Method = {
  name: "createInvoiceLink",
  parameters: LINK_PARAMETERS,
  run: ({ world, bot, params }) => {
    const invoice = parseInvoice(params, bot.id, undefined);
    world.invoices.add(invoice);
    return invoiceLink(invoice);
  },
};

const answerPreCheckoutQuery: Method = {
  name: "answerPreCheckoutQuery",
  parameters: ["pre_checkout_query_id", "ok", "error_message"],
  required: ["pre_checkout_query_id", "ok"],
  run: (call) => {
    const { world, bot, params } = call;
    const answer = { ok: params.boolean("ok"), message: params.string("error_message") };
    return world.payments.answerPreCheckout(bot, params.string("pre_checkout_query_id"), answer, call);
  },
};

const answerShippingQuery: Method = {
  name: "answerShippingQuery",
  parameters: ["shipping_query_id", "ok", "shipping_options", "error_message"],
  required: ["shipping_query_id", "ok"],
  run: (call) => {
    const { world, bot, params } = call;
    const answer = {
      ok: params.boolean("ok"),
      message: params.string("error_message"),
      options: params.json("shipping_options", shippingOptionsSchema) ?? [],
    };
    return world.payments.answerShipping(bot, params.string("shipping_query_id"), answer, call);
  },
};

/** Asking for money, and saying yes or no when it is offered. */
export const paymentMethods: readonly Method[] = [
  sendInvoice,
  createInvoiceLink,
  answerPreCheckoutQuery,
  answerShippingQuery,
];
