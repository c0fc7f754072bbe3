import type { Bookonce } from "bookonce";
import { Composer, type Context, InlineKeyboard } from "grammy";
import { cancelButton, moveButton, presses } from "./buttons.ts";
import type { Config } from "./config.ts";
import { stopSpinner } from "./screens.ts";
import { seekerOf } from "./seeker.ts";
import { durationLabel, textsIn, timeLabel } from "./words.ts";

/** "My bookings", with a button to move and one to cancel each of them; and cancelling one. */
export function myBookings<Caller>(bookonce: Bookonce<Caller>, config: Config): Composer<Context> {
  const composer = new Composer<Context>();

  composer.command("bookings", async (ctx) => {
    if (ctx.from === undefined) return;
    const { customer, locale } = seekerOf(ctx.from);
    const all = await bookonce.bookings.ofCustomer(customer);
    const confirmed = all.filter((booking) => booking.state === "confirmed");
    if (confirmed.length === 0) {
      await ctx.reply("You have no bookings. /start shows the free times.");
      return;
    }
    const keyboard = new InlineKeyboard();
    for (const [index, { id }] of confirmed.entries()) {
      const number = index + 1;
      keyboard.text(`Move ${number}`, moveButton(id)).text(`Cancel ${number}`, cancelButton(id)).row();
    }
    const lines = confirmed.map(
      (booking, index) =>
        `${index + 1}. ${timeLabel(config, booking.start, locale)}, ${durationLabel(booking, locale)}`,
    );
    await ctx.reply(`Your bookings:\n${lines.join("\n")}`, { reply_markup: keyboard });
  });

  composer.callbackQuery(presses.cancel, async (ctx) => {
    await stopSpinner(ctx);
    const { customer, locale } = seekerOf(ctx.from);
    const { reasons } = textsIn(locale);
    const outcome = await bookonce.cancel({
      bookingId: ctx.match[1] ?? "",
      customer,
      reason: "cancelled in the chat",
    });
    // That it was cancelled, and whether money comes back, is told from the events, once.
    if (outcome.outcome === "already_cancelled") await ctx.reply(reasons.cancelled);
    if (outcome.outcome === "already_expired") await ctx.reply(reasons.hold_lapsed);
    if (outcome.outcome === "refused") await ctx.reply(`${reasons[outcome.reason]} /paysupport helps.`);
  });
  return composer;
}
