import type { BookingView } from "bookonce";
import { type LabelLocale, labelTime } from "bookonce/calendar";
import { defaultTexts, type Texts, textFor } from "bookonce/telegram";
import type { Config } from "./config.ts";

/** The language of what the library says. It chooses words, and nothing else: never a time zone. */
export function localeOf(languageCode: unknown): LabelLocale {
  const [language] = String(languageCode).toLowerCase().split("-");
  return language === "ru" || language === "uz" ? language : "en";
}

export function textsIn(locale: LabelLocale): Texts {
  return textFor(defaultTexts, locale);
}

/** "Tuesday, December 1, 15:00, local time, Tashkent": a time is never shown without saying whose it is (rule B15). */
export function timeLabel({ zone }: Config, at: Date, locale: LabelLocale): string {
  const { dateText, text } = labelTime(at, { zone, locale });
  return `${dateText}, ${text}`;
}

/** "15:00", or "01:30 (UTC+2)" when the clocks show it twice that day. For buttons under a text that says whose time it is. */
export function clockLabel({ zone }: Config, at: Date, locale: LabelLocale): string {
  const format = ({ time, offset, repeated }: { time: string; offset: string; repeated: boolean }) =>
    repeated ? `${time} (${offset})` : time;
  return labelTime(at, { zone, locale, format }).text;
}

export function dayLabel({ zone }: Config, at: Date, locale: LabelLocale): string {
  return labelTime(at, { zone, locale }).dateText;
}

/** "60 minutes": as long as what was booked, whatever is sold today. */
export function durationLabel({ start, end }: Pick<BookingView, "start" | "end">, locale: LabelLocale): string {
  const minutes = (end.getTime() - start.getTime()) / 60_000;
  return new Intl.NumberFormat(locale, { style: "unit", unit: "minute", unitDisplay: "long" }).format(minutes);
}

/** "500 Stars". Where the word has many endings, the sign that Telegram shows. */
export function starsLabel(amount: number, locale: LabelLocale): string {
  return `${amount} ${locale === "en" ? "Stars" : "⭐"}`;
}
