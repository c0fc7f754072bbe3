import { createServer } from "node:http";
import { autoRetry } from "@grammyjs/auto-retry";
import { getRequestListener } from "@hono/node-server";
import {
  grammyApi,
  grammyMiddleware,
  type MiddlewareOptions,
  type Telegram,
  telegrafApi,
  telegrafMiddleware,
} from "bookonce/telegram";
import { Bot, type Context, type SessionFlavor, session } from "grammy";
import { Telegraf, type Context as TelegrafContext, session as telegrafSession } from "telegraf";
import { expect, onTestFinished } from "vitest";
import type { Salon } from "./support.ts";

export const secretToken = "s3cret-Token_1";

export const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 20_000 });

/** An HTTP server over Request and Response, closed when the test ends. */
export async function serve(respond: (request: Request) => Promise<Response>): Promise<string> {
  const listener = getRequestListener(respond, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/telegram`;
}

export async function setWebhook(at: Salon, url: string): Promise<void> {
  await at.api.call("setWebhook", { url, secret_token: secretToken }, { signal: AbortSignal.timeout(5_000) });
}

/** What every bot does here: a donation of its own, and a word to who has booked. */
export const donation = {
  title: "Thanks",
  description: "A donation",
  payload: "donation-1",
  currency: "XTR",
  prices: [{ label: "x", amount: 5 }],
};

export interface Told {
  donations: number;
  handled: string[];
}

export function grammyBot(at: Salon, told: Told, options: MiddlewareOptions<Context> = {}, telegram?: Telegram) {
  const bot = new Bot<Context & SessionFlavor<object>>(at.bot.token, { client: { apiRoot: at.fake.url } });
  bot.api.config.use(autoRetry());
  const layer = telegram ?? at.another(at.db.bookonce, { api: grammyApi(bot.api) });
  bot.use(
    grammyMiddleware(layer, {
      onHandled: async (result, ctx) => {
        told.handled.push(result.outcome);
        if (result.outcome === "booked") await ctx.reply("Booked!");
      },
      ...options,
    }),
  );
  // A session keyed by chat throws for updates without one: it comes after us (B03).
  bot.use(session({ initial: () => ({}) }));
  bot.command("donate", (ctx) => ctx.api.raw.sendInvoice({ ...donation, chat_id: ctx.chat.id }));
  bot.on("pre_checkout_query", (ctx) => ctx.answerPreCheckoutQuery(true));
  bot.on("message:successful_payment", () => {
    told.donations += 1;
  });
  bot.catch(() => undefined);
  return bot;
}

export function telegrafBot(
  at: Salon,
  told: Told,
  options: MiddlewareOptions<TelegrafContext> = {},
  telegram?: Telegram,
) {
  const bot = new Telegraf(at.bot.token, {
    handlerTimeout: Number.POSITIVE_INFINITY,
    telegram: { apiRoot: at.fake.url, webhookReply: false },
  });
  const layer = telegram ?? at.another(at.db.bookonce, { api: telegrafApi(bot.telegram) });
  bot.use(
    telegrafMiddleware(layer, {
      onHandled: async (result, ctx) => {
        told.handled.push(result.outcome);
        if (result.outcome === "booked") await ctx.reply("Booked!");
      },
      ...options,
    }),
  );
  bot.use(telegrafSession());
  bot.command("donate", (ctx) =>
    ctx.telegram.callApi("sendInvoice", { ...donation, chat_id: ctx.chat.id, provider_token: "" }),
  );
  bot.on("pre_checkout_query", (ctx) => ctx.answerPreCheckoutQuery(true));
  bot.on("successful_payment", () => {
    told.donations += 1;
  });
  bot.catch(() => undefined);
  return bot;
}
