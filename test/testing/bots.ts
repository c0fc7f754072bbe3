import { type BotRecord, type FakeTelegram, type FakeTelegramOptions, startFakeTelegram } from "bookonce/testing";
import { Bot } from "grammy";
import { Telegraf } from "telegraf";
import { expect, onTestFinished } from "vitest";

/** A fake that is closed when the test ends. */
export async function fakeTelegram(options?: FakeTelegramOptions): Promise<FakeTelegram> {
  const telegram = await startFakeTelegram(options);
  onTestFinished(() => telegram.close());
  return telegram;
}

/** A grammY bot on the fake, not started. */
export function grammyBot(telegram: FakeTelegram, token: string = telegram.bot().token): Bot {
  return new Bot(token, { client: { apiRoot: telegram.url } });
}

/** Starts polling until the test ends. Resolves when the bot polls. */
export async function poll(bot: Bot): Promise<void> {
  bot.catch(() => {});
  await new Promise<void>((resolve, reject) => {
    bot.start({ onStart: () => resolve() }).catch(reject);
  });
  onTestFinished(() => bot.stop());
}

/** A Telegraf bot on the fake, not started. */
export function telegrafBot(telegram: FakeTelegram, token: string = telegram.bot().token): Telegraf {
  return new Telegraf(token, { telegram: { apiRoot: telegram.url } });
}

interface Shop {
  bot: Bot;
  /** Charge ids of the receipts, and the update ids they came with. */
  receipts: string[];
  updateIds: number[];
  queries: string[];
}

/** A grammY bot that sells one thing: `/buy` sends the invoice, every pre-checkout is approved, receipts are counted. */
export function shop(telegram: FakeTelegram, price = 100): Shop {
  const bot = grammyBot(telegram);
  const receipts: string[] = [];
  const updateIds: number[] = [];
  const queries: string[] = [];
  bot.hears("ping", (ctx) => ctx.reply("pong"));
  bot.command("buy", (ctx) =>
    ctx.replyWithInvoice("Haircut", "At ten", "order-1", "XTR", [{ label: "Cut", amount: price }]),
  );
  bot.on("pre_checkout_query", async (ctx) => {
    queries.push(ctx.preCheckoutQuery.id);
    await ctx.answerPreCheckoutQuery(true);
  });
  bot.on("message:successful_payment", async (ctx) => {
    receipts.push(ctx.message.successful_payment.telegram_payment_charge_id);
    updateIds.push(ctx.update.update_id);
    await ctx.reply("Thank you!");
  });
  return { bot, receipts, updateIds, queries };
}

/** Calls a method without any framework. */
export async function call(
  telegram: { url: string },
  token: string,
  method: string,
  params: object = {},
  init: RequestInit = {},
): Promise<{ status: number; headers: Headers; body: { ok: boolean; result?: unknown; description?: string } }> {
  const response = await fetch(`${telegram.url}/bot${token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(params),
    ...init,
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** A bot without code, whose part the test itself plays over HTTP, and a link to pay 100 Stars. */
export async function silentBot(options: FakeTelegramOptions = { clock: "manual" }): Promise<{
  telegram: FakeTelegram;
  bot: BotRecord;
  link: string;
  /** The newest pre-checkout query, once there is one. */
  query: () => Promise<string>;
  answer: (id: string, ok: boolean, error_message?: string) => ReturnType<typeof call>;
}> {
  const telegram = await fakeTelegram(options);
  const bot = telegram.bot();
  const prices = [{ label: "Cut", amount: 100 }];
  const params = { title: "Cut", description: "Cut", payload: "order-1", currency: "XTR", prices };
  const link = String((await call(telegram, bot.token, "createInvoiceLink", params)).body.result);
  const newest = async (): Promise<string | undefined> => {
    const update = (await telegram.updates.pending(bot)).findLast((each) => each["pre_checkout_query"] !== undefined);
    return update && JSON.parse(JSON.stringify(update)).pre_checkout_query.id;
  };
  return {
    telegram,
    bot,
    link,
    query: async () => {
      await expect.poll(newest).toBeDefined();
      return String(await newest());
    },
    answer: (id, ok, error_message) =>
      call(telegram, bot.token, "answerPreCheckoutQuery", { pre_checkout_query_id: id, ok, error_message }),
  };
}
