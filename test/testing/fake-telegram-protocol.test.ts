import { expect, test } from "vitest";
import { call, fakeTelegram, grammyBot, poll, telegrafBot } from "./bots.ts";

test("methods are found in any case, by GET and POST, with JSON, urlencoded and multipart parameters", async () => {
  const telegram = await fakeTelegram();
  const { token } = telegram.bot();
  const alice = telegram.user();
  await alice.send("hi");
  const url = `${telegram.url}/bot${token}/SENDmessage`;
  const form = new FormData();
  form.set("chat_id", String(alice.id));
  form.set("text", "multipart");
  await fetch(`${url}?chat_id=${alice.id}&text=query`);
  await fetch(url, { method: "POST", body: new URLSearchParams({ chat_id: String(alice.id), text: "urlencoded" }) });
  await fetch(url, { method: "POST", body: form });
  await call(telegram, token, "sendMessage", { chat_id: alice.id, text: "json" });
  const texts = (await alice.chat.messages()).map((message) => message.text);
  expect(texts).toEqual(["hi", "query", "urlencoded", "multipart", "json"]);
  const calls = await telegram.calls({ method: "sendMessage" });
  expect(calls.map((each) => each.params["text"])).toEqual(["query", "urlencoded", "multipart", "json"]);
});

test("structured parameters may be JSON text, as form bodies have them", async () => {
  const telegram = await fakeTelegram();
  const { token } = telegram.bot();
  const body = new URLSearchParams({
    title: "Cut",
    description: "At ten",
    payload: "p",
    currency: "XTR",
    prices: '[{"label":"Cut","amount":"50"}]',
  });
  const response = await fetch(`${telegram.url}/bot${token}/createInvoiceLink`, { method: "POST", body });
  expect(await response.json()).toMatchObject({ ok: true, result: expect.stringMatching(/^https:\/\/t\.me\/\$/) });
});

test("an unknown token gets 401, an unknown method 404, and the HTTP status is the error code", async () => {
  const telegram = await fakeTelegram();
  const { token } = telegram.bot();
  expect(await call(telegram, "1:unknown", "getMe")).toMatchObject({
    status: 401,
    body: { ok: false, error_code: 401, description: "Unauthorized" },
  });
  expect(await call(telegram, token, "getPizza")).toMatchObject({
    status: 404,
    body: { ok: false, error_code: 404, description: "Not Found: method not found" },
  });
});

test("a bot of the test environment answers under /test/ only, and a production bot only without it", async () => {
  const telegram = await fakeTelegram();
  const production = telegram.bot();
  const test = telegram.bot({ environment: "test", username: "test_bot" });
  expect((await call(telegram, production.token, "getMe")).status).toBe(200);
  expect((await call(telegram, production.token, "test/getMe")).status).toBe(401);
  expect((await call(telegram, test.token, "getMe")).status).toBe(401);
  expect((await call(telegram, test.token, "test/getMe")).body).toMatchObject({ result: { username: "test_bot" } });
});

test("several bots on one server have their own chats, updates and balances", async () => {
  const telegram = await fakeTelegram();
  const [one, two] = [telegram.bot({ token: "11:one" }), telegram.bot({ token: "22:two" })];
  const alice = telegram.user();
  await alice.send("to one", { bot: one.id });
  expect(await telegram.updates.pending(one)).toHaveLength(1);
  expect(await telegram.updates.pending(two)).toHaveLength(0);
  expect(await alice.chatWith(one).messages()).toHaveLength(1);
  expect(await alice.chatWith(two).messages()).toHaveLength(0);
  await expect(alice.send("to whom?")).rejects.toThrow("several bots");
});

test("strict mode refuses parameters that a payment method does not have, and required ones that are missing", async () => {
  const telegram = await fakeTelegram();
  const { token } = telegram.bot();
  const wrong = await call(telegram, token, "refundStarPayment", { user_id: 1, charge_id: "x" });
  expect(wrong.body.description).toBe('Bad Request: strict mode: refundStarPayment has no parameter "charge_id"');
  const missing = await call(telegram, token, "answerPreCheckoutQuery", { pre_checkout_query_id: "1" });
  expect(missing.body.description).toBe('Bad Request: strict mode: answerPreCheckoutQuery needs the parameter "ok"');
});

test("without strict mode unknown parameters are ignored and a missing ok counts as false, as at Telegram", async () => {
  const telegram = await fakeTelegram({ strict: false });
  const { token } = telegram.bot();
  const reply = await call(telegram, token, "answerPreCheckoutQuery", { pre_checkout_query_id: "1", okay: true });
  expect(reply.body.description).toBe('Bad Request: parameter "error_message" is required');
});

