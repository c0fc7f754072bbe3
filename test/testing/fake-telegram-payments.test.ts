import { expect, test } from "vitest";
import { call, fakeTelegram, grammyBot, poll, shop, silentBot, telegrafBot } from "./bots.ts";

const prices = [{ label: "Cut", amount: 100 }];

const TOO_OLD = "Bad Request: query is too old and response timeout expired or query ID is invalid";

test("a person writes to a grammY bot, pays its invoice in Stars and gets an answer", async () => {
  const telegram = await fakeTelegram();
  const { bot, receipts } = shop(telegram, 250);
  await poll(bot);
  const alice = telegram.user({ firstName: "Alice", stars: 1000 });
  await alice.send("/buy");
  const outcome = await alice.pay();
  if (outcome.outcome !== "paid") throw new Error(outcome.outcome);
  await alice.chat.waitFor((message) => message.text === "Thank you!");
  expect(receipts).toEqual([outcome.chargeId]);
  expect(await alice.stars()).toBe(750);
  const ledger = await telegram.ledger.read();
  expect(ledger.charges).toMatchObject([
    { chargeId: outcome.chargeId, userId: alice.id, amount: 250, payload: "order-1" },
  ]);
  expect(ledger.balances).toEqual([{ bot: bot.botInfo.id, stars: 250 }]);
  expect(ledger.problems).toEqual([]);
});

test("a Telegraf bot sells for Stars", async () => {
  const telegram = await fakeTelegram();
  const bot = telegrafBot(telegram);
  bot.command("buy", (ctx) =>
    ctx.replyWithInvoice({
      title: "Cut",
      description: "Cut",
      payload: "p",
      provider_token: "",
      currency: "XTR",
      prices,
    }),
  );
  bot.on("pre_checkout_query", (ctx) => ctx.answerPreCheckoutQuery(true));
  bot.on("successful_payment", (ctx) => ctx.reply(`Paid ${ctx.message.successful_payment.total_amount}`));
  const launched = bot.launch();
  const alice = telegram.user();
  await alice.send("/buy");
  expect(await alice.pay()).toMatchObject({ outcome: "paid" });
  await alice.chat.waitFor((message) => message.text === "Paid 100");
  bot.stop();
  await launched;
});

test("the buyer sees the bot's own words when it says no, and nothing is charged", async () => {
  const telegram = await fakeTelegram();
  const bot = grammyBot(telegram);
  bot.on("pre_checkout_query", (ctx) => ctx.answerPreCheckoutQuery(false, "Just taken, choose another time."));
  await poll(bot);
  const alice = telegram.user();
  const link = await bot.api.createInvoiceLink("Cut", "Cut", "p", "", "XTR", prices);
  expect(await alice.pay(link)).toEqual({ outcome: "rejected", message: "Just taken, choose another time." });
  expect((await telegram.ledger.read()).charges).toEqual([]);
});

test("ten seconds after the query was sent the payment times out, and the answer is too old", async () => {
  const { telegram, link, query, answer } = await silentBot();
  const paying = telegram.user().pay(link);
  const id = await query();
  await telegram.clock.advance({ milliseconds: 9_999 });
  expect(await Promise.race([paying, "still waiting"])).toBe("still waiting");
  await telegram.clock.advance({ milliseconds: 1 });
  expect(await paying).toEqual({ outcome: "timeout" });
  for (const ok of [true, false]) {
    expect(await answer(id, ok, "no")).toMatchObject({ status: 400, body: { description: TOO_OLD } });
  }
  expect((await telegram.ledger.read()).charges).toEqual([]);
});

test("an answer in the last millisecond is in time", async () => {
  const { telegram, link, query, answer } = await silentBot();
  const paying = telegram.user().pay(link);
  const id = await query();
  await telegram.clock.advance({ milliseconds: 9_999 });
  await answer(id, true);
  expect(await paying).toMatchObject({ outcome: "paid" });
});

test("unknown query ids are too old, and a refusal needs its message", async () => {
  const { telegram, link, query, answer } = await silentBot();
  expect((await answer("123", true)).body.description).toBe(TOO_OLD);
  const paying = telegram.user().pay(link);
  const id = await query();
  expect((await answer(id, false)).body.description).toBe('Bad Request: parameter "error_message" is required');
  await answer(id, false, "no");
  expect(await paying).toEqual({ outcome: "rejected", message: "no" });
});

test.each(["too-old", "true"] as const)("a second answer gets %s and never flips the first", async (secondAnswer) => {
  const { telegram, link, query, answer } = await silentBot({ clock: "manual", secondAnswer });
  const paying = telegram.user().pay(link);
  const id = await query();
  await answer(id, false, "no");
  expect((await answer(id, true)).body.description).toBe(secondAnswer === "true" ? undefined : TOO_OLD);
  expect(await paying).toEqual({ outcome: "rejected", message: "no" });
  expect((await telegram.ledger.read()).charges).toEqual([]);
});

test("another bot cannot answer the query", async () => {
  const { telegram, bot, link, query } = await silentBot();
  const stranger = telegram.bot();
  const paying = telegram.user().pay(link, { bot: bot.id });
  const params = { pre_checkout_query_id: await query(), ok: true };
  expect((await call(telegram, stranger.token, "answerPreCheckoutQuery", params)).body.description).toBe(TOO_OLD);
  await telegram.clock.advance({ seconds: 10 });
  expect(await paying).toEqual({ outcome: "timeout" });
});

test("too few Stars or an old form fail in the client, and the bot hears nothing", async () => {
  const { telegram, link } = await silentBot();
  const alice = telegram.user({ stars: 99 });
  expect(await alice.pay(link)).toEqual({ outcome: "failed", reason: "BALANCE_TOO_LOW" });
  await alice.addStars(1);
  const late = await alice.pay(link, { formAge: { minutes: 11 } });
  expect(late).toEqual({ outcome: "failed", reason: "FORM_EXPIRED" });
  expect(await telegram.updates.pending()).toEqual([]);
});

