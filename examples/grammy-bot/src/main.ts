import { once } from "node:events";
import { createServer } from "node:http";
import { type Bookonce, createBookonce, type Duration, type PoliciesInput, repeat } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import { createTelegram, grammyApi, starsRefunder, type Telegram } from "bookonce/telegram";
import { Bot, webhookCallback } from "grammy";
import { buying } from "./buying.ts";
import { type Config, readConfig } from "./config.ts";
import { deadlines, type Ending, shutdown } from "./ending.ts";
import { isHopeless, report, whyNotStarted } from "./errors.ts";
import { moving } from "./moving.ts";
import { myBookings } from "./my-bookings.ts";
import { notifications } from "./notifications.ts";
import { paying } from "./paying.ts";
import { offerService } from "./service.ts";
import { support } from "./support.ts";

const updates = ["message", "callback_query", "pre_checkout_query"] as const;

try {
  await run(readConfig(process.env));
} catch (error) {
  const reason = whyNotStarted(error);
  if (reason === undefined) report("The bot has failed", error);
  else console.error(reason);
  process.exitCode = 1;
}

async function run(config: Config): Promise<void> {
  const ending = shutdown();
  const { stop, giveUp } = ending;
  const database = pgDatabase({ connectionString: config.databaseUrl });
  try {
    const bookonce = createBookonce({ database, policies: policiesOf(config) });
    await bookonce.migrate();
    await offerService(bookonce, config);

    const bot = new Bot(config.botToken, config.apiRoot === undefined ? {} : { client: { apiRoot: config.apiRoot } });
    bot.api.config.use(deadlines());
    // Not bot.init(): that would try for ever, and say nothing, when the address or the network is wrong.
    bot.botInfo = await bot.api.getMe();
    const telegram = createTelegram({
      bookonce,
      api: grammyApi(bot.api),
      botId: bot.botInfo.id,
      onError: (error, context) => report(`${context} went wrong and was dealt with`, error),
    });

    // Polling has no redelivery: a receipt waits here until it is stored. A webhook lets Telegram send it again.
    const patience = config.webhook === null ? "until_stored" : "none";
    bot.use(paying(bookonce, telegram, config, { patience, signal: giveUp }));
    bot.use(buying(bookonce, config));
    bot.use(myBookings(bookonce, config));
    bot.use(moving(bookonce, config));
    bot.use(support(bookonce, config));

    const working = work(bookonce, telegram, bot, config, ending);
    try {
      await (config.webhook === null ? poll(bot, stop) : serveWebhook(bot, config.webhook, stop));
    } finally {
      ending.begin();
      await working;
    }
  } finally {
    await database.close();
  }
}

/**
 * What /terms promises. Moving ends when cancelling does: whoever could move a booking to a later day until it starts could cancel it there,
 * and have the Stars back after all.
 */
function policiesOf({ latePayment }: Config): PoliciesInput {
  const day = { hours: 24 };
  return { latePayment, cancellation: { refundUntil: day }, rescheduling: { until: day } };
}

/** What runs beside the updates. In several processes it may run in all of them: the database deals out the work. */
async function work<Caller>(
  bookonce: Bookonce<Caller>,
  telegram: Telegram,
  bot: Bot,
  config: Config,
  { stop, giveUp }: Ending,
): Promise<void> {
  const refunder = starsRefunder(grammyApi(bot.api));
  const tell = notifications(bookonce, bot.api, config);
  const loop = (name: string, every: Duration, once: () => Promise<unknown>): Promise<void> =>
    repeat(once, {
      every,
      onError: (error) => report(`${name} failed and will be tried again`, error),
      signal: stop,
    });
  await Promise.all([
    loop("refunds", { seconds: 1 }, () => bookonce.refunds.run(refunder, { signal: giveUp })),
    loop("notifications", { milliseconds: 500 }, () => bookonce.events.run(tell, { signal: giveUp })),
    loop("sweep", { seconds: 10 }, () => bookonce.sweep({ signal: giveUp })),
    // Finds the charges whose receipts never came, and refunds that were made elsewhere.
    loop("reconciliation", { minutes: 1 }, () => telegram.reconcile({ signal: giveUp })),
  ]);
}

async function poll(bot: Bot, stop: AbortSignal): Promise<void> {
  // An update whose handler failed is lost in polling; say so, and go on with the next.
  bot.catch(({ error, ctx }) => report(`update ${ctx.update.update_id} failed`, error));
  stop.addEventListener("abort", () => {
    // The update in hand is finished. Failing to tell Telegram how far we came only means that it sends some of them again.
    bot.stop().catch((error: unknown) => report("could not save the position", error));
  });
  if (stop.aborted) return;
  await bot.start({
    allowed_updates: updates,
    onStart: ({ username }) => console.log(`@${username} is polling`),
  });
}

async function serveWebhook(
  bot: Bot,
  { url, port, secret }: NonNullable<Config["webhook"]>,
  stop: AbortSignal,
): Promise<void> {
  // Longer than a receipt may wait for the database, and shorter than Telegram waits for us.
  const handle = webhookCallback(bot, "http", { secretToken: secret, timeoutMilliseconds: 30_000 });
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      const again = !isHopeless(error);
      report(again ? "an update failed, and Telegram will send it again" : "an update failed", error);
      if (!response.headersSent) response.writeHead(again ? 503 : 200, again ? { "Retry-After": "2" } : {});
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, resolve);
  });
  await bot.api.setWebhook(url, { secret_token: secret, allowed_updates: updates });
  console.log(`@${bot.botInfo.username} listens on port ${port}`);
  if (!stop.aborted) await once(stop, "abort");
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
