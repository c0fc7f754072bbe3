import { starsRefunder, type TelegramApi } from "bookonce/telegram";
import type { FakeUser } from "bookonce/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { buy, charge, rows, type Salon, salon, tables } from "./support.ts";

// One database a test: the audits look at all of it.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

/** A charge whose receipt never reaches the bot. */
async function lostCharge(at: Salon, user: FakeUser, booking = at.reserve(user)): Promise<string> {
  await at.fake.faults.payment({ receipt: "lost" });
  return charge(at, user, await booking);
}

const reads = (at: Salon) => at.fake.calls({ method: "getStarTransactions" });

test("B24, S13: paid while the bot was down and the receipt is gone: reconciliation books it", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  const chargeId = await charge(at, alice, booking);
  await at.api.call("deleteWebhook", { drop_pending_updates: true }, { signal: AbortSignal.timeout(5_000) });
  expect(await at.telegram.reconcile()).toMatchObject({
    read: 1,
    ours: 1,
    recovered: [{ chargeId, outcome: "booked" }],
    offset: 1,
  });
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "confirmed" });
  expect(await db.bookonce.payments.find({ chargeId })).toMatchObject([
    { account: at.telegram.account, payer: booking.customer, details: { recovered_from: "getStarTransactions" } },
  ]);
});

test("B24: the slot was sold meanwhile: the lost charge is late, its refund is queued and made", async () => {
  const at = await salon(db);
  const [alice, bob] = [at.person(), at.person()];
  const booking = await at.reserve(alice);
  const chargeId = await lostCharge(at, alice, Promise.resolve(booking));
  await db.clock.advance(20 * 60_000);
  await buy(at, bob, await at.reserve(bob, { start: booking.start }));
  expect(await at.telegram.reconcile()).toMatchObject({ recovered: [{ chargeId, outcome: "late" }] });
  await db.bookonce.refunds.run(starsRefunder(at.api));
  expect(await alice.stars()).toBe(1000);
  expect(await bob.stars()).toBe(900);
});

test("a receipt that comes after reconciliation is the same charge", async () => {
  const at = await salon(db);
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  await at.telegram.reconcile();
  expect(await at.receive()).toMatchObject([{ outcome: "booked", repeated: true }]);
});

test("it continues where it was, page by page, over short pages and foreign lines, and ends at an empty page only", async () => {
  const at = await salon(db);
  const ours: string[] = [];
  for (const kind of [
    "gift",
    "withdrawal",
    "withdrawal_failed",
    "paid_media",
    "telegram_ads",
    "telegram_api",
    "other_incoming",
    "other_outgoing",
  ] as const) {
    const alice = at.person();
    await at.fake.ledger.addForeign({ kind, amount: 10, user: alice.id });
    ours.push(await lostCharge(at, alice));
  }
  await at.fake.faults.shortPages(3, { times: "always" });
  const report = await at.telegram.reconcile();
  expect(report).toMatchObject({ read: 16, ours: 8, offset: 16, externalRefunds: [], unreadable: [] });
  expect(report.recovered.map(({ chargeId }) => chargeId)).toEqual(ours);
  const offsets = (await reads(at)).map(({ params }) => params["offset"]);
  expect(offsets).toEqual([0, 3, 6, 9, 12, 15, 16]);

  const next = await lostCharge(at, at.person());
  expect(await at.telegram.reconcile()).toMatchObject({ read: 1, recovered: [{ chargeId: next }], offset: 17 });
});

test("from the start again it changes nothing", async () => {
  const at = await salon(db);
  const alice = at.person();
  await buy(at, alice, await at.reserve(alice));
  await lostCharge(at, alice);
  await at.telegram.reconcile();
  const before = await tables(db);
  expect(await at.telegram.reconcile({ fromStart: true })).toMatchObject({
    read: 2,
    ours: 2,
    recovered: [],
    offset: 2,
  });
  expect(await tables(db)).toEqual(before);
});

test("a page that overlaps the one before is no second charge and no gap", async () => {
  const at = await salon(db);
  const ids = [await lostCharge(at, at.person()), await lostCharge(at, at.person())];
  // Telegram drops a line that it cannot represent from the first page: the next one begins with what was seen.
  let dropped = false;
  const api: TelegramApi = {
    call: async (method, params, options) => {
      const answer = JSON.parse(JSON.stringify(await at.api.call(method, params, options)));
      if (method === "getStarTransactions" && !dropped) {
        dropped = true;
        answer.transactions.shift();
      }
      return answer;
    },
  };
  await at.fake.ledger.addForeign({ kind: "gift", amount: 1 });
  const report = await at.another(db.bookonce, { api }).reconcile();
  expect(report.recovered.map(({ chargeId }) => chargeId)).toEqual([ids[1]]);
  // The dropped line itself stays invisible to this run; the position lags behind by one, so nothing is ever skipped.
  expect(report.offset).toBeGreaterThanOrEqual(2);
});