test("a bot whose allowed_updates leave out pre_checkout_query hears nothing, and the payment times out", async () => {
  const { telegram, bot, link } = await silentBot();
  await call(telegram, bot.token, "getUpdates", { allowed_updates: ["message", "callback_query"] });
  const paying = telegram.user().pay(link);
  await expect.poll(async () => (await telegram.updates.pending()).length).toBe(0);
  await telegram.clock.advance({ seconds: 10 });
  expect(await paying).toEqual({ outcome: "timeout" });
});

test("a receipt not fetched for 24 hours is gone for good, and the ledger still has the charge", async () => {
  const { telegram, bot, link, query, answer } = await silentBot();
  const paying = telegram.user().pay(link);
  await answer(await query(), true);
  const outcome = await paying;
  await telegram.clock.advance({ hours: 24 });
  expect(await telegram.updates.pending()).toEqual([]);
  const { result } = (await call(telegram, bot.token, "getStarTransactions")).body;
  expect(result).toMatchObject({ transactions: [{ id: outcome.outcome === "paid" && outcome.chargeId, amount: 100 }] });
});

test("a receipt for Stars has the payer, the payload and no order details", async () => {
  const { telegram, link, query, answer } = await silentBot();
  const alice = telegram.user({ firstName: "Alice" });
  const paying = alice.pay(link);
  await answer(await query(), true);
  const outcome = await paying;
  const receipt = (await telegram.updates.pending()).at(-1)?.["message"];
  expect(receipt).toMatchObject({
    from: { id: alice.id, first_name: "Alice", is_bot: false },
    chat: { id: alice.id, type: "private" },
    successful_payment: {
      currency: "XTR",
      total_amount: 100,
      invoice_payload: "order-1",
      telegram_payment_charge_id: outcome.outcome === "paid" && outcome.chargeId,
      provider_payment_charge_id: expect.any(String),
    },
  });
  expect(receipt).not.toHaveProperty("successful_payment.order_info");
  expect(receipt).not.toHaveProperty("successful_payment.is_recurring");
});

test("a payment through a provider asks for shipping first, and its total has shipping and tip in it", async () => {
  const telegram = await fakeTelegram();
  const bot = grammyBot(telegram);
  bot.on("shipping_query", (ctx) =>
    ctx.answerShippingQuery(true, {
      shipping_options: [
        { id: "post", title: "Post", prices: [{ label: "Post", amount: 300 }] },
        { id: "courier", title: "Courier", prices: [{ label: "Courier", amount: 900 }] },
      ],
    }),
  );
  const seen: unknown[] = [];
  bot.on("pre_checkout_query", async (ctx) => {
    seen.push(ctx.preCheckoutQuery.total_amount, ctx.preCheckoutQuery.order_info?.shipping_address?.city);
    await ctx.answerPreCheckoutQuery(true);
  });
  bot.on("message:successful_payment", (ctx) => {
    seen.push(ctx.message.successful_payment.shipping_option_id);
  });
  await poll(bot);
  const link = await bot.api.createInvoiceLink(
    "Soap",
    "Soap",
    "p",
    "1:TEST:1",
    "USD",
    [{ label: "Soap", amount: 1000 }],
    {
      need_shipping_address: true,
      is_flexible: true,
      max_tip_amount: 50,
    },
  );
  const alice = telegram.user({ stars: 0 });
  const outcome = await alice.pay(link, { shippingOption: "courier", tip: 70 });
  expect(outcome).toMatchObject({ outcome: "paid" });
  await expect.poll(() => seen).toEqual([1950, "Tashkent", "courier"]);
  const ledger = await telegram.ledger.read();
  expect(ledger.charges).toMatchObject([{ currency: "USD", amount: 1950 }]);
  expect(ledger.transactions).toEqual([]);
});

test("a subscription renews with a new charge id, the same payload and no pre-checkout, until the bot cancels it", async () => {
  const telegram = await fakeTelegram();
  const { bot, queries } = shop(telegram);
  const receipts: object[] = [];
  bot.on("message:successful_payment", (ctx) => {
    receipts.push(ctx.message.successful_payment);
  });
  const updates: unknown[] = [];
  bot.use((ctx, next) => {
    if ("subscription" in ctx.update) updates.push(ctx.update.subscription);
    return next();
  });
  await poll(bot);
  const link = await bot.api.createInvoiceLink("Club", "Monthly", "club", "", "XTR", prices, {
    subscription_period: 2592000,
  });
  const alice = telegram.user();
  const first = await alice.pay(link);
  if (first.outcome !== "paid") throw new Error(first.outcome);
  const second = await telegram.renewSubscription(first.chargeId);
  expect(second).not.toBe(first.chargeId);
  const balance = (await telegram.ledger.read()).balances[0]?.stars;
  expect(balance).toBe(200);
  expect(queries).toHaveLength(1);
  await alice.cancelSubscription(second);
  await expect(telegram.renewSubscription(second)).rejects.toThrow("cancelled");
  await alice.cancelSubscription(second, false);
  await expect
    .poll(() => updates)
    .toMatchObject([
      { invoice_payload: "club", state: "canceled" },
      { invoice_payload: "club", state: "active" },
    ]);
  await bot.api.editUserStarSubscription(alice.id, first.chargeId, true);
  await expect(telegram.renewSubscription(first.chargeId)).rejects.toThrow("cancelled");
  await expect(bot.api.editUserStarSubscription(alice.id, "nothing", true)).rejects.toThrow("CHARGE_NOT_FOUND");
});
