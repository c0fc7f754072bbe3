import { starsRefunder, type TelegramApi } from "bookonce/telegram";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { buy, charge, rows, type Salon, salon, tables } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => db.clock.reset());
afterAll(() => db.drop());

/** A late charge: its refund is queued. */
async function late(at: Salon) {
  const alice = at.person();
  const booking = await at.reserve(alice);
  await db.bookonce.cancel({ bookingId: booking.id, administrator: "test" });
  const chargeId = await charge(at, alice, booking);
  const [result] = await at.receive();
  if (result?.outcome !== "late" || result.refund === null) throw new Error("no refund");
  const refundId = result.refund.id;
  const state = async () => (await rows(db, "refunds", "id = $1", refundId))[0]?.["state"];
  const run = (api = at.api) => db.bookonce.refunds.run(starsRefunder(api, { botId: at.bot.id }));
  /** To when the next attempt is due, and any lease is over. */
  const later = () => db.clock.advance(3_600_000);
  return { alice, booking, chargeId, refundId, state, run, later, payment: result.payment };
}

const refundCalls = (at: Salon) => at.fake.calls({ method: "refundStarPayment" });

test("S12, B38, B42: a refund is one call with the payer and the charge, and the Stars are back", async () => {
  const at = await salon(db);
  const { alice, chargeId, state, run } = await late(at);
  expect(await alice.stars()).toBe(900);
  expect(await run()).toMatchObject({ completed: 1, paused: null });
  expect(await alice.stars()).toBe(1000);
  expect(await state()).toBe("completed");
  expect((await refundCalls(at)).map(({ params }) => params)).toEqual([
    { user_id: alice.id, telegram_payment_charge_id: chargeId },
  ]);
  await run();
  expect(await refundCalls(at)).toHaveLength(1);
});

test("B28: the worker dies after the call: the next one hears ALREADY_REFUNDED, and the refund is completed once", async () => {
  const at = await salon(db);
  const { alice, refundId, state, run, later } = await late(at);
  const dies: TelegramApi = {
    call: async (...call) => {
      await at.api.call(...call);
      // A process that is gone settles nothing: as if its lease were somebody else's.
      await db.pool.query(`update ${db.schema}.refunds set lease_token = gen_random_uuid() where id = $1`, [refundId]);
      throw new Error("killed");
    },
  };
  await run(dies);
  expect(await state()).toBe("sending");
  await later();
  await run();
  expect(await state()).toBe("completed");
  expect(await alice.stars()).toBe(1000);
  expect(await rows(db, "events", "type = 'refund_completed' and data ->> 'refundId' = $1", refundId)).toHaveLength(1);
  const codes = (await refundCalls(at)).map(({ reply }) => reply?.description ?? reply?.ok);
  expect(codes).toEqual([true, "Bad Request: CHARGE_ALREADY_REFUNDED"]);
});

test("B39: this very call says ALREADY_REFUNDED: success", async () => {
  const at = await salon(db);
  await at.fake.faults.refundDoneButAlreadyRefunded();
  const { state, run } = await late(at);
  await run();
  expect(await state()).toBe("completed");
});

test.each(["replyLost", "hang", "serverError"] as const)(
  "S12: %s leaves it unconfirmed, and sending again is harmless",
  async (fault) => {
    const at = await salon(db);
    const { alice, state, later } = await late(at);
    await at.fake.faults[fault]("refundStarPayment", { effect: "done" });
    const run = () => db.bookonce.refunds.run(starsRefunder(at.api, { botId: at.bot.id }), { callTimeoutMs: 500 });
    expect(await run()).toMatchObject({ completed: 0, unconfirmed: 1 });
    expect(await state()).toBe("unconfirmed");
    await later();
    await run();
    expect(await state()).toBe("completed");
    expect(await alice.stars()).toBe(1000);
  },
);

test("429 waits as long as Telegram asks, and nothing has moved", async () => {
  const at = await salon(db);
  await at.fake.faults.tooManyRequests("refundStarPayment", { retryAfter: 120 });
  const { alice, state, run } = await late(at);
  await run();
  expect(await state()).toBe("pending");
  await db.clock.advance(100_000);
  await run();
  expect(await refundCalls(at)).toHaveLength(1);
  await db.clock.advance(30_000);
  await run();
  expect(await state()).toBe("completed");
  expect(await alice.stars()).toBe(1000);
});

test("a low balance is tried again slowly, and then a person is asked; nothing is dropped", async () => {
  const at = await salon(db);
  const { state, run, later } = await late(at);
  await at.fake.ledger.addForeign({ kind: "withdrawal", amount: 50 });
  await run();
  expect(await state()).toBe("pending");
  for (let n = 0; n < 8; n += 1) {
    await later();
    await run();
  }
  expect(await state()).toBe("needs_attention");
});

