import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FakeTelegramOptions } from "bookonce/testing";
import { webhookCallback } from "grammy";
import { expect, onTestFinished, test } from "vitest";
import { call, fakeTelegram, grammyBot, shop, telegrafBot } from "./bots.ts";

/** An HTTP server that is closed when the test ends; returns its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

interface Delivery {
  update: {
    update_id: number;
    message?: { text?: string; successful_payment?: object };
    pre_checkout_query?: { id: string };
  };
  headers: IncomingMessage["headers"];
  /** The fake's clock, in seconds since the first delivery. */
  second: number;
  reply: (status: number, headers?: Record<string, string>, body?: string) => void;
}

/** A webhook without a framework: `react` decides how each delivery is answered. */
async function rawWebhook(
  react: (delivery: Delivery, n: number) => void,
  options: FakeTelegramOptions = {},
  params: object = {},
) {
  const telegram = await fakeTelegram({ clock: "manual", ...options });
  const bot = telegram.bot();
  const deliveries: Delivery[] = [];
  let start: number | undefined;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const now = await telegram.clock.now();
    start ??= now;
    const delivery: Delivery = {
      update: JSON.parse(text),
      headers: request.headers,
      second: Math.round((now - start) / 1000),
      reply: (status, headers = {}, body = "") => response.writeHead(status, headers).end(body),
    };
    deliveries.push(delivery);
    react(delivery, deliveries.length);
  };
  const url = await serve((request, response) => void receive(request, response));
  await call(telegram, bot.token, "setWebhook", { url, ...params });
  const info = async () => JSON.parse(JSON.stringify((await call(telegram, bot.token, "getWebhookInfo")).body.result));
  return { telegram, bot, deliveries, info, url, alice: telegram.user() };
}

test("a grammY bot behind a webhook with a secret sells for Stars", async () => {
  const telegram = await fakeTelegram();
  const { bot, receipts } = shop(telegram);
  const url = await serve(webhookCallback(bot, "http", { secretToken: "s3cret" }));
  await bot.api.setWebhook(url, { secret_token: "s3cret" });
  const alice = telegram.user();
  await alice.send("/buy");
  expect(await alice.pay()).toMatchObject({ outcome: "paid" });
  await alice.chat.waitFor((message) => message.text === "Thank you!");
  expect(receipts).toHaveLength(1);
  await expect.poll(() => telegram.updates.pending()).toEqual([]);
});

test("a wrong secret is refused by grammY, and the update stays with its error", async () => {
  const telegram = await fakeTelegram({ clock: "manual" });
  const { bot } = shop(telegram);
  const url = await serve(webhookCallback(bot, "http", { secretToken: "s3cret" }));
  await bot.api.setWebhook(url, { secret_token: "guess" });
  await telegram.user().send("/buy");
  await expect
    .poll(() => bot.api.getWebhookInfo())
    .toMatchObject({
      pending_update_count: 1,
      last_error_message: "Wrong response from the webhook: 401 Unauthorized",
    });
});

test("a Telegraf bot answers a callback query in the reply of its webhook", async () => {
  const telegram = await fakeTelegram();
  const bot = telegrafBot(telegram);
  bot.start((ctx) =>
    ctx.reply("When?", { reply_markup: { inline_keyboard: [[{ text: "Ten", callback_data: "10" }]] } }),
  );
  bot.action("10", (ctx) => ctx.answerCbQuery("Booked"));
  const url = await serve(bot.webhookCallback("/hook"));
  await bot.telegram.setWebhook(url);
  const alice = telegram.user();
  await alice.send("/start");
  const pressed = await alice.press("Ten");
  expect(await pressed.answer()).toMatchObject({ text: "Booked" });
});

test("the secret is sent in its header, and only allowed characters are accepted", async () => {
  const { telegram, bot, url, alice, deliveries } = await rawWebhook(
    ({ reply }) => reply(200),
    {},
    { secret_token: "a_b-1" },
  );
  await alice.send("hello");
  await expect.poll(() => deliveries).toHaveLength(1);
  expect(deliveries[0]?.headers["x-telegram-bot-api-secret-token"]).toBe("a_b-1");
  const refused = await call(telegram, bot.token, "setWebhook", { url, secret_token: "no spaces" });
  expect(refused.body.description).toBe("Bad Request: secret token contains unallowed characters");
});

test("any 2xx counts, and nothing else", async () => {
  const statuses = [302, 404, 500, 204];
  const { telegram, alice, deliveries } = await rawWebhook(({ reply }, n) => reply(statuses[n - 1] ?? 200));
  await alice.send("hello");
  await telegram.clock.advance({ seconds: 20 });
  expect(deliveries).toHaveLength(4);
  expect(await telegram.updates.pending()).toEqual([]);
});

test("failures are retried after 0, 2, 4, 8… seconds", async () => {
  const { telegram, alice, deliveries, info } = await rawWebhook(({ reply }, n) => reply(n <= 6 ? 500 : 200));
  await alice.send("hello");
  await telegram.clock.advance({ minutes: 2 });
  expect(deliveries.map((delivery) => delivery.second)).toEqual([0, 0, 2, 6, 14, 30, 62]);
  expect(new Set(deliveries.map((delivery) => delivery.update.update_id)).size).toBe(1);
  expect(await info()).toMatchObject({
    pending_update_count: 0,
    last_error_message: "Wrong response from the webhook: 500 Internal Server Error",
  });
});

