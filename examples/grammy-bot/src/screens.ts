import type { Bookonce } from "bookonce";
import { type CallbackQueryContext, type Context, InlineKeyboard } from "grammy";
import type { Config } from "./config.ts";
import { clockLabel, dayLabel, freeTimes, nextFreeTimes, offeredDays, timeLabel } from "./schedule.ts";

/** A message the bot shows: text and buttons. A button is a request, never a right: what it asks for is checked again. */
export interface Screen {
  readonly text: string;
  readonly keyboard: InlineKeyboard;
}

export function welcome(config: Config): Screen {
  const keyboard = new InlineKeyboard();
  for (const day of offeredDays(config)) keyboard.text(dayLabel(day), `day:${day.toString()}`).row();
  return {
    text: `Online consultation with ${config.consultant}: ${config.minutes} minutes, ${config.stars} Stars.\nChoose a day.\n\n/bookings shows your bookings, /terms the rules, /paysupport helps with a payment.`,
    keyboard,
  };
}

export async function times<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  day: Parameters<typeof freeTimes>[2],
): Promise<Screen> {
  const free = await freeTimes(bookonce, config, day);
  const keyboard = new InlineKeyboard();
  for (const at of free) keyboard.text(clockLabel(config, at), `time:${at.toISOString()}`).row();
  keyboard.text("‹ Other days", "days");
  const text =
    free.length === 0
      ? `${dayLabel(day)}: everything is taken. Choose another day.`
      : `${dayLabel(day)}, ${config.zone} time. Choose when to begin.`;
  return { text, keyboard };
}

/** For the one who was too late: told so, and shown what is free, at once (rule B17). */
export async function taken<Caller>(bookonce: Bookonce<Caller>, config: Config, at: Date): Promise<Screen> {
  const free = await nextFreeTimes(bookonce, config, 6);
  const keyboard = new InlineKeyboard();
  for (const time of free) keyboard.text(timeLabel(config, time), `time:${time.toISOString()}`).row();
  keyboard.text("All days", "days");
  const offer = free.length === 0 ? "Nothing else is free in the next days." : "These times are free now:";
  return {
    text: `${timeLabel(config, at)} has just been taken by somebody else. You were not charged.\n${offer}`,
    keyboard,
  };
}

/** Only a courtesy: a press that is delivered late, or again, still asks for what it asks for (Telegram says "query is too old"). */
export async function stopSpinner(ctx: CallbackQueryContext<Context>): Promise<void> {
  await ctx.answerCallbackQuery().catch(() => undefined);
}
