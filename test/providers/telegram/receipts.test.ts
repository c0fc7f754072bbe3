import { createBookonce } from "bookonce";
import { fromSuccessfulPayment, type HandledUpdate, telegramCustomer } from "bookonce/telegram";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../../support/database.ts";
import { buy, charge, cuttable, overWire, rows, salon, type Update } from "./support.ts";

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

test("B15, B18, S10: the same receipt twenty times over two pools is one payment and one booking", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  const chargeId = await charge(at, alice, booking);
  const [update] = await at.take();
  const other = db.another();
  const processes = [at.telegram, at.another(other)];
  const results = await Promise.all(Array.from({ length: 20 }, (_, n) => processes[n % 2]?.handleUpdate(update)));
  expect(results.every((result) => result?.outcome === "booked" && result.ack === "ok")).toBe(true);
  expect(results.filter((result) => result?.outcome === "booked" && !result.repeated)).toHaveLength(1);
  expect(await db.bookonce.payments.find({ chargeId })).toHaveLength(1);
  // One notification: the outbox holds one event of the change.
  expect(await rows(db, "events", "type = 'booking_confirmed' and booking_id = $1", booking.id)).toHaveLength(1);
});

test("B35: redelivered three times, under one update id or another: one event to tell the buyer", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  await at.fake.faults.payment({ receipt: "twice-new-update-id" });
  await charge(at, alice, booking);
  const [first, second] = await at.take(2);
  for (const update of [first, second, first]) {
    expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "booked" });
  }
  const told: string[] = [];
  await db.bookonce.events.run(async (event) => {
    if (event.bookingId === booking.id && event.type === "booking_confirmed") told.push(event.type);
  });
  expect(told).toEqual(["booking_confirmed"]);
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

test("B16: the database is away: not acknowledged and not lost; delivered again, it has one effect", async () => {
  const at = await salon(db);
  const wire = await cuttable(db.url);
  const telegram = at.another(overWire(db, wire.url), { deadlines: { recordMs: 300 } });
  const alice = at.person();
  const chargeId = await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  await wire.cut();
  expect(await telegram.handleUpdate(update)).toMatchObject({
    outcome: "not_stored",
    of: "successful_payment",
    error: { code: "unavailable", retryable: true },
    handled: true,
    ack: "retry",
  });
  expect(await db.bookonce.payments.find({ chargeId })).toEqual([]);
  await wire.mend();
  // A new connection takes its time, and the first attempts may fail still.
  const delivered = () => telegram.handleUpdate(update);
  await expect.poll(delivered, { timeout: 20_000 }).toMatchObject({ outcome: "booked", ack: "ok" });
  expect(await telegram.handleUpdate(update)).toMatchObject({ outcome: "booked", repeated: true });
  expect(await db.bookonce.payments.find({ chargeId })).toHaveLength(1);
});

test("B20, B21: with patience (long polling) the receipt is tried again until it is stored", async () => {
  const at = await salon(db);
  const wire = await cuttable(db.url);
  const telegram = at.another(overWire(db, wire.url), { deadlines: { recordMs: 200 } });
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  await wire.cut();
  const handling = telegram.handleUpdate(update, { patience: "until_stored" });
  await expect.poll(() => at.errors.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
  await wire.mend();
  expect(await handling).toMatchObject({ outcome: "booked", ack: "ok" });
});

test("patience ends when the signal fires, and the update is not acknowledged", async () => {
  const at = await salon(db);
  const stop = new AbortController();
  const confirmPayment = async () => {
    if (at.errors.length > 1) stop.abort();
    throw new Error("no database");
  };
  const telegram = at.another({ ...db.bookonce, confirmPayment });
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  const result = await telegram.handleUpdate(update, { patience: "until_stored", signal: stop.signal });
  expect(result).toMatchObject({ outcome: "not_stored", error: { code: "internal" }, ack: "retry" });
});

test("tables that are missing lose no receipt either", async () => {
  const at = await salon(db);
  const telegram = at.another(createBookonce({ database: db.database, schema: `${testSchema}_nowhere` }));
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  expect(await telegram.handleUpdate(update)).toMatchObject({
    outcome: "not_stored",
    error: { code: "not_migrated" },
    ack: "retry",
  });
});

test("B25: two processes take turns with the updates of one purchase", async () => {
  const at = await salon(db);
  const other = at.another(db.another());
  const alice = at.person();
  const paying = alice.pay(await at.link(await at.reserve(alice)));
  const [query] = await at.take();
  expect(await other.handleUpdate(query)).toMatchObject({ outcome: "approved" });
  expect(await paying).toMatchObject({ outcome: "paid" });
  expect(await at.receive()).toMatchObject([{ outcome: "booked" }]);
});

test("B32: two purchases of one person, one after the other; and update ids that jump back", async () => {
  const at = await salon(db);
  const alice = at.person();
  const results: HandledUpdate[] = [];
  for (let n = 0; n < 2; n += 1) {
    results.push((await buy(at, alice, await at.reserve(alice))).result);
    await at.fake.updates.jump({ bot: at.bot });
  }
  expect(results).toMatchObject([{ outcome: "booked" }, { outcome: "booked" }]);
});

test("B31: two people buy different slots back to back, and each gets their own", async () => {
  const at = await salon(db);
  const people = [at.person(), at.person()];
  const bookings = await Promise.all(people.map((person) => at.reserve(person)));
  const paying = await Promise.all(
    people.map(async (person, n) => ({ n, link: await at.link(bookings[n] ?? (await at.reserve(person))) })),
  );
  const outcomes = paying.map(({ n, link }) => people[n]?.pay(link));
  for (const update of await at.take(2)) await at.telegram.handleUpdate(update);
  await Promise.all(outcomes);
  const receipts = (await at.take(2)).map((update) => at.telegram.handleUpdate(update));
  const booked = await Promise.all(receipts);
  const pairs = booked.map((result) => result.outcome === "booked" && [result.booking.id, result.booking.customer]);
  expect(pairs.sort()).toEqual(bookings.map((booking) => [booking.id, booking.customer]).sort());
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
