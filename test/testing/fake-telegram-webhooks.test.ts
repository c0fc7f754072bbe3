import { webhookCallback } from "grammy";
import { expect, test } from "vitest";
import { call, fakeTelegram, grammyBot, shop, telegrafBot } from "./bots.ts";
import { rawWebhook, serve } from "./webhooks.ts";

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
