import type { PaymentFaults } from "bookonce/testing";
import { Api, GrammyError, HttpError } from "grammy";
import { expect, test } from "vitest";
import { call, fakeTelegram, grammyBot, poll, shop, silentBot } from "./bots.ts";

/** A grammY shop, and one payment with these faults. */
async function buy(faults: PaymentFaults) {
  const telegram = await fakeTelegram();
  const { bot, receipts, updateIds, queries } = shop(telegram);
  await poll(bot);
  const alice = telegram.user();
  await alice.send("/buy");
  await alice.chat.waitFor((message) => message.invoice !== undefined);
  const outcome = await alice.pay(undefined, { faults });
  // The echo of a later message proves that everything before it has been handled.
  await alice.send("ping");
  await alice.chat.waitFor((message) => message.text === "pong");
  const { charges, problems } = await telegram.ledger.read();
  expect(problems).toEqual([]);
  return { telegram, alice, outcome, receipts, updateIds, queries, charges: charges.map((charge) => charge.chargeId) };
}

test("approved, and never charged", async () => {
  const { outcome, charges, receipts, alice } = await buy({ neverCharge: true });
  expect(outcome).toEqual({ outcome: "failed", reason: "PAYMENT_FAILED" });
  expect([charges, receipts]).toEqual([[], []]);
  expect(await alice.stars()).toBe(1000);
});

test("charged a long time after the approval", async () => {
  const { telegram, link, query, answer } = await silentBot();
  const alice = telegram.user();
  const paying = alice.pay(link, { faults: { chargeDelay: { minutes: 20 } } });
  await answer(await query(), true);
  await telegram.clock.advance({ minutes: 19 });
  expect((await telegram.ledger.read()).charges).toEqual([]);
  await telegram.clock.advance({ minutes: 1 });
  expect(await paying).toMatchObject({ outcome: "paid" });
  expect((await telegram.ledger.read()).charges).toHaveLength(1);
});

test("charged twice, each with its own charge id and receipt", async () => {
  const { charges, receipts, alice } = await buy({ charges: 2 });
  expect(new Set(charges).size).toBe(2);
  expect(receipts).toEqual(charges);
  expect(await alice.stars()).toBe(800);
});

test("charged although the client shows a failure", async () => {
  const { outcome, charges, receipts } = await buy({ clientSeesFailure: true });
  expect(outcome).toEqual({ outcome: "failed", reason: "PAYMENT_FAILED" });
  expect(charges).toHaveLength(1);
  expect(receipts).toEqual(charges);
});

test("charged, and the receipt is lost", async () => {
  const { outcome, charges, receipts } = await buy({ receipt: "lost" });
  expect(outcome).toMatchObject({ outcome: "paid", chargeId: charges[0] });
  expect(receipts).toEqual([]);
});

test("one receipt twice under one update_id", async () => {
  const { charges, receipts, updateIds } = await buy({ receipt: "twice-same-update-id" });
  expect(charges).toHaveLength(1);
  expect(receipts).toEqual([charges[0], charges[0]]);
  expect(new Set(updateIds).size).toBe(1);
});

test("one receipt twice under two update_ids", async () => {
  const { charges, receipts, updateIds } = await buy({ receipt: "twice-new-update-id" });
  expect(charges).toHaveLength(1);
  expect(receipts).toEqual([charges[0], charges[0]]);
  expect(new Set(updateIds).size).toBe(2);
});

test("charged without a pre-checkout query", async () => {
  const { charges, receipts, queries } = await buy({ skipPreCheckout: true });
  expect(queries).toEqual([]);
  expect(receipts).toEqual(charges);
});

test("one pre-checkout query twice: the second answer is too old, and there is one charge", async () => {
  const { charges, queries } = await buy({ preCheckoutTwice: true });
  expect(queries).toHaveLength(2);
  expect(new Set(queries).size).toBe(1);
  expect(charges).toHaveLength(1);
});

test("the receipt is queued late", async () => {
  const { telegram, link, query, answer } = await silentBot();
  const paying = telegram.user().pay(link, { faults: { receiptDelay: { hours: 2 } } });
  await answer(await query(), true);
  expect(await paying).toMatchObject({ outcome: "paid" });
  const receipts = async () => (await telegram.updates.pending()).filter((update) => update["message"]);
  await telegram.clock.advance({ minutes: 119 });
  expect(await receipts()).toEqual([]);
  await telegram.clock.advance({ minutes: 1 });
  expect(await receipts()).toHaveLength(1);
});

test("the receipt is handed over before the answering call returns", async () => {
  const { telegram, bot, link, query, answer } = await silentBot();
  const alice = telegram.user();
  const paying = alice.pay(link, { faults: { receiptBeforeAnswerReturns: true } });
  const id = await query();
  const order: string[] = [];
  const answering = answer(id, true).then(() => order.push("answered"));
  await expect.poll(async () => (await telegram.updates.pending()).some((update) => update["message"])).toBe(true);
  expect(order).toEqual([]);
  const updates = await call(telegram, bot.token, "getUpdates");
  order.push("receipt");
  expect(JSON.stringify(updates.body)).toContain("successful_payment");
  await answering;
  expect(order).toEqual(["receipt", "answered"]);
  expect(await paying).toMatchObject({ outcome: "paid" });
});