test("a charge that could never be stored is reported, and those behind it are recovered", async () => {
  const at = await salon(db);
  const ids = [await lostCharge(at, at.person()), await lostCharge(at, at.person())];
  const strange = "x".repeat(5_000);
  const api: TelegramApi = {
    call: async (method, params, options) => {
      const answer = JSON.parse(JSON.stringify(await at.api.call(method, params, options)));
      const [first] = method === "getStarTransactions" ? answer.transactions : [];
      if (first?.id === ids[0]) first.id = strange;
      return answer;
    },
  };
  expect(await at.another(db.bookonce, { api }).reconcile()).toMatchObject({
    unreadable: [strange],
    recovered: [{ chargeId: ids[1], outcome: "booked" }],
    offset: 2,
  });
});

test("with an affiliate Telegram shows the bot's share: the price was paid all the same", async () => {
  const at = await salon(db);
  const alice = at.person();
  await at.fake.faults.payment({ receipt: "lost", skipPreCheckout: true });
  const paid = await alice.pay(await at.link(await at.reserve(alice)), { affiliate: { commissionPerMille: 155 } });
  expect(paid).toMatchObject({ outcome: "paid" });
  expect(await at.telegram.reconcile()).toMatchObject({ recovered: [{ outcome: "booked" }] });
});

test("with an affiliate and a known receipt there is no conflict", async () => {
  const at = await salon(db);
  const alice = at.person();
  await alice.pay(await at.link(await at.reserve(alice)), {
    affiliate: { commissionPerMille: 155 },
    faults: { skipPreCheckout: true },
  });
  await at.receive();
  expect(await at.telegram.reconcile()).toMatchObject({ ours: 1, recovered: [], conflicts: [] });
  expect(await rows(db, "events", "type = 'payment_conflict'")).toEqual([]);
});

test("S10: a receipt with an altered amount is found by the ledger: an incident, and nothing is changed", async () => {
  const at = await salon(db);
  const alice = at.person();
  const chargeId = await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  const message = JSON.parse(JSON.stringify(update?.["message"]));
  message.successful_payment.total_amount = 99;
  expect(await at.telegram.handleUpdate({ message })).toMatchObject({ outcome: "mismatch" });
  expect(await at.telegram.reconcile()).toMatchObject({ ours: 1, recovered: [], conflicts: [chargeId] });
  expect(await db.bookonce.payments.find({ chargeId })).toMatchObject([{ amount: 99, disposition: "mismatch" }]);
  expect(await rows(db, "events", "type = 'payment_conflict'")).toHaveLength(1);
});

test("S12: an outgoing line with the id of the charge completes our refund; an incoming one does not", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  await db.bookonce.cancel({ bookingId: booking.id, administrator: "test" });
  const chargeId = await charge(at, alice, booking);
  await at.receive();
  expect(await at.telegram.reconcile()).toMatchObject({ ours: 1, refundsSeen: [] });
  expect(await db.bookonce.refunds.list()).toMatchObject([{ state: "pending" }]);
  await at.fake.faults.replyLost("refundStarPayment");
  await db.bookonce.refunds.run(starsRefunder(at.api));
  expect(await db.bookonce.refunds.list()).toMatchObject([{ state: "unconfirmed" }]);
  expect(await at.telegram.reconcile()).toMatchObject({ ours: 1, refundsSeen: [chargeId], externalRefunds: [] });
  expect(await db.bookonce.refunds.list({ state: "completed" })).toMatchObject([
    { completedBy: "telegram: getStarTransactions" },
  ]);
});

test("a refund made elsewhere is reported as external, once the line is read", async () => {
  const seen: unknown[] = [];
  const at = await salon(db, { telegram: { onExternalRefund: (refund) => void seen.push(refund) } });
  const alice = at.person();
  const { chargeId } = await buy(at, alice, await at.reserve(alice));
  await at.fake.refundExternally(chargeId, { notice: false });
  expect(await at.telegram.reconcile()).toMatchObject({
    externalRefunds: [{ chargeId, seenIn: "ledger", payment: { chargeId } }],
  });
  expect(seen).toHaveLength(1);
  expect(await at.telegram.reconcile()).toMatchObject({ read: 0, externalRefunds: [] });
});

test("the position does not move past what could not be stored", async () => {
  const at = await salon(db);
  const chargeId = await lostCharge(at, at.person());
  const confirmPayment = () => Promise.reject(new Error("no database"));
  await expect(at.another({ ...db.bookonce, confirmPayment }).reconcile()).rejects.toThrow("no database");
  expect(await at.telegram.reconcile()).toMatchObject({ recovered: [{ chargeId }] });
});

test("Telegram's troubles are a retryable error of ours; a revoked token is not retryable", async () => {
  const at = await salon(db);
  await at.fake.faults.serverError("getStarTransactions");
  await expect(at.telegram.reconcile()).rejects.toMatchObject({ code: "provider", retryable: true });
  await at.fake.faults.method("getStarTransactions", { error: { code: 401, description: "Unauthorized" } });
  await expect(at.telegram.reconcile()).rejects.toMatchObject({ code: "provider", retryable: false });
});

test("S17: subscription charges in the ledger are listed and left alone", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  await lostCharge(at, alice, Promise.resolve(booking));
  const api: TelegramApi = {
    call: async (...call) => {
      const answer = JSON.parse(JSON.stringify(await at.api.call(...call)));
      for (const { source } of answer.transactions) source.subscription_period = 2_592_000;
      return answer;
    },
  };
  const report = await at.another(db.bookonce, { api }).reconcile();
  expect(report).toMatchObject({ recurring: [expect.any(String)], recovered: [] });
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "held" });
});
