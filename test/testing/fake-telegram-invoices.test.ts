import { expect, test } from "vitest";
import { call, fakeTelegram, poll, shop } from "./bots.ts";

const invoice = {
  title: "Haircut",
  description: "At ten",
  payload: "order-1",
  currency: "XTR",
  prices: [{ label: "Cut", amount: 100 }],
};

async function refusal(changes: object): Promise<string | undefined> {
  const telegram = await fakeTelegram();
  const { token } = telegram.bot();
  return (await call(telegram, token, "createInvoiceLink", { ...invoice, ...changes })).body.description;
}

test.each([
  ["an empty payload", { payload: "" }, 'parameter "payload" is required'],
  [
    "a payload of more than 128 bytes, though fewer characters",
    { payload: `${"я".repeat(64)}x` },
    "INVOICE_PAYLOAD_INVALID",
  ],
  ["a title of more than 32 characters", { title: "x".repeat(33) }, "INVOICE_TITLE_INVALID"],
  ["a description of more than 255 characters", { description: "x".repeat(256) }, "INVOICE_DESCRIPTION_INVALID"],
  ["two prices in Stars", { prices: [...invoice.prices, ...invoice.prices] }, "STARS_INVOICE_INVALID"],
  ["a price of zero Stars", { prices: [{ label: "Cut", amount: 0 }] }, "STARS_INVOICE_INVALID"],
  ["a negative price", { prices: [{ label: "Cut", amount: -5 }] }, "STARS_INVOICE_INVALID"],
  ["half a Star", { prices: [{ label: "Cut", amount: 1.5 }] }, "can't parse prices JSON object"],
  ["tips in Stars", { max_tip_amount: 10 }, "STARS_INVOICE_INVALID"],
  ["a mistyped currency", { currency: "XTS" }, "PAYMENT_PROVIDER_INVALID"],
  ["a currency without a provider token", { currency: "USD" }, "PAYMENT_PROVIDER_INVALID"],
  ["a subscription that is not monthly", { subscription_period: 60 }, "SUBSCRIPTION_PERIOD_INVALID"],
])("%s is refused", async (_, changes, text) => {
  expect(await refusal(changes)).toBe(`Bad Request: ${text}`);
});

test("a payload of exactly 128 bytes and a title of 32 characters are accepted", async () => {
  expect(await refusal({ payload: "я".repeat(64), title: "я".repeat(32) })).toBeUndefined();
});

test("an invoice has a Pay button of its own, and a keyboard must begin with one", async () => {
  const telegram = await fakeTelegram();
  const { token } = telegram.bot();
  const alice = telegram.user();
  await alice.send("hello");
  await call(telegram, token, "sendInvoice", { ...invoice, chat_id: alice.id });
  const message = await alice.chat.lastFromBot();
  expect(message?.buttons).toEqual([[{ text: "Pay ⭐️100", pay: true }]]);
  expect(message?.invoice).toEqual({ title: "Haircut", description: "At ten", currency: "XTR", totalAmount: 100 });
  const reply_markup = { inline_keyboard: [[{ text: "Cancel", callback_data: "cancel" }]] };
  const refused = await call(telegram, token, "sendInvoice", { ...invoice, chat_id: alice.id, reply_markup });
  expect(refused.body.description).toBe("Bad Request: REPLY_MARKUP_BUY_EMPTY");
});

async function payable(start_parameter: string) {
  const telegram = await fakeTelegram();
  const { bot } = shop(telegram);
  await poll(bot);
  const [alice, bob] = [telegram.user(), telegram.user()];
  const group = await telegram.group("Friends");
  await alice.send("hello");
  const send = (chat_id: number) => call(telegram, bot.token, "sendInvoice", { ...invoice, chat_id, start_parameter });
  await send(alice.id);
  await send(group.id);
  const [mine, shared] = [await alice.chat.lastFromBot(), await group.chat.lastFromBot()];
  if (!mine || !shared) throw new Error("no invoices");
  return { telegram, alice, bob, mine, shared };
}

test("a single-chat invoice in a private chat is payable once, and not by forwarding", async () => {
  const { alice, bob, mine } = await payable("slot");
  expect(await bob.pay(mine)).toEqual({ outcome: "failed", reason: "INVOICE_NOT_PAYABLE" });
  expect(await alice.pay(mine)).toMatchObject({ outcome: "paid" });
  expect(await alice.pay(mine)).toEqual({ outcome: "failed", reason: "INVOICE_ALREADY_PAID" });
});

test("a single-chat invoice in a group is payable many times, by many", async () => {
  const { alice, bob, shared } = await payable("slot");
  for (const person of [alice, bob, bob]) expect(await person.pay(shared)).toMatchObject({ outcome: "paid" });
});

test("a multi-chat invoice is payable by whoever has a forwarded copy, again and again", async () => {
  const { alice, bob, mine } = await payable("");
  for (const person of [alice, bob, bob, alice]) expect(await person.pay(mine)).toMatchObject({ outcome: "paid" });
});

test("a link is payable by anybody, again and again, by people who never wrote to the bot", async () => {
  const telegram = await fakeTelegram();
  const { bot } = shop(telegram);
  await poll(bot);
  const link = await bot.api.createInvoiceLink("Haircut", "At ten", "order-1", "", "XTR", invoice.prices);
  const [alice, bob] = [telegram.user(), telegram.user()];
  for (const person of [alice, bob, bob]) expect(await person.pay(link)).toMatchObject({ outcome: "paid" });
  await bob.chat.waitFor((message) => message.text === "Thank you!");
  await expect(alice.pay("https://t.me/$nothing")).rejects.toThrow("no such invoice");
});

test("a deleted invoice cannot be paid", async () => {
  const telegram = await fakeTelegram();
  const { bot } = shop(telegram);
  const alice = telegram.user();
  await alice.send("hello");
  await call(telegram, bot.token, "sendInvoice", { ...invoice, chat_id: alice.id });
  const message = await alice.chat.lastFromBot();
  if (!message) throw new Error("no invoice");
  await call(telegram, bot.token, "deleteMessage", { chat_id: alice.id, message_id: message.messageId });
  expect(await alice.pay(message)).toEqual({ outcome: "failed", reason: "INVOICE_NOT_PAYABLE" });
});
