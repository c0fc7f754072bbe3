import type { Bookonce } from "bookonce";
import { starsInvoice } from "bookonce/telegram";
import { type CallbackQueryContext, Composer, type Context } from "grammy";
import { pressedTime, presses } from "./buttons.ts";
import type { Config } from "./config.ts";
import { days, refused, show, stopSpinner, times } from "./screens.ts";
import { type Seeker, seekerOf } from "./seeker.ts";
import { service } from "./service.ts";
import { textsIn, timeLabel } from "./words.ts";

/** From /start to the invoice. */
export function buying<Caller>(bookonce: Bookonce<Caller>, config: Config): Composer<Context> {
  const composer = new Composer<Context>();
  const welcome = (seeker: Seeker) => days(bookonce, config, seeker, welcomeText(config));

  composer.chatType("private").command(["start", "book"], async (ctx) => {
    await show(ctx, await welcome(seekerOf(ctx.from)));
  });
  composer.callbackQuery(presses.days, async (ctx) => {
    await stopSpinner(ctx);
    await show(ctx, await welcome(seekerOf(ctx.from)));
  });
  composer.callbackQuery(presses.day, async (ctx) => {
    await stopSpinner(ctx);
    await show(ctx, await times(bookonce, config, seekerOf(ctx.from), ctx.match[1] ?? ""));
  });
  composer.callbackQuery(presses.time, async (ctx) => {
    await stopSpinner(ctx);
    await offer(bookonce, config, ctx, pressedTime(ctx.match[1]));
  });
  return composer;
}

function welcomeText({ consultant, minutes, stars }: Config): string {
  return [
    `Online consultation with ${consultant}: ${minutes} minutes, ${stars} Stars.`,
    "",
    "/bookings shows your bookings, to move or cancel them; /terms the rules; /paysupport helps with a payment.",
    "",
  ].join("\n");
}

/**
 * Sends an invoice for the time. Nothing is claimed yet: several people may look at an invoice for one slot, and the first to press Pay
 * gets it; the others are refused before they are charged.
 */
async function offer<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  ctx: CallbackQueryContext<Context>,
  start: Date | null,
): Promise<void> {
  const seeker = seekerOf(ctx.from);
  const { customer, locale } = seeker;
  if (start === null) {
    await show(ctx, await refused(bookonce, config, seeker, { at: null, reason: "closed" }));
    return;
  }
  const reserved = await bookonce.reserveSlot({
    customer,
    service,
    start,
    claim: "at_checkout",
    // In which language to tell her what becomes of it.
    data: { language: locale },
  });
  if (reserved.outcome === "refused") {
    const { reason } = reserved;
    if (reason === "busy") await ctx.reply(textsIn(locale).reasons.busy);
    else await show(ctx, await refused(bookonce, config, seeker, { at: start, reason }));
    return;
  }
  const { booking } = reserved;
  if (booking.state === "confirmed") {
    await ctx.reply(`${timeLabel(config, start, locale)} is yours already. /bookings shows your bookings.`);
    return;
  }
  const invoice = starsInvoice({
    booking,
    chatId: ctx.from.id,
    title: `Consultation, ${config.minutes} min`,
    description: `With ${config.consultant}, ${timeLabel(config, start, locale)}. The time is yours once you have paid.`,
  });
  await ctx.api.raw.sendInvoice(invoice);
}
