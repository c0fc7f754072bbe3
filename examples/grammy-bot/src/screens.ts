import type { Bookonce } from "bookonce";
import type { ReasonCode } from "bookonce/telegram";
import { type CallbackQueryContext, type Context, InlineKeyboard } from "grammy";
import { dayButton, daysButton, timeButton } from "./buttons.ts";
import type { Config } from "./config.ts";
import { freeDays, nextFreeTimes } from "./free-times.ts";
import type { Seeker } from "./seeker.ts";
import { clockLabel, dayLabel, textsIn, timeLabel } from "./words.ts";

/** A message the bot shows: text and buttons. A button is a request, never a right: what it asks for is checked again. */
export interface Screen {
  readonly text: string;
  readonly keyboard: InlineKeyboard;
}

export async function days<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  seeker: Seeker,
  heading: string,
): Promise<Screen> {
  const free = await freeDays(bookonce, config, seeker);
  const keyboard = new InlineKeyboard();
  for (const { date, starts } of free) {
    if (starts[0] !== undefined) {
      keyboard.text(dayLabel(config, starts[0], seeker.locale), dayButton(date, seeker)).row();
    }
  }
  const text = free.length === 0 ? "Nothing is free in the next days." : "Choose a day.";
  return { text: `${heading}\n${text}`, keyboard };
}

export async function times<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  seeker: Seeker,
  date: string,
): Promise<Screen> {
  const free = await freeDays(bookonce, config, seeker);
  const starts = free.find((day) => day.date === date)?.starts ?? [];
  const keyboard = new InlineKeyboard();
  for (const at of starts) keyboard.text(clockLabel(config, at, seeker.locale), timeButton(at, seeker)).row();
  keyboard.text("‹ Other days", daysButton(seeker));
  const [first] = starts;
  if (first === undefined) return { text: `${date}: nothing is free. Choose another day.`, keyboard };
  return { text: `${dayLabel(config, first, seeker.locale)}, ${config.zone} time. Choose when to begin.`, keyboard };
}

/** What a person can be told about a time that she cannot have. */
interface Refused {
  /** Null: what the button named is no time. */
  readonly at: Date | null;
  readonly reason: ReasonCode;
  /** Added to the reason. */
  readonly also?: string;
}

/** For the one who cannot have this time: told why, and shown what is free, at once (rules B1, B17). */
export async function refused<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  seeker: Seeker,
  { at, reason, also }: Refused,
): Promise<Screen> {
  const { locale } = seeker;
  const free = await nextFreeTimes(bookonce, seeker, 6);
  const keyboard = new InlineKeyboard();
  for (const time of free) keyboard.text(timeLabel(config, time, locale), timeButton(time, seeker)).row();
  keyboard.text("All days", daysButton(seeker));
  const why = [textsIn(locale).reasons[reason], ...(also === undefined ? [] : [also])].join(" ");
  const offer = free.length === 0 ? "Nothing else is free in the next days." : "These times are free now:";
  const asked = at === null ? [] : [`${timeLabel(config, at, locale)}:`];
  return { text: [...asked, why, offer].join("\n"), keyboard };
}

export async function show(ctx: Context, { text, keyboard }: Screen): Promise<void> {
  await ctx.reply(text, { reply_markup: keyboard });
}

/** Only a courtesy: a press that is delivered late, or again, still asks for what it asks for (Telegram says "query is too old"). */
export async function stopSpinner(ctx: CallbackQueryContext<Context>): Promise<void> {
  await ctx.answerCallbackQuery().catch(() => undefined);
}
