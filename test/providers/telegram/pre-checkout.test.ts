import {
  createTelegram,
  fromPreCheckoutQuery,
  type TelegramApi,
  TelegramApiError,
  telegramCustomer,
} from "bookonce/telegram";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { buy, charge, rows, type Salon, salon, tables } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => db.clock.reset());
afterAll(() => db.drop());

/** A press of Pay, and the query it makes. */
async function pressPay(at: Salon, payer = at.person(), booking = at.reserve(payer)) {
  const made = await booking;
  const paying = payer.pay(await at.link(made));
  const [update] = await at.take();
  if (update === undefined) throw new Error("no query");
  return { payer, booking: made, paying, update, query: JSON.parse(JSON.stringify(update)).pre_checkout_query };
}

const answers = async (at: Salon) =>
  (await at.fake.calls({ method: "answerPreCheckoutQuery" })).map(({ params }) => params);

/** A port that records what the tests make of each call. */
function scripted(...script: ((api: TelegramApi, ...call: Parameters<TelegramApi["call"]>) => Promise<unknown>)[]) {
  return (api: TelegramApi): TelegramApi => ({
    call: (method, params, options) => {
      const next = method === "answerPreCheckoutQuery" ? script.shift() : undefined;
      return next === undefined ? api.call(method, params, options) : next(api, method, params, options);
    },
  });
}

const tooOld = async (): Promise<never> => {
  const text = "Bad Request: query is too old and response timeout expired or query ID is invalid";
  throw new TelegramApiError("answerPreCheckoutQuery", 400, text);
};
const lost = async (api: TelegramApi, ...call: Parameters<TelegramApi["call"]>): Promise<never> => {
  await api.call(...call);
  throw new TypeError("fetch failed");
};
const offline = async (): Promise<never> => {
  throw new TypeError("fetch failed");
};

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

test("B10, S7: Telegram's 'query is too old' is an outcome, and the next press of Pay is approved", async () => {
  const at = await salon(db, { fake: { clock: "manual" } });
  const { payer, booking, paying, update } = await pressPay(at);
  await at.fake.clock.advance({ seconds: 11 });
  expect(await paying).toEqual({ outcome: "timeout" });
  const result = await at.telegram.handleUpdate(update);
  expect(result).toMatchObject({
    outcome: "answer_expired",
    decision: "approved",
    voided: true,
    handled: true,
    ack: "ok",
  });
  const again = await pressPay(at, payer, Promise.resolve(booking));
  expect(await at.telegram.handleUpdate(again.update)).toMatchObject({ outcome: "approved" });
  expect(await again.paying).toMatchObject({ outcome: "paid" });
  expect(at.errors).toEqual([]);
});

test("B10: the expired query itself, delivered again, stays no", async () => {
  const at = await salon(db, { fake: { clock: "manual" } });
  const { update } = await pressPay(at);
  await at.fake.clock.advance({ seconds: 11 });
  await at.telegram.handleUpdate(update);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({
    outcome: "answer_expired",
    decision: "declined",
    voided: false,
  });
});

test("S8: 'too old' after an answer that may have been heard leaves the approval", async () => {
  const at = await salon(db, { api: scripted(lost) });
  const { booking, paying, update } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({
    outcome: "answer_expired",
    decision: "approved",
    voided: false,
  });
  expect(await paying).toMatchObject({ outcome: "paid" });
  expect(await at.receive()).toMatchObject([{ outcome: "booked" }]);
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "confirmed" });
});

test("S8: a repeated approval that Telegram calls too old stays: the first delivery's answer may have been heard", async () => {
  const at = await salon(db, { api: scripted((api, ...call) => api.call(...call), tooOld) });
  const { update } = await pressPay(at);
  await at.telegram.handleUpdate(update);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "answer_expired", voided: false });
});

test("S8, S14: an answer without a reply leaves the hold, and the receipt finds it", async () => {
  const at = await salon(db, { telegram: { deadlines: { answerMs: 200 } } });
  await at.fake.faults.hang("answerPreCheckoutQuery");
  const { booking, paying, update } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved", answer: "unknown", ack: "ok" });
  expect(await paying).toMatchObject({ outcome: "paid" });
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "held" });
  expect(await at.receive()).toMatchObject([{ outcome: "booked", booking: { id: booking.id } }]);
});