test("Retry-After is honoured", async () => {
  const { telegram, alice, deliveries } = await rawWebhook(({ reply }, n) =>
    n === 1 ? reply(503, { "retry-after": "30" }) : reply(200),
  );
  await alice.send("hello");
  await telegram.clock.advance({ seconds: 29 });
  expect(deliveries).toHaveLength(1);
  await telegram.clock.advance({ seconds: 1 });
  expect(deliveries.map((delivery) => delivery.second)).toEqual([0, 30]);
});

test("a webhook that nobody serves is a failure, and the update waits for one that answers", async () => {
  const { telegram, bot, alice, deliveries, info, url } = await rawWebhook(({ reply }) => reply(200));
  await call(telegram, bot.token, "setWebhook", { url: "http://127.0.0.1:9/" });
  await alice.send("hello");
  await expect.poll(info).toMatchObject({ pending_update_count: 1, last_error_message: "Webhook connection closed" });
  await call(telegram, bot.token, "setWebhook", { url });
  await expect.poll(() => deliveries).toHaveLength(1);
});

test("a message that keeps failing blocks the later ones of its chat, and of no other", async () => {
  const { telegram, alice, deliveries } = await rawWebhook(({ update, reply }) =>
    reply(update.message?.text === "poison" ? 500 : 200),
  );
  const bob = telegram.user();
  await alice.send("poison");
  await alice.send("after the poison");
  await bob.send("elsewhere");
  await telegram.clock.advance({ hours: 1 });
  const texts = new Set(deliveries.map((delivery) => delivery.update.message?.text));
  expect(texts).toEqual(new Set(["poison", "elsewhere"]));
  expect(await telegram.updates.pending()).toMatchObject([
    { message: { text: "poison" } },
    { message: { text: "after the poison" } },
  ]);
});

test("max_connections limits how many deliveries are open at once", async () => {
  const open: Delivery[] = [];
  const { telegram, alice } = await rawWebhook((delivery) => open.push(delivery), {}, { max_connections: 2 });
  for (const person of [alice, telegram.user(), telegram.user()]) await person.send(`from ${person.firstName}`);
  await expect.poll(() => open).toHaveLength(2);
  open.splice(0, 1)[0]?.reply(200);
  await expect.poll(() => telegram.updates.pending()).toHaveLength(2);
  await expect.poll(() => open).toHaveLength(2);
  for (const delivery of open) delivery.reply(200);
  await expect.poll(() => telegram.updates.pending()).toEqual([]);
});

test("a message is dropped as soon as its next try would come after 24 hours, and the chat goes on", async () => {
  const { telegram, alice, deliveries } = await rawWebhook(({ update, reply }) =>
    reply(update.message?.text === "poison" ? 503 : 200, { "retry-after": "3500" }),
  );
  await alice.send("poison");
  await telegram.clock.advance({ hours: 23 });
  expect(await telegram.updates.pending()).toHaveLength(1);
  await telegram.clock.advance({ minutes: 30 });
  expect(await telegram.updates.pending()).toEqual([]);
  await alice.send("after the poison");
  await expect.poll(() => deliveries.at(-1)?.update.message?.text).toBe("after the poison");
});

/** Sends one pre-checkout query to a raw webhook. */
async function preCheckout(react: (delivery: Delivery, n: number) => void, options?: FakeTelegramOptions) {
  const setUp = await rawWebhook(react, options);
  const { telegram, bot, alice } = setUp;
  const prices = [{ label: "Cut", amount: 100 }];
  const invoice = { title: "Cut", description: "Cut", payload: "p", currency: "XTR", prices };
  const link = String((await call(telegram, bot.token, "createInvoiceLink", invoice)).body.result);
  return { ...setUp, paying: alice.pay(link) };
}

test("a failing pre-checkout query is retried for 150 seconds, long after the buyer has given up", async () => {
  const { telegram, deliveries, paying } = await preCheckout(({ reply }) => reply(500));
  await expect.poll(() => deliveries.length).toBeGreaterThan(1);
  await telegram.clock.advance({ minutes: 10 });
  expect(await paying).toEqual({ outcome: "timeout" });
  const last = deliveries.at(-1)?.second ?? 0;
  expect(last).toBeGreaterThan(10);
  expect(last).toBeLessThanOrEqual(150);
  expect(await telegram.updates.pending()).toEqual([]);
});