test("an answer gets true and counts for nothing", async () => {
  const { telegram, link, query, answer } = await silentBot();
  const paying = telegram.user().pay(link, { faults: { ignoreAnswer: true } });
  expect((await answer(await query(), true)).body).toEqual({ ok: true, result: true });
  await telegram.clock.advance({ seconds: 10 });
  expect(await paying).toEqual({ outcome: "timeout" });
});

test("faults for the next payment wait for the person they are meant for", async () => {
  const { telegram, link } = await silentBot();
  const [alice, bob] = [telegram.user(), telegram.user()];
  await telegram.faults.payment({ skipPreCheckout: true, neverCharge: true }, { user: alice });
  await telegram.faults.payment({ skipPreCheckout: true }, { times: "always" });
  expect(await bob.pay(link)).toMatchObject({ outcome: "paid" });
  expect(await alice.pay(link)).toMatchObject({ outcome: "failed" });
  expect(await alice.pay(link)).toMatchObject({ outcome: "paid" });
  await telegram.faults.clear();
  const asked = alice.pay(link);
  await telegram.clock.advance({ seconds: 10 });
  expect(await asked).toEqual({ outcome: "timeout" });
});

test("the answer takes effect, and its reply is lost", async () => {
  const { telegram, link, query, answer } = await silentBot();
  await telegram.faults.replyLost("answerPreCheckoutQuery");
  const paying = telegram.user().pay(link);
  await expect(answer(await query(), true)).rejects.toThrow();
  expect(await paying).toMatchObject({ outcome: "paid" });
});

test("the answer takes effect, and its reply never comes: grammY sees its own deadline", async () => {
  const telegram = await fakeTelegram();
  const bot = grammyBot(telegram);
  const impatient = new Api(bot.token, { apiRoot: telegram.url, timeoutSeconds: 0.05 });
  const errors: unknown[] = [];
  bot.on("pre_checkout_query", async (ctx) => {
    await impatient.answerPreCheckoutQuery(ctx.preCheckoutQuery.id, true).catch((error: unknown) => errors.push(error));
  });
  await poll(bot);
  await telegram.faults.hang("answerPreCheckoutQuery");
  const link = await bot.api.createInvoiceLink("Cut", "Cut", "p", "", "XTR", [{ label: "Cut", amount: 1 }]);
  expect(await telegram.user().pay(link)).toMatchObject({ outcome: "paid" });
  await expect.poll(() => errors).toHaveLength(1);
});

test("429 has retry_after in the body and in a header, and happens as often as asked", async () => {
  const telegram = await fakeTelegram();
  const { token } = telegram.bot();
  await telegram.faults.tooManyRequests("getMe", { retryAfter: 7, times: 2 });
  const limited = await call(telegram, token, "getMe");
  expect(limited).toMatchObject({
    status: 429,
    body: { description: "Too Many Requests: retry after 7", parameters: { retry_after: 7 } },
  });
  expect(limited.headers.get("retry-after")).toBe("7");
  expect((await call(telegram, token, "getme")).status).toBe(429);
  expect((await call(telegram, token, "getMe")).status).toBe(200);
});

test("grammY throws its own errors for a 500, for an injected error and for a cut connection", async () => {
  const telegram = await fakeTelegram();
  const bot = grammyBot(telegram);
  await telegram.faults.serverError("getMe");
  await telegram.faults.method("getMe", { error: { code: 403, description: "Forbidden: nobody is home" } });
  await telegram.faults.method("getMe", { reply: "lost" });
  await expect(bot.api.getMe()).rejects.toMatchObject({ error_code: 500 });
  await expect(bot.api.getMe()).rejects.toSatisfy(
    (error) => error instanceof GrammyError && error.description === "Forbidden: nobody is home",
  );
  await expect(bot.api.getMe()).rejects.toBeInstanceOf(HttpError);
  await bot.api.getMe();
});

test("a slow method waits on the fake's clock", async () => {
  const telegram = await fakeTelegram({ clock: "manual" });
  const { token } = telegram.bot();
  await telegram.faults.slow("getMe", { seconds: 30 });
  const slow = call(telegram, token, "getMe").then(() => "replied");
  await expect.poll(async () => (await telegram.calls({ method: "getMe" })).length).toBe(1);
  await telegram.clock.advance({ seconds: 29 });
  expect(await Promise.race([slow, "waiting"])).toBe("waiting");
  await telegram.clock.advance({ seconds: 1 });
  expect(await slow).toBe("replied");
});

test("a slow call does its work in its time although its caller has given up", async () => {
  const telegram = await fakeTelegram({ clock: "manual" });
  const { token } = telegram.bot();
  const alice = telegram.user();
  await alice.send("hello");
  await telegram.faults.slow("sendMessage", { seconds: 30 });
  const params = { chat_id: alice.id, text: "late" };
  await expect(call(telegram, token, "sendMessage", params, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
  expect(await alice.chat.lastFromBot()).toBeUndefined();
  await telegram.clock.advance({ seconds: 30 });
  await alice.chat.waitFor((message) => message.text === "late");
});

test("a call that is ignored returns true and does nothing", async () => {
  const telegram = await fakeTelegram();
  const { token } = telegram.bot();
  await telegram.faults.ignored("setWebhook");
  const ignored = await call(telegram, token, "setWebhook", { url: "http://127.0.0.1:9/" });
  expect(ignored.body).toEqual({ ok: true, result: true });
  expect((await call(telegram, token, "getWebhookInfo")).body.result).toMatchObject({ url: "" });
});
