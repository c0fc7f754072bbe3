import type { Bookonce, BookonceEvent } from "bookonce";
import { telegramUserId } from "bookonce/telegram";
import type { Api } from "grammy";
import type { Config } from "./config.ts";
import { concerned, customerNews } from "./customer-news.ts";
import { isRefused, isUnreachable, report } from "./errors.ts";
import { moneyOf } from "./money.ts";
import { ownerNews } from "./owner-news.ts";
import { localeOf } from "./words.ts";

/** Tells the customer, and the owner, what happened: once per event, from the outbox, in order. */
export function notifications<Caller>(
  bookonce: Bookonce<Caller>,
  api: Api,
  config: Config,
): (event: BookonceEvent) => Promise<void> {
  return async (event) => {
    const money = await moneyOf(bookonce, event);
    const forOwner = ownerNews(event, money);
    // The owner first: if telling the customer fails, it is the owner who hears it twice.
    if (forOwner !== null) await tellOwner(api, config, forOwner);
    const customer = concerned(event, money);
    const chatId = customer === null ? null : telegramUserId(customer);
    if (customer === null || chatId === null) return;
    const text = customerNews(event, money, config, localeOf(await languageOf(bookonce, event, customer)));
    if (text === null) return;
    try {
      await api.sendMessage(chatId, text);
    } catch (error) {
      // Anything else is tried again later, by the outbox.
      if (!isUnreachable(error)) throw error;
    }
  };
}

/** The language of the booking; or of another one of theirs, when the event is about money that belongs to none. */
async function languageOf<Caller>(
  bookonce: Bookonce<Caller>,
  { booking }: BookonceEvent,
  customer: string,
): Promise<unknown> {
  const own = booking?.customer === customer ? booking : (await bookonce.bookings.ofCustomer(customer)).at(-1);
  return own?.data["language"];
}

async function tellOwner(api: Api, { ownerChatId }: Config, text: string): Promise<void> {
  if (ownerChatId === null) {
    console.error(text);
    return;
  }
  try {
    await api.sendMessage(ownerChatId, text);
  } catch (error) {
    // A chat that is wrong stays wrong, and must not keep the customer from hearing.
    if (!isRefused(error)) throw error;
    report(`the owner's chat does not work; not told: ${text}`, error);
  }
}