test("a revoked token pauses the worker, and the rows stay", async () => {
  const at = await salon(db);
  const { state, run } = await late(at);
  await at.fake.faults.method("refundStarPayment", { error: { code: 401, description: "Unauthorized" } });
  expect(await run()).toMatchObject({ paused: expect.stringContaining("401 Unauthorized") });
  expect(await state()).toBe("pending");
});

test("a refund of another bot is left to its own worker", async () => {
  const at = await salon(db);
  const other = await salon(db);
  const { state } = await late(at);
  await db.bookonce.refunds.run(starsRefunder(other.api, { botId: other.bot.id }));
  expect(await refundCalls(other)).toEqual([]);
  expect(await state()).toBe("pending");
});

// --- Telegram's own news of refunds.

test("S12: the refunded_payment message, from the bot itself, completes our refund; again it changes nothing", async () => {
  const at = await salon(db);
  const { refundId, state, run } = await late(at);
  await at.fake.faults.replyLost("refundStarPayment");
  await run();
  expect(await state()).toBe("unconfirmed");
  const [update] = await at.take();
  expect(update).toMatchObject({ message: { from: { id: at.bot.id } } });
  expect(await at.telegram.handleUpdate(update)).toMatchObject({
    outcome: "refund_seen",
    refund: { id: refundId, state: "completed", completedBy: "telegram: refunded_payment" },
    repeated: false,
    handled: true,
  });
  const before = await tables(db);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "refund_seen", repeated: true });
  expect(await tables(db)).toEqual(before);
});

test("the news comes before our refund call has returned", async () => {
  const at = await salon(db);
  const { state } = await late(at);
  const slow: TelegramApi = {
    call: async (...call) => {
      const answer = await at.api.call(...call);
      await at.receive();
      return answer;
    },
  };
  await db.bookonce.refunds.run(starsRefunder(slow, { botId: at.bot.id }));
  expect(await state()).toBe("completed");
});

test("a refund that we never asked for is external: reported, with the payment, and the booking is untouched", async () => {
  const seen: unknown[] = [];
  const at = await salon(db, { telegram: { onExternalRefund: (refund) => void seen.push(refund) } });
  const alice = at.person();
  const booking = await at.reserve(alice);
  const { chargeId } = await buy(at, alice, booking);
  await at.fake.refundExternally(chargeId);
  const [result] = await at.receive();
  expect(result).toMatchObject({
    outcome: "external_refund",
    handled: true,
    ack: "ok",
    refund: { seenIn: "message", chargeId, amount: 100, payment: { disposition: "booked" } },
  });
  expect(seen).toMatchObject([{ chargeId, payment: { bookingId: booking.id } }]);
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "confirmed" });
});

test("an external refund of a charge that we never heard of, and a hook that throws", async () => {
  const onExternalRefund = () => Promise.reject(new Error("the hook is broken"));
  const at = await salon(db, { telegram: { onExternalRefund } });
  const alice = at.person();
  await at.fake.faults.payment({ receipt: "lost" });
  const chargeId = await charge(at, alice, await at.reserve(alice));
  await at.fake.refundExternally(chargeId);
  expect(await at.receive()).toMatchObject([{ outcome: "external_refund", refund: { payment: null }, ack: "ok" }]);
  expect(at.errors).toHaveLength(1);
});

test("an administrator cancels after an external refund: it is recorded, and nothing more goes back", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  const { chargeId } = await buy(at, alice, booking);
  await at.fake.refundExternally(chargeId);
  await at.receive();
  const cancelled = await db.bookonce.cancel({ bookingId: booking.id, administrator: "admin" });
  expect(cancelled).toMatchObject({ outcome: "cancelled", refund: null });
  expect(await rows(db, "refunds", "booking_id = $1", booking.id)).toMatchObject([
    { state: "completed", reason: "external" },
  ]);
  expect(await alice.stars()).toBe(1000);
  expect(await db.bookonce.audit()).toMatchObject({ problems: [] });
});

test("an administrator cancels before the news of an external refund: the queued refund is found done", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  const { chargeId } = await buy(at, alice, booking);
  await at.fake.refundExternally(chargeId);
  const cancelled = await db.bookonce.cancel({ bookingId: booking.id, administrator: "admin" });
  await db.bookonce.refunds.run(starsRefunder(at.api, { botId: at.bot.id }));
  const refundId = cancelled.outcome === "cancelled" ? (cancelled.refund?.id ?? "") : "";
  expect(await rows(db, "refunds", "id = $1", refundId)).toMatchObject([
    { state: "completed", completed_by: "telegram: CHARGE_ALREADY_REFUNDED" },
  ]);
  expect(await alice.stars()).toBe(1000);
});

test("a refund message of another invoice is not ours", async () => {
  const at = await salon(db);
  const message = {
    refunded_payment: { currency: "XTR", total_amount: 1, invoice_payload: "x", telegram_payment_charge_id: "y" },
  };
  expect(await at.telegram.handleUpdate({ message })).toMatchObject({ outcome: "not_ours", handled: false });
});
