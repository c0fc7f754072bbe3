import { createServer } from "node:http";
import { type Bookonce, createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import { createTelegram, grammyApi, starsRefunder } from "bookonce/telegram";
import { Bot, webhookCallback } from "grammy";
import { buying } from "./buying.ts";
import { type Config, readConfig } from "./config.ts";
import { myBookings } from "./my-bookings.ts";
import { notifications } from "./notifications.ts";
import { paying } from "./paying.ts";
import { resource } from "./schedule.ts";
import { support } from "./support.ts";
import { repeat } from "./workers.ts";

const config = readConfig(process.env);

// One signal ends everything: workers, waiting receipts, polling, the web server.
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

const database = pgDatabase({ connectionString: config.databaseUrl });
const bookonce = createBookonce({ database });
await bookonce.migrate();
await bookonce.resources.put({ id: resource, name: config.consultant });

const bot = new Bot(config.botToken, config.apiRoot === undefined ? {} : { client: { apiRoot: config.apiRoot } });
await bot.init();

const api = grammyApi(bot.api);
const telegram = createTelegram({ bookonce, api, botId: bot.botInfo.id });

// Polling has no redelivery: a receipt waits here until it is stored. A webhook lets Telegram send it again.
const patience = config.webhook === null ? "until_stored" : "none";
bot.use(paying(bookonce, telegram, config, { patience, signal: stop.signal }));
bot.use(buying(bookonce, config));
bot.use(myBookings(bookonce, config));
bot.use(support(bookonce, config));

const workers = startWorkers(bookonce);
if (config.webhook === null) await poll();
else await serveWebhook(config.webhook);
stop.abort();
await workers;
await database.close();

function startWorkers<Caller>(instance: Bookonce<Caller>): Promise<unknown> {
  const refunder = starsRefunder(api);
  const tell = notifications(bot.api, config);
  const { signal } = stop;
  return Promise.all([
    repeat("refunds", 1_000, signal, () => instance.refunds.run(refunder, { signal })),
    repeat("notifications", 500, signal, () => instance.events.run(tell, { signal })),
    repeat("sweep", 10_000, signal, () => instance.sweep({ signal })),
    // Finds the charges whose receipts never came, and refunds that were made elsewhere.
    repeat("reconciliation", 60_000, signal, () => telegram.reconcile({ signal })),
  ]);
}

async function poll(): Promise<void> {
  // An update whose handler failed is lost in polling; say so, and go on with the next.
  bot.catch(({ error, ctx }) => console.error(`update ${ctx.update.update_id} failed:`, error));
  stop.signal.addEventListener("abort", () => void bot.stop());
  await bot.start({
    allowed_updates: ["message", "callback_query", "pre_checkout_query"],
    onStart: ({ username }) => console.log(`@${username} is polling`),
  });
}

async function serveWebhook({ url, port, secret }: NonNullable<Config["webhook"]>): Promise<void> {
  const handle = webhookCallback(bot, "http", { secretToken: secret });
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error("an update failed, and Telegram will send it again:", error);
      if (!response.headersSent) response.writeHead(503, { "Retry-After": "2" });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  await bot.api.setWebhook(url, {
    secret_token: secret,
    allowed_updates: ["message", "callback_query", "pre_checkout_query"],
  });
  console.log(`@${bot.botInfo.username} listens on port ${port}`);
  await new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve(), { once: true }));
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
