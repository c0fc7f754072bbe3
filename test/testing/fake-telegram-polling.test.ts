import { expect, test } from "vitest";
import { call, fakeTelegram } from "./bots.ts";

interface Update {
  update_id: number;
  message?: { text?: string };
}

async function setUp() {
  const telegram = await fakeTelegram({ clock: "manual" });
  const bot = telegram.bot();
  const alice = telegram.user();
  const getUpdates = async (params: object = {}): Promise<Update[]> => {
    const { body } = await call(telegram, bot.token, "getUpdates", params);
    if (!body.ok) throw new Error(body.description);
    return body.result as Update[];
  };
  const texts = async (params: object = {}) => (await getUpdates(params)).map((update) => update.message?.text);
  return { telegram, bot, alice, getUpdates, texts };
}

test("updates are repeated until a higher offset confirms them", async () => {
  const { alice, getUpdates, texts } = await setUp();
  await alice.send("one");
  await alice.send("two");
  const [first] = await getUpdates();
  expect(await texts()).toEqual(["one", "two"]);
  expect(await texts({ offset: (first?.update_id ?? 0) + 1 })).toEqual(["two"]);
  expect(await texts()).toEqual(["two"]);
});

test("a negative offset forgets all but the newest", async () => {
  const { alice, texts } = await setUp();
  for (const text of ["one", "two", "three"]) await alice.send(text);
  expect(await texts({ offset: -1 })).toEqual(["three"]);
  expect(await texts()).toEqual(["three"]);
});

test("the limit is clamped to 1–100", async () => {
  const { alice, texts } = await setUp();
  for (let n = 0; n < 102; n++) await alice.send(String(n));
  expect(await texts({ limit: 0 })).toHaveLength(1);
  expect(await texts({ limit: 1000 })).toHaveLength(100);
});

test("a long poll waits for an update", async () => {
  const { alice, texts } = await setUp();
  const waiting = texts({ timeout: 50 });
  await alice.send("here");
  expect(await waiting).toEqual(["here"]);
});

test("a second poller ends the first with 409", async () => {
  const { alice, bot, telegram, texts } = await setUp();
  const first = call(telegram, bot.token, "getUpdates", { timeout: 50 });
  await call(telegram, bot.token, "getMe");
  const second = texts({ timeout: 50 });
  expect((await first).body).toMatchObject({
    error_code: 409,
    description: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
  });
  await alice.send("for the second");
  expect(await second).toEqual(["for the second"]);
});

test("polling is refused with 409 while a webhook is set", async () => {
  const { bot, telegram } = await setUp();
  await call(telegram, bot.token, "setWebhook", { url: "http://127.0.0.1:9/" });
  const reply = await call(telegram, bot.token, "getUpdates");
  expect(reply.status).toBe(409);
  expect(reply.body.description).toContain("can't use getUpdates method while webhook is active");
  await call(telegram, bot.token, "deleteWebhook");
  expect((await call(telegram, bot.token, "getUpdates")).status).toBe(200);
});

test("allowed_updates stays in force until it is set again; an empty list is the default", async () => {
  const { alice, bot, telegram, getUpdates } = await setUp();
  const info = async () => (await call(telegram, bot.token, "getWebhookInfo")).body.result;
  await getUpdates({ allowed_updates: ["callback_query"] });
  await alice.send("not wanted");
  await getUpdates({});
  expect(await info()).toMatchObject({ allowed_updates: ["callback_query"], pending_update_count: 0 });
  await getUpdates({ allowed_updates: [] });
  await alice.send("wanted");
  expect(await info()).toMatchObject({ pending_update_count: 1 });
  expect(await info()).not.toHaveProperty("allowed_updates");
});

test("a message that nobody fetches is gone after 24 hours, a pre-checkout query after 150 seconds", async () => {
  const { alice, bot, telegram, getUpdates } = await setUp();
  const prices = [{ label: "Cut", amount: 10 }];
  const invoice = { title: "Cut", description: "Cut", payload: "p", currency: "XTR", prices };
  const link = await call(telegram, bot.token, "createInvoiceLink", invoice);
  await alice.send("hello");
  const outcome = alice.pay(String(link.body.result));
  await expect.poll(() => telegram.updates.pending()).toHaveLength(2);
  await telegram.clock.advance({ seconds: 149 });
  expect(await getUpdates()).toMatchObject([
    { message: { text: "hello" } },
    { pre_checkout_query: { id: expect.any(String) } },
  ]);
  await telegram.clock.advance({ seconds: 1 });
  expect(await getUpdates()).toMatchObject([{ message: { text: "hello" } }]);
  await telegram.clock.advance({ hours: 24 });
  expect(await getUpdates()).toEqual([]);
  expect(await outcome).toEqual({ outcome: "timeout" });
});

test("update_id can jump backwards, and an offset far ahead then confirms nothing", async () => {
  const { alice, telegram, getUpdates } = await setUp();
  await alice.send("before");
  const [before] = await getUpdates();
  const offset = (before?.update_id ?? 0) + 1;
  await expect(telegram.updates.jump({ to: 1000 })).rejects.toThrow("only jumps while no update is waiting");
  await getUpdates({ offset });
  await telegram.updates.jump({ to: 1000 });
  await alice.send("after");
  expect(await getUpdates({ offset })).toMatchObject([{ update_id: 1000, message: { text: "after" } }]);
});

test("drop_pending_updates forgets what waits", async () => {
  const { alice, bot, telegram, getUpdates } = await setUp();
  await alice.send("lost");
  await call(telegram, bot.token, "deleteWebhook", { drop_pending_updates: true });
  expect(await getUpdates()).toEqual([]);
});
