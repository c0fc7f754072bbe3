import type { Bookonce } from "bookonce";
import { telegramCustomer } from "bookonce/telegram";
import { Composer, type Context, InlineKeyboard } from "grammy";
import type { Config } from "./config.ts";
import { timeLabel } from "./schedule.ts";
import { stopSpinner } from "./screens.ts";

/** "My bookings", and cancelling one. */
export function myBookings<Caller>(bookonce: Bookonce<Caller>, config: Config): Composer<Context> {
  const composer = new Composer<Context>();

  composer.command("bookings", async (ctx) => {
    if (ctx.from === undefined) return;
    const all = await bookonce.bookings.ofCustomer(telegramCustomer(ctx.from.id));
    const confirmed = all.filter((booking) => booking.state === "confirmed");
    if (confirmed.length === 0) {
      await ctx.reply("You have no bookings. /start shows the free times.");
      return;
    }
    const keyboard = new InlineKeyboard();
    for (const booking of confirmed) {
      keyboard.text(`Cancel ${timeLabel(config, booking.start)}`, `cancel:${booking.id}`).row();
    }
    const lines = confirmed.map((booking) => `• ${timeLabel(config, booking.start)}, ${config.minutes} minutes`);
    await ctx.reply(`Your bookings:\n${lines.join("\n")}`, { reply_markup: keyboard });
  });

  composer.callbackQuery(/^cancel:(.+)$/, async (ctx) => {
    await stopSpinner(ctx);
    const outcome = await bookonce.cancel({
      bookingId: ctx.match[1] ?? "",
      customer: telegramCustomer(ctx.from.id),
      reason: "cancelled in the chat",
    });
    // That it was cancelled, and whether money comes back, is told from the events, once.
    if (outcome.outcome === "already_cancelled") await ctx.reply("This booking was cancelled before.");
    if (outcome.outcome === "refused") await ctx.reply("This booking cannot be cancelled here. /paysupport helps.");
  });
  return composer;
}
