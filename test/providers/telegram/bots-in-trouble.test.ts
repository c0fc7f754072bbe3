import { autoRetry } from "@grammyjs/auto-retry";
import type { BookingView } from "bookonce";
import { grammyApi, telegramWebhook } from "bookonce/telegram";
import { Bot, webhookCallback } from "grammy";
import type { Update } from "grammy/types";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually, grammyBot, secretToken, serve, setWebhook, type Told, telegrafBot } from "./bots.ts";
import { cuttable, overWire, rows, salon } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => db.clock.reset());
afterAll(() => db.drop());

const state = async (booking: BookingView) => (await db.bookonce.bookings.get(booking.id))?.state;

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

test("case B11: what the bot's own words throw does not undo the booking, and is reported", async () => {
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

test("case B16: the database is away: 503, Telegram delivers again, and the receipt has one effect", async () => {
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

test("case B16: grammY's own webhook: what could not be stored rejects, so that Telegram delivers again", async () => {
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