test("a network error before Telegram heard anything is answered by one retry, and by no more", async () => {
  const once = await salon(db, { api: scripted(offline) });
  const pressed = await pressPay(once);
  expect(await once.telegram.handleUpdate(pressed.update)).toMatchObject({ outcome: "approved", answer: "sent" });
  expect(await pressed.paying).toMatchObject({ outcome: "paid" });

  const twice = await salon(db, { api: scripted(offline, offline) });
  const { update } = await pressPay(twice);
  expect(await twice.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved", answer: "unknown" });
  expect(await answers(twice)).toEqual([]);
  expect(twice.errors).toHaveLength(1);
});

test("429 is waited for when there is time, and no approval is sent late", async () => {
  const at = await salon(db);
  await at.fake.faults.tooManyRequests("answerPreCheckoutQuery", { retryAfter: 60 });
  const { update } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved", answer: "refused" });
  expect(await answers(at)).toHaveLength(1);
});

test("B02, S3: the slot is locked by somebody else: the payer gets a no in time, and nothing is sold", async () => {
  const at = await salon(db);
  const hasty = at.another(db.bookonce, { deadlines: { decideMs: 500 } });
  const { booking, paying, update } = await pressPay(at, at.person(), undefined);
  const before = await tables(db);
  const locker = await db.pool.connect();
  try {
    await locker.query("begin");
    await locker.query(`select from ${db.schema}.bookings where id = $1 for update`, [booking.id]);
    // The lock is still held when the answer has been given.
    expect(await hasty.handleUpdate(update)).toMatchObject({
      outcome: "declined",
      reason: "unavailable",
      answer: "sent",
      ack: "ok",
    });
    expect(await paying).toMatchObject({
      outcome: "rejected",
      message: expect.stringContaining("Nothing was charged"),
    });
  } finally {
    await locker.query("rollback");
    locker.release();
  }
  expect(await tables(db)).toEqual(before);
  expect((await at.fake.ledger.read(at.bot)).charges).toEqual([]);
});

test("B02: after such a no, the same person can pay", async () => {
  const at = await salon(db);
  const hasty = at.another(db.bookonce, { deadlines: { decideMs: 300 } });
  const { payer, booking, update } = await pressPay(at);
  const locker = await db.pool.connect();
  await locker.query("begin");
  await locker.query(`select from ${db.schema}.bookings where id = $1 for update`, [booking.id]);
  await hasty.handleUpdate(update);
  await locker.query("rollback");
  locker.release();
  expect((await buy(at, payer, booking)).result).toMatchObject({ outcome: "booked" });
});

test("S3: fail closed: whatever the verb throws, the payer gets a no", async () => {
  const at = await salon(db);
  for (const decidePreCheckout of [
    () => Promise.reject(new Error("out of memory")),
    () => {
      throw new Error("synchronously");
    },
  ]) {
    const broken = at.another({ ...db.bookonce, decidePreCheckout });
    const { paying, update } = await pressPay(at);
    expect(await broken.handleUpdate(update)).toMatchObject({
      outcome: "declined",
      reason: "unavailable",
      answer: "sent",
    });
    expect(await paying).toMatchObject({ outcome: "rejected" });
  }
  expect(at.errors).toHaveLength(2);
});

test("B27: a decision that never comes is a no before Telegram stops waiting", async () => {
  const at = await salon(db);
  const decidePreCheckout = () => new Promise<never>(() => undefined);
  const hung = at.another({ ...db.bookonce, decidePreCheckout }, { deadlines: { decideMs: 50 } });
  const { paying, update } = await pressPay(at);
  expect(await hung.handleUpdate(update)).toMatchObject({ outcome: "declined", reason: "unavailable" });
  expect(await paying).toMatchObject({ outcome: "rejected" });
});

test("B27: an API port that ignores its signal does not hold us", async () => {
  const never = () => new Promise<never>(() => undefined);
  const at = await salon(db, { api: scripted(never, never), telegram: { deadlines: { answerMs: 50 } } });
  const { update } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved", answer: "unknown" });
});

test("what onError throws is nobody's problem", async () => {
  const onError = () => {
    throw new Error("the logger is broken");
  };
  const at = await salon(db, { api: scripted(offline, offline), telegram: { onError } });
  const { update } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved" });
});

test("B03, B06, B14: raw JSON with nothing but the payer and the payload is enough", async () => {
  const at = await salon(db);
  const { paying, query } = await pressPay(at);
  const { id, from, currency, total_amount, invoice_payload } = query;
  const minimal = { pre_checkout_query: { id, from: { id: from.id }, currency, total_amount, invoice_payload } };
  expect(await at.telegram.handleUpdate(JSON.parse(JSON.stringify(minimal)))).toMatchObject({ outcome: "approved" });
  expect(await paying).toMatchObject({ outcome: "paid" });
});

test("B01, B12: with nobody to answer, the payment times out, and the hold ends by itself", async () => {
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
