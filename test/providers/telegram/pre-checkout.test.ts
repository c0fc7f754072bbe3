import { createTelegram, fromPreCheckoutQuery, type TelegramApi, telegramCustomer } from "bookonce/telegram";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { answers, pressPay } from "./press-pay.ts";
import { buy, charge, rows, salon } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => db.clock.reset());
afterAll(() => db.drop());

test("S2: a held booking of the payer is approved, and its hold is long enough for the charge", async () => {
  const at = await salon(db);
  const { booking, paying, update } = await pressPay(at);
  const result = await at.telegram.handleUpdate(update);
  expect(result).toMatchObject({ outcome: "approved", handled: true, ack: "ok", answer: "sent", repeated: false });
  expect(await paying).toMatchObject({ outcome: "paid" });
  expect(await answers(at)).toEqual([{ pre_checkout_query_id: expect.any(String), ok: true }]);
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "held" });
  expect(at.errors).toEqual([]);
});

test("S2, S14: two orders race for one slot; the other is told in words that it has been taken, in the payer's language", async () => {
  const at = await salon(db);
  const alice = at.person();
  const boris = at.person({ language_code: "ru" });
  const more = { claim: "at_checkout", start: new Date(Date.now() + 1e9) } as const;
  const first = await pressPay(at, alice, at.reserve(alice, more));
  const second = await pressPay(at, boris, at.reserve(boris, more));
  const results = await Promise.all([first, second].map(({ update }) => at.telegram.handleUpdate(update)));
  expect(results.map(({ outcome }) => outcome).sort()).toEqual(["approved", "declined"]);
  const outcomes = await Promise.all([first.paying, second.paying]);
  expect(outcomes.filter(({ outcome }) => outcome === "paid")).toHaveLength(1);
  const rejected = outcomes.find(({ outcome }) => outcome === "rejected");
  const words = results[0]?.outcome === "declined" ? /has just been taken/ : /только что заняли/;
  expect(rejected).toMatchObject({ message: expect.stringMatching(words) });
});

test.each([
  ["en-US", "This invoice is for somebody else"],
  ["ru", "Этот счёт выставлен другому человеку"],
  ["uz", "Bu hisob boshqa odam uchun"],
  ["de", "This invoice is for somebody else"],
])("B37: somebody else's link is refused at pre-checkout, in words of language %s", async (language_code, words) => {
  const at = await salon(db);
  const mallory = at.person({ language_code });
  const { paying, update } = await pressPay(at, mallory, at.reserve(at.person()));
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "declined", reason: "wrong_payer" });
  expect(await paying).toMatchObject({ outcome: "rejected", message: expect.stringContaining(words) });
});

test("the user's own words replace ours", async () => {
  const at = await salon(db, { telegram: { texts: { en: { reasons: { wrong_payer: "Not yours!" } } } } });
  const { paying, update } = await pressPay(at, at.person(), at.reserve(at.person()));
  await at.telegram.handleUpdate(update);
  expect(await paying).toEqual({ outcome: "rejected", message: "Not yours!" });
});

test("S5: a time that has begun is not sold", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = at.reserve(alice, { start: new Date(Date.now() + 60_000), hold: { minutes: 10 } });
  const { update } = await pressPay(at, alice, booking);
  await db.clock.advance(120_000);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({
    outcome: "declined",
    reason: "in_past",
    answer: "sent",
  });
});

test("S6: the same query again gets the stored answer and extends nothing; after the hold the answer is no", async () => {
  const at = await salon(db, { fake: { secondAnswer: "true" } });
  const { update } = await pressPay(at);
  const first = await at.telegram.handleUpdate(update);
  await db.clock.advance(30_000);
  const again = await at.telegram.handleUpdate(update);
  expect(again).toMatchObject({ outcome: "approved", repeated: true });
  expect("holdExpiresAt" in again && again.holdExpiresAt).toEqual("holdExpiresAt" in first && first.holdExpiresAt);
  await db.clock.advance(3_600_000);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({
    outcome: "declined",
    reason: "hold_lapsed",
    repeated: true,
  });
  expect((await answers(at)).map(({ ok }) => ok)).toEqual([true, true, false]);
});

test("S7: while an approval stands, another press of Pay is declined", async () => {
  const at = await salon(db);
  const { payer, booking, update } = await pressPay(at);
  await at.telegram.handleUpdate(update);
  await at.take();
  const second = await pressPay(at, payer, Promise.resolve(booking));
  expect(await at.telegram.handleUpdate(second.update)).toMatchObject({
    outcome: "declined",
    reason: "payment_in_progress",
  });
});

