import type { LabelLocale } from "bookonce/calendar";
import { telegramCustomer } from "bookonce/telegram";
import type { User } from "grammy/types";
import { localeOf } from "./words.ts";

/** Who looks for a free time: for a new booking, or for one of hers that shall move. */
export interface Seeker {
  readonly customer: string;
  readonly locale: LabelLocale;
  /** The booking that shall move: its own time is not in its way. */
  readonly replaces?: string;
}

export function seekerOf(user: User): Seeker {
  return { customer: telegramCustomer(user.id), locale: localeOf(user.language_code) };
}
