import { fromSuccessfulPayment, telegramCustomer } from "bookonce/telegram";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { buy, charge, salon, type Update } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => db.clock.reset());
afterAll(() => db.drop());

const messageOf = (update: Update | undefined) => JSON.parse(JSON.stringify(update?.["message"]));

test("S9, S11: the receipt of a live hold confirms the booking", async () => {
  const at = await salon(db);
  const alice = at.person();
  const { result, chargeId } = await buy(at, alice, await at.reserve(alice));
  expect(result).toMatchObject({
    outcome: "booked",
    handled: true,
    ack: "ok",
    booking: { state: "confirmed" },
    payment: {
      chargeId,
      account: at.telegram.account,
      provider: "telegram_stars",
      payer: telegramCustomer(alice.id),
      amount: 100,
    },
  });
  expect(at.errors).toEqual([]);
});

test("S13: a receipt without any pre-checkout confirms too", async () => {
  const at = await salon(db);
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  expect(await at.receive()).toMatchObject([{ outcome: "booked", repeated: false }]);
});

test("S13: the receipt is dealt with before the pre-checkout handler has finished", async () => {
  const at = await salon(db);
  const alice = at.person();
  await at.fake.faults.payment({ receiptBeforeAnswerReturns: true });
  const paying = alice.pay(await at.link(await at.reserve(alice)));
  const [query] = await at.take();
  const answering = at.telegram.handleUpdate(query);
  const [receipt] = await at.take();
  expect(await at.telegram.handleUpdate(receipt)).toMatchObject({ outcome: "booked" });
  expect(await answering).toMatchObject({ outcome: "approved", answer: "sent" });
  expect(await paying).toMatchObject({ outcome: "paid" });
});

test("S13: the query is handled after its own receipt: no second approval", async () => {
  const at = await salon(db, { fake: { clock: "manual" } });
  const alice = at.person();
  const booking = await at.reserve(alice);
  const paying = alice.pay(await at.link(booking));
  const [query] = await at.take();
  await at.fake.clock.advance({ seconds: 11 });
  await paying;
  await charge(at, alice, booking);
  await at.receive();
  expect(await at.telegram.handleUpdate(query)).toMatchObject({ outcome: "answer_expired", decision: "declined" });
});

test("B33, S11: one payload, two charges: the first buys, the second is surplus and goes back", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  const first = await charge(at, alice, booking);
  const second = await charge(at, alice, booking);
  const results = await at.receive();
  expect(results).toMatchObject([
    { outcome: "booked", payment: { chargeId: first } },
    { outcome: "surplus", payment: { chargeId: second }, refund: { state: "pending", amount: 100 } },
  ]);
});

test("B53, S14: the first hold lapses, the second buyer books, the first pays: second kept, first refunded", async () => {
  const at = await salon(db);
  const [alice, bob] = [at.person(), at.person()];
  const booking = await at.reserve(alice);
  await db.clock.advance(20 * 60_000);
  const rival = await at.reserve(bob, { start: booking.start });
  expect((await buy(at, bob, rival)).result).toMatchObject({ outcome: "booked" });
  await charge(at, alice, booking);
  expect(await at.receive()).toMatchObject([{ outcome: "late", refund: { state: "pending" } }]);
  expect(await db.bookonce.bookings.get(rival.id)).toMatchObject({ state: "confirmed" });
});

test("S14: the same person books again and pays the old invoice: the new booking is not confirmed by it", async () => {
  const at = await salon(db);
  const alice = at.person();
  const old = await at.reserve(alice);
  await db.clock.advance(20 * 60_000);
  const fresh = await at.reserve(alice, { start: old.start });
  expect(fresh.id).not.toBe(old.id);
  await charge(at, alice, old);
  expect(await at.receive()).toMatchObject([{ outcome: "late", booking: { id: old.id } }]);
  expect(await db.bookonce.bookings.get(fresh.id)).toMatchObject({ state: "held" });
});

test("B37: a stranger's charge that got through waits for a person, and the booking is untouched", async () => {
  const at = await salon(db);
  const [alice, mallory] = [at.person(), at.person()];
  const booking = await at.reserve(alice);
  await charge(at, mallory, booking);
  expect(await at.receive()).toMatchObject([
    { outcome: "mismatch", payment: { reason: "wrong_payer", review: "open" } },
  ]);
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "held" });
});

