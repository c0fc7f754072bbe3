import type { BookingView } from "bookonce";
import { grammyApi, starsInvoice, telegrafApi, telegramWebhook } from "bookonce/telegram";
import { webhookCallback } from "grammy";
import type { Update } from "grammy/types";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually, grammyBot, secretToken, serve, setWebhook, type Told, telegrafBot } from "./bots.ts";
import { rows, type Salon, salon } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => db.clock.reset());
afterAll(() => db.drop());

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
