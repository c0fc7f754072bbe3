import { createServer } from "node:http";
import { autoRetry } from "@grammyjs/auto-retry";
import { getRequestListener } from "@hono/node-server";
import type { BookingView } from "bookonce";
import {
  grammyApi,
  grammyMiddleware,
  type MiddlewareOptions,
  starsInvoice,
  type Telegram,
  telegrafApi,
  telegrafMiddleware,
  telegramWebhook,
} from "bookonce/telegram";
import { Bot, type Context, type SessionFlavor, session, webhookCallback } from "grammy";
import type { Update } from "grammy/types";
import { Telegraf, type Context as TelegrafContext, session as telegrafSession } from "telegraf";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { cuttable, overWire, rows, type Salon, salon } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => db.clock.reset());
afterAll(() => db.drop());

const secretToken = "s3cret-Token_1";

const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 20_000 });

/** An HTTP server over Request and Response, closed when the test ends. */
async function serve(respond: (request: Request) => Promise<Response>): Promise<string> {
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

async function setWebhook(at: Salon, url: string): Promise<void> {
  await at.api.call("setWebhook", { url, secret_token: secretToken }, { signal: AbortSignal.timeout(5_000) });
}

/** What every bot does here: a donation of its own, and a word to who has booked. */
const donation = {
  title: "Thanks",
  description: "A donation",
  payload: "donation-1",
  currency: "XTR",
  prices: [{ label: "x", amount: 5 }],
};

interface Told {
  donations: number;
  handled: string[];
}

function grammyBot(at: Salon, told: Told, options: MiddlewareOptions<Context> = {}, telegram?: Telegram) {
  const bot = new Bot<Context & SessionFlavor<object>>(at.bot.token, { client: { apiRoot: at.fake.url } });
  bot.api.config.use(autoRetry());
  const layer = telegram ?? at.another(db.bookonce, { api: grammyApi(bot.api) });
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

function telegrafBot(at: Salon, told: Told, options: MiddlewareOptions<TelegrafContext> = {}, telegram?: Telegram) {
  const bot = new Telegraf(at.bot.token, {
    handlerTimeout: Number.POSITIVE_INFINITY,
    telegram: { apiRoot: at.fake.url, webhookReply: false },
  });
  const layer = telegram ?? at.another(db.bookonce, { api: telegrafApi(bot.telegram) });
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

const ways: [string, (at: Salon, told: Told) => Promise<void>][] = [
  [
    "grammY, long polling",
    async (at, told) => {
      const bot = grammyBot(at, told);
      await new Promise<void>((resolve, reject) => void bot.start({ onStart: () => resolve() }).catch(reject));
      onTestFinished(() => bot.stop());
    },
  ],
  [
    "grammY, its own webhook",
    async (at, told) => {
      const bot = grammyBot(at, told, { delivery: "webhook" });
      await bot.init();
      await setWebhook(at, await serve(webhookCallback(bot, "std/http", { secretToken })));
    },
  ],
  [
    "grammY behind telegramWebhook",
    async (at, told) => {
      const bot = grammyBot(at, told);
      await bot.init();
      const telegram = at.another(db.bookonce, { api: grammyApi(bot.api) });
      const next = (update: Update) => bot.handleUpdate(update);
      await setWebhook(at, await serve(telegramWebhook(telegram, { secretToken, next })));
    },
  ],
  [
    "Telegraf, long polling",
    async (at, told) => {
      const bot = telegrafBot(at, told);
      await new Promise<void>((resolve, reject) => void bot.launch({}, () => resolve()).catch(reject));
      onTestFinished(() => bot.stop());
    },
  ],
  [
    "Telegraf behind telegramWebhook",
    async (at, told) => {
      const bot = telegrafBot(at, told);
      bot.botInfo = await bot.telegram.getMe();
      const telegram = at.another(db.bookonce, { api: telegrafApi(bot.telegram) });
      const next = (update: Parameters<typeof bot.handleUpdate>[0]) => bot.handleUpdate(update);
      await setWebhook(at, await serve(telegramWebhook(telegram, { secretToken, next })));
    },
  ],
];

const state = async (booking: BookingView) => (await db.bookonce.bookings.get(booking.id))?.state;

describe.each(ways)("%s", (name, start) => {
  test("sells a slot, twice in a row (B32), refuses a stranger (B37), and leaves the bot's own payments to it", async () => {
    const at = await salon(db);
    const told: Told = { donations: 0, handled: [] };
    await start(at, told);
    const [alice, mallory] = [at.person(), at.person()];
    for (let n = 0; n < 2; n += 1) {
      const booking = await at.reserve(alice);
      const link = await at.link(booking);
      expect(await mallory.pay(link)).toMatchObject({
        outcome: "rejected",
        message: expect.stringContaining("somebody else"),
      });
      expect(await alice.pay(link)).toMatchObject({ outcome: "paid" });
      await eventually(() => state(booking)).toBe("confirmed");
    }
    await alice.send("/donate");
    expect(await alice.pay()).toMatchObject({ outcome: "paid" });
    await eventually(() => told.donations).toBe(1);
    const own = name.endsWith("telegramWebhook");
    expect(told.handled).toEqual(own ? [] : ["declined", "approved", "booked", "declined", "approved", "booked"]);
    const audit = await at.telegram.auditLedger();
    expect(audit).toMatchObject({ telegram: { charges: 2, stars: 200 }, missing: [], ok: true });
  });

  test("a receipt that comes twice has one effect (B18), whether under one update id or two", async () => {
    const at = await salon(db);
    const told: Told = { donations: 0, handled: [] };
    await start(at, told);
    const alice = at.person();
    for (const receipt of ["twice-same-update-id", "twice-new-update-id"] as const) {
      const booking = await at.reserve(alice);
      const faults = { receipt, receiptBeforeAnswerReturns: true, preCheckoutTwice: true };
      expect(await alice.pay(await at.link(booking), { faults })).toMatchObject({ outcome: "paid" });
      await eventually(() => state(booking)).toBe("confirmed");
      await eventually(() => at.fake.updates.pending(at.bot)).toEqual([]);
      expect(await rows(db, "payments", "booking_id = $1", booking.id)).toHaveLength(1);
    }
    expect(await alice.stars()).toBe(800);
  });
});

test("S3: with auto-retry installed, a failing answer is given up in time, not minutes late", async () => {
  const at = await salon(db);
  const bot = new Bot(at.bot.token, { client: { apiRoot: at.fake.url } });
  bot.api.config.use(autoRetry());
  const telegram = at.another(db.bookonce, { api: grammyApi(bot.api), deadlines: { answerMs: 300 } });
  await at.fake.faults.serverError("answerPreCheckoutQuery", { times: "always" });
  const alice = at.person();
  void alice.pay(await at.link(await at.reserve(alice))).catch(() => undefined);
  const [update] = await at.take();
  expect(await telegram.handleUpdate(update)).toMatchObject({ outcome: "approved", answer: "unknown" });
});

test("S3: with auto-retry installed, a short 429 is waited for and the answer still heard", async () => {
  const at = await salon(db);
  const bot = new Bot(at.bot.token, { client: { apiRoot: at.fake.url } });
  bot.api.config.use(autoRetry());
  const telegram = at.another(db.bookonce, { api: grammyApi(bot.api) });
  await at.fake.faults.tooManyRequests("answerPreCheckoutQuery", { retryAfter: 1 });
  const alice = at.person();
  const paying = alice.pay(await at.link(await at.reserve(alice)));
  const [update] = await at.take();
  expect(await telegram.handleUpdate(update)).toMatchObject({ outcome: "approved", answer: "sent" });
  expect(await paying).toMatchObject({ outcome: "paid" });
});

test("B11: what the bot's own words throw does not undo the booking, and is reported", async () => {
  const at = await salon(db);
  const told: Told = { donations: 0, handled: [] };
  const bot = grammyBot(at, told, { onHandled: () => Promise.reject(new Error("sendMessage failed")) });
  await bot.init();
  const alice = at.person();
  const booking = await at.reserve(alice);
  const paying = alice.pay(await at.link(booking));
  for (let n = 0; n < 2; n += 1) {
    const updates: Update[] = JSON.parse(JSON.stringify(await at.take()));
    for (const update of updates) await bot.handleUpdate(update);
  }
  await paying;
  expect(await state(booking)).toBe("confirmed");
  expect(at.errors).toHaveLength(2);
});

test("B16: the database is away: 503, Telegram delivers again, and the receipt has one effect", async () => {
  const at = await salon(db, { fake: { clock: "manual" } });
  const wire = await cuttable(db.url);
  const telegram = at.another(overWire(db, wire.url), { deadlines: { recordMs: 200 } });
  const statuses: number[] = [];
  const respond = telegramWebhook(telegram, { secretToken, retryAfterSeconds: 3 });
  const url = await serve(async (request) => {
    const response = await respond(request);
    statuses.push(response.status);
    return response;
  });
  await wire.cut();
  await setWebhook(at, url);
  const alice = at.person();
  const booking = await at.reserve(alice);
  await alice.pay(await at.link(booking), { faults: { skipPreCheckout: true } });
  await eventually(() => statuses).toEqual([503]);
  expect(await state(booking)).toBe("held");
  await wire.mend();
  const delivered = async () => {
    await at.fake.clock.advance({ seconds: 4 });
    return statuses.at(-1);
  };
  await eventually(delivered).toBe(200);
  expect(await state(booking)).toBe("confirmed");
  expect(await rows(db, "payments", "booking_id = $1", booking.id)).toHaveLength(1);
});

test("B16: grammY's own webhook: what could not be stored rejects, so that Telegram delivers again", async () => {
  const at = await salon(db, { fake: { clock: "manual" } });
  const wire = await cuttable(db.url);
  const telegram = at.another(overWire(db, wire.url), { deadlines: { recordMs: 200 } });
  const bot = grammyBot(at, { donations: 0, handled: [] }, { delivery: "webhook" }, telegram);
  await bot.init();
  const url = await serve((request) =>
    webhookCallback(bot, "std/http", { secretToken })(request).catch(() => new Response(null, { status: 500 })),
  );
  await wire.cut();
  await setWebhook(at, url);
  const alice = at.person();
  const booking = await at.reserve(alice);
  await alice.pay(await at.link(booking), { faults: { skipPreCheckout: true } });
  await eventually(() => at.errors.length).toBeGreaterThanOrEqual(1);
  await wire.mend();
  const delivered = async () => {
    await at.fake.clock.advance({ seconds: 60 });
    return state(booking);
  };
  await eventually(delivered).toBe("confirmed");
});

test("B20, B21: long polling while the database is away: nothing is confirmed to nobody, the receipt is stored when it is back", async () => {
  const at = await salon(db);
  const wire = await cuttable(db.url);
  const telegram = at.another(overWire(db, wire.url), { deadlines: { recordMs: 200 } });
  const bot = telegrafBot(at, { donations: 0, handled: [] }, {}, telegram);
  await wire.cut();
  await new Promise<void>((resolve, reject) => void bot.launch({}, () => resolve()).catch(reject));
  onTestFinished(() => bot.stop());
  const alice = at.person();
  const booking = await at.reserve(alice);
  await alice.pay(await at.link(booking), { faults: { skipPreCheckout: true } });
  await eventually(() => at.errors.length).toBeGreaterThanOrEqual(2);
  await wire.mend();
  await eventually(() => state(booking)).toBe("confirmed");
});

test("B17: fifty receipts at once behind a webhook are all stored", async () => {
  const at = await salon(db);
  await setWebhook(at, await serve(telegramWebhook(at.telegram, { secretToken })));
  const people = Array.from({ length: 50 }, () => at.person());
  const bookings: BookingView[] = [];
  for (const person of people) bookings.push(await at.reserve(person));
  const links = await Promise.all(bookings.map((booking) => at.link(booking)));
  const outcomes = await Promise.all(people.map((person, n) => person.pay(links[n])));
  expect(outcomes.every(({ outcome }) => outcome === "paid")).toBe(true);
  await eventually(async () => new Set(await Promise.all(bookings.map(state)))).toEqual(new Set(["confirmed"]));
});

test("an invoice in the chat is paid once; the receipt has no chat that matters", async () => {
  const at = await salon(db);
  await setWebhook(at, await serve(telegramWebhook(at.telegram, { secretToken })));
  const group = await at.fake.group("Friends");
  const alice = at.person();
  const booking = await at.reserve(alice);
  const params = { ...starsInvoice({ booking, title: "Lesson", description: "One hour", chatId: group.id }) };
  await at.api.call("sendInvoice", params, { signal: AbortSignal.timeout(5_000) });
  expect(await alice.pay(undefined, { group: group.id })).toMatchObject({ outcome: "paid" });
  await eventually(() => state(booking)).toBe("confirmed");
});