test("S10: a known charge id with another amount is an incident, and changes nothing", async () => {
  const at = await salon(db);
  const alice = at.person();
  const chargeId = await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  await at.telegram.handleUpdate(update);
  const message = messageOf(update);
  message.successful_payment.total_amount = 1;
  expect(await at.telegram.handleUpdate({ message })).toMatchObject({ outcome: "conflict", handled: true, ack: "ok" });
  expect(await db.bookonce.payments.find({ chargeId })).toMatchObject([{ amount: 100, disposition: "booked" }]);
});

test("S17: a subscription's charge is recognised and left to the bot's own code, the first and the renewal", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  await charge(at, alice, booking);
  const [update] = await at.take();
  for (const flags of [
    { is_recurring: true, is_first_recurring: true, subscription_expiration_date: 4e9 },
    { is_recurring: true },
  ]) {
    const message = messageOf(update);
    Object.assign(message.successful_payment, flags);
    const result = await at.telegram.handleUpdate({ message });
    expect(result).toMatchObject({ outcome: "recurring", handled: false, ack: "ok" });
  }
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "held" });
  expect(await db.bookonce.payments.find({ bookingId: booking.id })).toEqual([]);
});

test("a subscription update is recognised and left alone", async () => {
  const at = await salon(db);
  const update = { subscription: { user: { id: 5 }, invoice_payload: "bko1_x", state: "canceled" } };
  expect(await at.telegram.handleUpdate(update)).toEqual({
    outcome: "subscription",
    state: "canceled",
    handled: false,
    ack: "ok",
  });
});

test("S1: a receipt of another invoice of the bot is passed on and not stored", async () => {
  const at = await salon(db);
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  const message = messageOf(update);
  message.successful_payment.invoice_payload = "donation";
  expect(await at.telegram.handleUpdate({ message })).toEqual({ outcome: "not_ours", handled: false, ack: "ok" });
});

test("a provider's receipt is kept apart from Stars, with what its own cabinet needs for a refund (S16)", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice, { price: { amount: 50_000_00, currency: "UZS" } });
  await db.bookonce.cancel({ bookingId: booking.id, administrator: "test" });
  const message = {
    message_id: 7,
    date: 1,
    chat: { id: alice.id, type: "private" },
    from: { id: alice.id, first_name: "Alice" },
    successful_payment: {
      currency: "UZS",
      total_amount: 50_000_00,
      invoice_payload: booking.payload,
      telegram_payment_charge_id: `p_${booking.id}`,
      provider_payment_charge_id: "cabinet-77",
      order_info: { name: "Alice" },
    },
  };
  expect(await at.telegram.handleUpdate({ message })).toMatchObject({
    outcome: "late",
    payment: {
      provider: "telegram_payments",
      details: { provider_payment_charge_id: "cabinet-77", chat_id: alice.id, order_info: { name: "Alice" } },
    },
    refund: { state: "needs_attention" },
  });
});

test("a name that PostgreSQL cannot store is no reason to lose a payment", async () => {
  const at = await salon(db);
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  const message = messageOf(update);
  message.from.first_name = "A\u0000l\uD800ice";
  message.from.last_name = "x".repeat(100_000);
  message.successful_payment.order_info = { shipping_address: { "ci\u0000ty": "\uDC00" }, deep: [[[[[[[[1]]]]]]]] };
  expect(await at.telegram.handleUpdate({ message })).toMatchObject({ outcome: "booked", ack: "ok" });
  const [payment] = await db.bookonce.payments.find({
    chargeId: message.successful_payment.telegram_payment_charge_id,
  });
  expect(payment?.details).toMatchObject({ from: { first_name: "Al\uFFFDice" } });
});

test("details that are too large are left out, and the payment is kept", async () => {
  const at = await salon(db);
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  const message = messageOf(update);
  message.successful_payment.order_info = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`k${n}`, "ш".repeat(500)]),
  );
  const result = await at.telegram.handleUpdate({ message });
  expect(result).toMatchObject({ outcome: "booked", payment: { details: { message_id: message.message_id } } });
});

test("the payer is who sent the message, not the chat it came to", async () => {
  const at = await salon(db);
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  const message = messageOf(update);
  message.chat = { id: -100123, type: "supergroup", title: "Group" };
  expect(fromSuccessfulPayment(at.bot.id, message)).toMatchObject({
    payer: telegramCustomer(alice.id),
    recurring: false,
  });
  delete message.chat;
  expect(await at.telegram.handleUpdate({ message })).toMatchObject({ outcome: "booked" });
});
