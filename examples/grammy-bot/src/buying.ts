import type { Bookonce } from "bookonce";
import { starsInvoice, telegramCustomer } from "bookonce/telegram";
import { Composer, type Context, type Filter } from "grammy";
import { Temporal } from "temporal-polyfill";
import type { Config } from "./config.ts";
import { resource, timeLabel } from "./schedule.ts";
import { type Screen, stopSpinner, taken, times, welcome } from "./screens.ts";

/** From /start to the invoice. */
export function buying<Caller>(bookonce: Bookonce<Caller>, config: Config): Composer<Context> {
  const composer = new Composer<Context>();

  composer.chatType("private").command(["start", "book"], (ctx) => show(ctx, welcome(config)));
  composer.callbackQuery("days", async (ctx) => {
    await stopSpinner(ctx);
    await show(ctx, welcome(config));
  });
  composer.callbackQuery(/^day:(\d{4}-\d\d-\d\d)$/, async (ctx) => {
    await stopSpinner(ctx);
    await show(ctx, await times(bookonce, config, Temporal.PlainDate.from(ctx.match[1] ?? "")));
  });
  composer.callbackQuery(/^time:(.+)$/, async (ctx) => {
    await stopSpinner(ctx);
    await offer(bookonce, config, ctx, new Date(ctx.match[1] ?? ""));
  });
  return composer;
}

/**
 * Sends an invoice for the time. Nothing is claimed yet: several people may look at an invoice for one slot, and the first to press Pay
 * gets it; the others are refused before they are charged.
 */
async function offer<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  ctx: Filter<Context, "callback_query:data">,
  start: Date,
): Promise<void> {
  const chatId = ctx.chat?.id ?? ctx.from.id;
  const reserved = await bookonce.reserveSlot({
    customer: telegramCustomer(ctx.from.id),
    resources: [resource],
    start,
    duration: { minutes: config.minutes },
    price: { amount: config.stars, currency: "XTR" },
    claim: "at_checkout",
    title: `Consultation with ${config.consultant}`,
    data: { chatId },
  });
  if (reserved.outcome === "refused") {
    if (reserved.reason === "busy") await ctx.reply("The service is busy. Please try again in a moment.");
    else await show(ctx, await taken(bookonce, config, start));
    return;
  }
  const { booking } = reserved;
  if (booking.state === "confirmed") {
    await ctx.reply(`${timeLabel(config, start)} is yours already. /bookings shows your bookings.`);
    return;
  }
  const invoice = starsInvoice({
    booking,
    chatId,
    title: `Consultation, ${config.minutes} min`,
    description: `With ${config.consultant}, ${timeLabel(config, start)}. The time is yours once you have paid.`,
  });
  await ctx.api.raw.sendInvoice(invoice);
}

async function show(ctx: Context, { text, keyboard }: Screen): Promise<void> {
  await ctx.reply(text, { reply_markup: keyboard });
}
