import { type FakeTelegram, type FakeUser, startFakeTelegram } from "bookonce/testing";
import { Api } from "grammy";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig } from "../../examples/grammy-bot/src/config.ts";
import { notifications } from "../../examples/grammy-bot/src/notifications.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { book, receipt } from "../support/fixtures.ts";
import { answering } from "../support/refunders.ts";

const ownerId = 42;
let db: TestDatabase;
let telegram: FakeTelegram;
let owner: FakeUser;
/** Delivers what has happened, as the bot does. */
let tellAll: (ownerChatId?: number) => Promise<void>;

beforeAll(async () => {
  db = await createTestDatabase();
  telegram = await startFakeTelegram();
  const api = new Api(telegram.bot().token, { apiRoot: telegram.url });
  owner = await known({ id: ownerId });
  tellAll = async (ownerChatId = ownerId) => {
    const env = { BOT_TOKEN: "42:abc", DATABASE_URL: "postgres://localhost/bot", OWNER_CHAT_ID: String(ownerChatId) };
    const report = await db.bookonce.events.run(notifications(db.bookonce, api, readConfig(env)));
    expect(report).toMatchObject({ failed: 0, parked: 0 });
  };
});

afterAll(async () => {
  await telegram.close();
  await db.drop();
});

/** Somebody who has written to the bot, so that it may write back. */
async function known(user: { id?: number } = {}): Promise<FakeUser> {
  const person = telegram.user(user);
  await person.send("/start");
  return person;
}

async function heard(person: FakeUser): Promise<string[]> {
  return (await person.chat.messages()).filter(({ from }) => from === "bot").map(({ text }) => text);
}

async function bookFor(person: FakeUser, language: string) {
  return book(db.bookonce, { customer: `telegram:${person.id}`, data: { language } });
}

/** Telegram refuses every refund for good. */
const refuseRefunds = () => db.bookonce.refunds.run(answering({ answer: "refused", error: "CHARGE_NOT_FOUND" }));

test.each([
  ["en", [/^You are booked: \w+, .* 60 minutes\./, /^This booking is already paid/, /^Returning your 500 Stars/]],
  ["ru", [/^Вы записаны: .*, 60 минут\./, /^Эта запись уже оплачена/, /^Возврат 500 ⭐/]],
  ["uz", [/^Siz yozildingiz: .*, 60 daqiqa\./, /^Bu band qilish allaqachon toʻlangan/, /^500 ⭐ qaytarilishi/]],
])("S12 a second charge whose refund waits for a person is not called on the way, in %s", async (language, words) => {
  const alice = await known();
  const booking = await bookFor(alice, language);
  await receipt(db.bookonce, booking);
  expect(await receipt(db.bookonce, booking)).toMatchObject({ outcome: "surplus" });
  await refuseRefunds();
  await tellAll();
  expect(await heard(alice)).toEqual(words.map((each) => expect.stringMatching(each)));
});

test.each([
  ["a lapsed hold", () => db.clock.advance(16 * 60_000), /^The time was no longer held for you/],
  [
    "a cancelled booking",
    (bookingId: string, customer: string) => db.bookonce.cancel({ bookingId, customer }),
    /^This booking was cancelled/,
  ],
])("S12 nor is a charge for %s", async (_, end, words) => {
  const alice = await known();
  const { id, customer, ...booking } = await bookFor(alice, "en");
  await end(id, customer);
  expect(await receipt(db.bookonce, { ...booking, id, customer })).toMatchObject({ outcome: "late" });
  await refuseRefunds();
  await tellAll();
  expect((await heard(alice)).slice(-2)).toEqual([
    expect.stringMatching(words),
    expect.stringMatching(/^Returning your 500 Stars takes longer than usual/),
  ]);
  expect((await heard(alice)).join()).not.toMatch(/on the way/);
});

test("S9 the language of a payment that fits no booking is that of another one of whoever paid", async () => {
  const boris = await known();
  const booking = await bookFor(boris, "ru");
  await receipt(db.bookonce, booking, { payload: "bko1_nobody-knows-it" });
  await tellAll();
  expect(await heard(boris)).toEqual([expect.stringMatching(/^Платёж пришёл, но не совпадает ни с одной записью/)]);
});

test("S9 what a person has seen to meanwhile is not told as waiting", async () => {
  const alice = await known();
  const wrong = await receipt(db.bookonce, await bookFor(alice, "en"), { amount: 3 });
  if (wrong.outcome !== "mismatch") throw new Error(wrong.outcome);
  await db.bookonce.reviews.close({ paymentId: wrong.payment.id, actor: "olga", note: "settled in cash" });
  const before = await heard(owner);
  await tellAll();
  expect(await heard(alice)).toEqual([]);
  expect(await heard(owner)).toEqual(before);
});

test("B14 an owner's chat that does not work keeps nobody from hearing", async () => {
  const alice = await known();
  await receipt(db.bookonce, await bookFor(alice, "en"), { amount: 3 });
  const log = vi.spyOn(console, "error").mockReturnValue();
  // Who has never written to the bot cannot be written to.
  await tellAll(telegram.user().id);
  expect(log.mock.lastCall?.join()).toMatch(/not told: A payment waits for you \(wrong_amount\).*chat not found/s);
  log.mockRestore();
  expect(await heard(alice)).toEqual([expect.stringMatching(/^Your payment has arrived, but it does not match/)]);
});

test("B14 a booking that moved twice before it was told is told where it is, once", async () => {
  const alice = await known();
  const booking = await bookFor(alice, "en");
  await receipt(db.bookonce, booking);
  for (const hours of [2, 4]) {
    const start = new Date(booking.start.getTime() + hours * 3_600_000);
    await db.bookonce.reschedule({ bookingId: booking.id, customer: booking.customer, start });
  }
  await tellAll();
  const moved = (await heard(alice)).filter((text) => text.startsWith("Your booking is moved"));
  expect(moved).toEqual([expect.stringContaining(", 19:00, local time, Tashkent, 60 minutes.")]);
});