test("the receipt can arrive while the pre-checkout delivery of the same buyer is still open", async () => {
  const open: Delivery[] = [];
  const { telegram, bot, alice, deliveries, paying } = await preCheckout((delivery) => {
    if (delivery.update.pre_checkout_query) open.push(delivery);
    else delivery.reply(200);
  });
  await alice.send("a message of the same person");
  await expect.poll(() => open).toHaveLength(1);
  const params = { pre_checkout_query_id: open[0]?.update.pre_checkout_query?.id, ok: true };
  await call(telegram, bot.token, "answerPreCheckoutQuery", params);
  expect(await paying).toMatchObject({ outcome: "paid" });
  await expect.poll(() => deliveries.some((each) => each.update.message?.successful_payment)).toBe(true);
  open[0]?.reply(200);
  await expect.poll(() => telegram.updates.pending()).toEqual([]);
});

test("a webhook that stays silent is given up after the idle time-out, and the update is sent again", async () => {
  const silent: Delivery[] = [];
  const { telegram, alice, deliveries, info } = await rawWebhook(
    (delivery, n) => {
      if (n === 1) silent.push(delivery);
      else delivery.reply(200);
    },
    { settleMilliseconds: 50 },
  );
  await alice.send("hello");
  await expect.poll(() => deliveries).toHaveLength(1);
  await telegram.clock.advance({ seconds: 59 });
  expect(deliveries).toHaveLength(1);
  await telegram.clock.advance({ seconds: 1 });
  await expect.poll(() => deliveries).toHaveLength(2);
  expect(await info()).toMatchObject({ last_error_message: "Read timeout expired" });
});

test("a receipt is delivered again after a 2xx when that fault is asked for", async () => {
  const { telegram, bot, deliveries, alice } = await rawWebhook(({ reply }) => reply(200));
  const prices = [{ label: "Cut", amount: 100 }];
  const invoice = { title: "Cut", description: "Cut", payload: "p", currency: "XTR", prices };
  const link = String((await call(telegram, bot.token, "createInvoiceLink", invoice)).body.result);
  await alice.pay(link, { faults: { skipPreCheckout: true, receipt: "twice-same-update-id" } });
  await expect.poll(() => deliveries).toHaveLength(2);
  expect(deliveries[0]?.update).toEqual(deliveries[1]?.update);
  await expect.poll(() => telegram.updates.pending()).toEqual([]);
});

test("what waited for a poller is pushed once a webhook is set, unless it is to be dropped", async () => {
  const { telegram, bot, alice, deliveries, url } = await rawWebhook(({ reply }) => reply(200));
  await call(telegram, bot.token, "deleteWebhook");
  await alice.send("while nobody listened");
  await call(telegram, bot.token, "setWebhook", { url });
  await expect.poll(() => deliveries).toHaveLength(1);
  await call(telegram, bot.token, "deleteWebhook");
  await alice.send("lost");
  await call(telegram, bot.token, "setWebhook", { url, drop_pending_updates: true });
  await alice.send("seen");
  await expect
    .poll(() => deliveries.map((delivery) => delivery.update.message?.text))
    .toEqual(["while nobody listened", "seen"]);
});

test("a reply may carry a method, but none whose result would matter", async () => {
  const bodies = [{ method: "sendMessage", text: "from the reply" }, { method: "deleteWebhook" }];
  const { telegram, alice, info } = await rawWebhook(({ reply }, n) => {
    const body = { ...bodies[n - 1], chat_id: alice.id };
    reply(200, { "content-type": "application/json" }, JSON.stringify(body));
  });
  await alice.send("one");
  await alice.chat.waitFor((message) => message.text === "from the reply");
  await alice.send("two");
  await expect.poll(() => telegram.updates.pending()).toEqual([]);
  expect((await info()).url).not.toBe("");
});

test("a webhook that is gone (410) for 23 hours is closed", async () => {
  const { telegram, alice, info } = await rawWebhook(({ reply }) => reply(410, { "retry-after": "1800" }));
  await alice.send("hello");
  await telegram.clock.advance({ hours: 12 });
  expect((await info()).url).not.toBe("");
  await telegram.clock.advance({ hours: 11, minutes: 30 });
  expect((await info()).url).toBe("");
});

test("grammY's default handler sees a rejected pre-checkout through its webhook", async () => {
  const telegram = await fakeTelegram();
  const bot = grammyBot(telegram);
  bot.on("pre_checkout_query", (ctx) => ctx.answerPreCheckoutQuery(false, "Taken"));
  await bot.api.setWebhook(await serve(webhookCallback(bot, "http")));
  const link = await bot.api.createInvoiceLink("Cut", "Cut", "p", "", "XTR", [{ label: "Cut", amount: 1 }]);
  expect(await telegram.user().pay(link)).toEqual({ outcome: "rejected", message: "Taken" });
});

test("closing the fake lets a bot that is just answering finish its call", async () => {
  const telegram = await fakeTelegram();
  const bot = grammyBot(telegram);
  const failures: unknown[] = [];
  let finished = false;
  bot.on("message", async (ctx) => {
    await ctx.reply("one").catch((error: unknown) => failures.push(error));
    await ctx.reply("two").catch((error: unknown) => failures.push(error));
    finished = true;
  });
  await bot.api.setWebhook(await serve(webhookCallback(bot, "http")));
  const alice = telegram.user();
  await alice.send("hello");
  await alice.chat.waitFor((message) => message.text === "one");
  await telegram.close();
  expect([finished, failures]).toEqual([true, []]);
});