test("Telegram's refusals of messages keep their texts", async () => {
  const telegram = await fakeTelegram();
  const { token } = telegram.bot();
  const alice = telegram.user();
  const send = (params: object) => call(telegram, token, "sendMessage", params);
  expect((await send({ chat_id: alice.id, text: "x" })).body.description).toBe("Bad Request: chat not found");
  await alice.send("hello");
  expect((await send({ chat_id: alice.id, text: " " })).body.description).toBe("Bad Request: message text is empty");
  expect((await send({ chat_id: alice.id, text: "<b>Ten</b> &amp; eleven", parse_mode: "HTML" })).status).toBe(200);
  expect((await alice.chat.lastFromBot())?.text).toBe("Ten & eleven");
  await alice.block();
  const blocked = await send({ chat_id: alice.id, text: "x" });
  expect(blocked).toMatchObject({ status: 403, body: { description: "Forbidden: bot was blocked by the user" } });
  await alice.send("I am back");
  expect((await send({ chat_id: alice.id, text: "x" })).status).toBe(200);
});

test("messages are edited and deleted, and an edit that changes nothing is refused", async () => {
  const telegram = await fakeTelegram();
  const bot = grammyBot(telegram);
  const alice = telegram.user();
  await alice.send("hello");
  const { message_id } = await bot.api.sendMessage(alice.id, "one");
  await bot.api.editMessageText(alice.id, message_id, "two");
  expect(await alice.chat.lastFromBot()).toMatchObject({ text: "two", edited: true });
  await expect(bot.api.editMessageText(alice.id, message_id, "two")).rejects.toThrow("message is not modified");
  await bot.api.deleteMessage(alice.id, message_id);
  expect(await alice.chat.lastFromBot()).toBeUndefined();
  await expect(bot.api.deleteMessage(alice.id, message_id)).rejects.toThrow("message to delete not found");
});

test("a pressed button reaches a grammY bot as a callback query, and the answer reaches the person", async () => {
  const telegram = await fakeTelegram();
  const bot = grammyBot(telegram);
  bot.command("start", (ctx) =>
    ctx.reply("When?", { reply_markup: { inline_keyboard: [[{ text: "Ten", callback_data: "slot:10" }]] } }),
  );
  bot.callbackQuery(/^slot:(\d+)$/, async (ctx) => {
    await ctx.answerCallbackQuery({ text: "Done", show_alert: true });
    await ctx.editMessageText(`Booked ${ctx.match[1]}`);
  });
  await poll(bot);
  const alice = telegram.user();
  await alice.send("/start");
  const question = await alice.chat.waitFor((message) => message.text === "When?");
  const pressed = await alice.press("Ten");
  expect(await pressed.answer()).toEqual({ text: "Done", showAlert: true, url: "" });
  await alice.chat.waitFor((message) => message.text === "Booked 10");
  // The button is gone, but a screen may still show it.
  const stale = await alice.press("slot:10", { on: question });
  expect(await stale.answer()).toMatchObject({ text: "Done" });
});

test("a Telegraf bot polls, answers commands and sends a document", async () => {
  const telegram = await fakeTelegram();
  const bot = telegrafBot(telegram);
  bot.command("file", (ctx) => ctx.replyWithDocument({ source: Buffer.from("BEGIN:VCALENDAR"), filename: "slot.ics" }));
  const launched = bot.launch();
  const alice = telegram.user();
  await alice.send("/file");
  const message = await alice.chat.waitFor((each) => each.message["document"] !== undefined);
  expect(message.message["document"]).toMatchObject({ file_name: "slot.ics", file_size: 15 });
  bot.stop();
  await launched;
});

test("a grammY bot sends a document", async () => {
  const telegram = await fakeTelegram();
  const bot = grammyBot(telegram);
  const alice = telegram.user();
  await alice.send("hello");
  const { InputFile } = await import("grammy");
  await bot.api.sendDocument(alice.id, new InputFile(Buffer.from("BEGIN"), "slot.ics"), { caption: "Your slot" });
  const message = await alice.chat.lastFromBot();
  expect(message).toMatchObject({ text: "Your slot", message: { document: { file_name: "slot.ics", file_size: 5 } } });
});

test("waitFor tells what the chat held when nothing came", async () => {
  const telegram = await fakeTelegram();
  telegram.bot();
  const alice = telegram.user();
  await alice.send("anybody there?");
  await expect(alice.chat.waitFor(() => true, { timeout: 10 })).rejects.toThrow("user: anybody there?");
});