test("B03, B06, case B14: raw JSON with nothing but the payer and the payload is enough", async () => {
  const at = await salon(db);
  const { paying, query } = await pressPay(at);
  const { id, from, currency, total_amount, invoice_payload } = query;
  const minimal = { pre_checkout_query: { id, from: { id: from.id }, currency, total_amount, invoice_payload } };
  expect(await at.telegram.handleUpdate(JSON.parse(JSON.stringify(minimal)))).toMatchObject({ outcome: "approved" });
  expect(await paying).toMatchObject({ outcome: "paid" });
});

test("B01, case B12: with nobody to answer, the payment times out, and the hold ends by itself", async () => {
  const at = await salon(db, { fake: { clock: "manual" } });
  const { booking, paying } = await pressPay(at);
  await at.fake.clock.advance({ seconds: 11 });
  expect(await paying).toEqual({ outcome: "timeout" });
  await db.clock.advance(16 * 60_000);
  const bob = at.person();
  const again = await at.reserve(bob, { start: booking.start });
  expect(again.state).toBe("held");
});

test("B09: approved and never charged: the hold expires like any other", async () => {
  const at = await salon(db);
  await at.fake.faults.payment({ neverCharge: true });
  const { payer, booking, update, paying } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved" });
  expect(await paying).toMatchObject({ outcome: "failed" });
  await db.clock.advance(60 * 60_000);
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "expired" });
  expect(await at.reserve(at.person(), { start: booking.start })).toMatchObject({ state: "held" });
  // The old invoice buys nothing any more (S7).
  const late = await pressPay(at, payer, Promise.resolve(booking));
  expect(await at.telegram.handleUpdate(late.update)).toMatchObject({ outcome: "declined", reason: "hold_lapsed" });
});

test("B08: a receipt given as a query is told apart, in words and by type", async () => {
  const at = await salon(db);
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  expect(() => fromPreCheckoutQuery(at.bot.id, update?.["message"])).toThrow(
    /This is a message with a successful_payment, not a pre_checkout_query/,
  );
  await expect(async () =>
    db.bookonce.decidePreCheckout(fromPreCheckoutQuery(at.bot.id, update)),
  ).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("This is a whole update"),
  });
});

test("S1: another payload of the same bot is not ours: unanswered, and passed on", async () => {
  const at = await salon(db);
  const { update, query } = await pressPay(at);
  const foreign = { ...update, pre_checkout_query: { ...query, invoice_payload: "donation-1" } };
  expect(await at.telegram.handleUpdate(foreign)).toEqual({ outcome: "not_ours", handled: false, ack: "ok" });
  expect(await answers(at)).toEqual([]);
});

test("S6: the same query id with other facts is an incident and a no", async () => {
  const at = await salon(db, { fake: { secondAnswer: "true" } });
  const { booking, update, query } = await pressPay(at);
  await at.telegram.handleUpdate(update);
  const forged = { pre_checkout_query: { ...query, total_amount: 1 } };
  expect(await at.telegram.handleUpdate(forged)).toMatchObject({ outcome: "declined", reason: "conflict" });
  expect(await rows(db, "events", "type = 'checkout_conflict' and booking_id = $1", booking.id)).toHaveLength(1);
});

test("B34: two bookings of one person at one price are told apart by their payloads", async () => {
  const at = await salon(db);
  const alice = at.person();
  const [first, second] = [await at.reserve(alice), await at.reserve(alice)];
  expect(first.payload).not.toBe(second.payload);
  expect((await buy(at, alice, second)).result).toMatchObject({ outcome: "booked", booking: { id: second.id } });
  expect(await db.bookonce.bookings.get(first.id)).toMatchObject({
    state: "held",
    customer: telegramCustomer(alice.id),
  });
});

test("a shutdown makes it a no, and the no is still sent", async () => {
  const at = await salon(db);
  const { paying, update } = await pressPay(at);
  const result = await at.telegram.handleUpdate(update, { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ outcome: "declined", reason: "unavailable", answer: "sent" });
  expect(await paying).toMatchObject({ outcome: "rejected" });
});

test.each([
  ["an answer that a retry plugin could draw out", { deadlines: { answerMs: 5_000 } }],
  ["deadlines that leave nothing for the way", { deadlines: { decideMs: 7_000, answerMs: 3_000 } }],
  ["no time at all", { deadlines: { decideMs: 0 } }],
  ["a bot id that is a token", { botId: "77:abc" }],
  ["a reason without words", { texts: { en: { reasons: { slot_taken: "" } } } }],
])("createTelegram refuses %s", (_, options) => {
  const api: TelegramApi = { call: () => Promise.reject(new Error("not here")) };
  const make = () => createTelegram({ bookonce: db.bookonce, api, botId: 77, ...options });
  expect(make).toThrow(expect.objectContaining({ code: "invalid_input" }));
});
