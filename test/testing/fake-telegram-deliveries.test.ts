import type { FakeTelegramOptions } from "bookonce/testing";
import { expect, test } from "vitest";
import { call } from "./bots.ts";
import { type Delivery, rawWebhook } from "./webhooks.ts";

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
