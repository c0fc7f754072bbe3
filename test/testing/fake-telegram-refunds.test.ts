import { expect, test } from "vitest";
import { call, silentBot } from "./bots.ts";

/** A bot with one paid charge of 100 Stars. */
async function paid(options?: { affiliate?: { commissionPerMille: number } }) {
  const { telegram, bot, link } = await silentBot();
  const alice = telegram.user({ firstName: "Alice" });
  const outcome = await alice.pay(link, { faults: { skipPreCheckout: true }, ...options });
  if (outcome.outcome !== "paid") throw new Error(outcome.outcome);
  const { chargeId } = outcome;
  const refund = (user_id: unknown, telegram_payment_charge_id: unknown) =>
    call(telegram, bot.token, "refundStarPayment", { user_id, telegram_payment_charge_id });
  const transactions = async (params: object = {}) => {
    const { body } = await call(telegram, bot.token, "getStarTransactions", params);
    return JSON.parse(JSON.stringify(body.result)).transactions as Record<string, unknown>[];
  };
  return { telegram, bot, link, alice, chargeId, refund, transactions };
}

test("a refund gives the Stars back once; the second call says so", async () => {
  const { telegram, alice, chargeId, refund } = await paid();
  expect((await refund(alice.id, chargeId)).body).toEqual({ ok: true, result: true });
  expect((await refund(alice.id, chargeId)).body).toMatchObject({
    error_code: 400,
    description: "Bad Request: CHARGE_ALREADY_REFUNDED",
  });
  expect(await alice.stars()).toBe(1000);
  const ledger = await telegram.ledger.read();
  expect(ledger.refunds).toMatchObject([{ chargeId, userId: alice.id, amount: 100, by: "bot" }]);
  expect(ledger.balances[0]?.stars).toBe(0);
  expect(ledger.problems).toEqual([]);
});

test("a refund is an entry with the id of the charge and a receiver instead of a source", async () => {
  const { alice, chargeId, refund, transactions } = await paid();
  await refund(String(alice.id), chargeId);
  const partner = {
    type: "user",
    transaction_type: "invoice_payment",
    invoice_payload: "order-1",
    user: { id: alice.id },
  };
  const [incoming, outgoing, ...rest] = await transactions();
  expect(incoming).toMatchObject({ id: chargeId, amount: 100, source: partner });
  expect(outgoing).toMatchObject({ id: chargeId, amount: 100, receiver: partner });
  expect(incoming).not.toHaveProperty("receiver");
  expect(outgoing).not.toHaveProperty("source");
  expect(rest).toEqual([]);
});

test("the refunded_payment message comes from the bot itself, into the buyer's chat", async () => {
  const { telegram, bot, alice, chargeId, refund } = await paid();
  await refund(alice.id, chargeId);
  expect((await telegram.updates.pending()).at(-1)).toMatchObject({
    message: {
      from: { id: bot.id, is_bot: true },
      chat: { id: alice.id },
      refunded_payment: { telegram_payment_charge_id: chargeId, total_amount: 100, invoice_payload: "order-1" },
    },
  });
});

test("Telegram's refusals of refunds keep their texts", async () => {
  const { telegram, alice, chargeId, refund } = await paid();
  const bob = telegram.user();
  const description = async (user: unknown, charge: unknown) => (await refund(user, charge)).body.description;
  expect(await description(undefined, chargeId)).toBe("Bad Request: invalid user_id specified");
  expect(await description("abc", chargeId)).toBe("Bad Request: invalid user_id specified");
  expect(await description(0, chargeId)).toBe("Bad Request: invalid user_id specified");
  expect(await description(alice.id, "")).toBe('Bad Request: parameter "telegram_payment_charge_id" is required');
  expect(await description(alice.id, "nothing")).toBe("Bad Request: CHARGE_NOT_FOUND");
  expect(await description(bob.id, chargeId)).toBe("Bad Request: CHARGE_NOT_FOUND");
  expect(await description(12345, chargeId)).toBe("Bad Request: user not found");
  await telegram.ledger.addForeign({ kind: "withdrawal", amount: 50 });
  expect(await description(alice.id, chargeId)).toBe("Bad Request: BALANCE_TOO_LOW");
});

test("another bot cannot refund the charge", async () => {
  const { telegram, alice, chargeId } = await paid();
  const stranger = telegram.bot();
  const params = { user_id: alice.id, telegram_payment_charge_id: chargeId };
  const reply = await call(telegram, stranger.token, "refundStarPayment", params);
  expect(reply.body.description).toBe("Bad Request: CHARGE_NOT_FOUND");
});

test("a refund is done and its reply is lost; asking again shows that it was done", async () => {
  const { telegram, alice, chargeId, refund } = await paid();
  await telegram.faults.replyLost("refundStarPayment");
  await expect(refund(alice.id, chargeId)).rejects.toThrow();
  expect((await refund(alice.id, chargeId)).body.description).toBe("Bad Request: CHARGE_ALREADY_REFUNDED");
  expect(await alice.stars()).toBe(1000);
});

test("a refund is done and says CHARGE_ALREADY_REFUNDED at once", async () => {
  const { telegram, alice, chargeId, refund } = await paid();
  await telegram.faults.refundDoneButAlreadyRefunded();
  expect((await refund(alice.id, chargeId)).body.description).toBe("Bad Request: CHARGE_ALREADY_REFUNDED");
  expect(await alice.stars()).toBe(1000);
});

test("a refund fails with 429 and with 500, before and after its work", async () => {
  const { telegram, alice, chargeId, refund } = await paid();
  await telegram.faults.tooManyRequests("refundStarPayment", { retryAfter: 1 });
  await telegram.faults.serverError("refundStarPayment");
  expect((await refund(alice.id, chargeId)).status).toBe(429);
  expect((await refund(alice.id, chargeId)).status).toBe(500);
  expect(await alice.stars()).toBe(900);
  await telegram.faults.serverError("refundStarPayment", { effect: "done" });
  expect((await refund(alice.id, chargeId)).status).toBe(500);
  expect(await alice.stars()).toBe(1000);
});

test("support refunds a charge without the bot having asked", async () => {
  const { telegram, alice, chargeId, refund, transactions } = await paid();
  await telegram.refundExternally(chargeId);
  expect(await alice.stars()).toBe(1000);
  expect(await transactions()).toHaveLength(2);
  expect((await telegram.updates.pending()).at(-1)).toHaveProperty("message.refunded_payment");
  expect((await telegram.ledger.read()).refunds).toMatchObject([{ chargeId, by: "external" }]);
  expect((await refund(alice.id, chargeId)).body.description).toBe("Bad Request: CHARGE_ALREADY_REFUNDED");
});

test("a chargeback may show in nothing but the balance", async () => {
  const { telegram, bot, chargeId, transactions } = await paid();
  const before = await telegram.updates.pending();
  await telegram.refundExternally(chargeId, { notice: false, ledgerEntry: false });
  expect(await transactions()).toHaveLength(1);
  expect(await telegram.updates.pending()).toEqual(before);
  expect((await call(telegram, bot.token, "getMyStarBalance")).body.result).toEqual({ amount: 0 });
});

test("transactions come oldest first, offset skips, and values out of range are clamped", async () => {
  const { telegram, chargeId, transactions } = await paid();
  for (let n = 0; n < 120; n++) await telegram.ledger.addForeign({ kind: "other_incoming", amount: n });
  const first = await transactions({ limit: 1000 });
  expect(first).toHaveLength(100);
  expect(first[0]).toMatchObject({ id: chargeId });
  expect(await transactions({ limit: 0 })).toHaveLength(1);
  expect(await transactions({ offset: -5, limit: 2 })).toEqual(first.slice(0, 2));
  expect(await transactions({ offset: 100 })).toHaveLength(21);
  expect(await transactions({ offset: 121 })).toEqual([]);
});

test("foreign entries stand among the bot's own, in either direction", async () => {
  const { telegram, transactions } = await paid();
  await telegram.ledger.addForeign({ kind: "gift", amount: 15 });
  await telegram.ledger.addForeign({ kind: "withdrawal", amount: 20 });
  await telegram.ledger.addForeign({ kind: "withdrawal_failed", amount: 20 });
  await telegram.ledger.addForeign({ kind: "paid_media", amount: 5 });
  await telegram.ledger.addForeign({ kind: "other_outgoing", amount: 1 });
  expect((await transactions()).slice(1)).toMatchObject([
    { receiver: { type: "user", transaction_type: "gift_purchase" } },
    { receiver: { type: "fragment", withdrawal_state: { type: "succeeded" } } },
    { source: { type: "fragment" } },
    { source: { type: "user", transaction_type: "paid_media_payment" } },
    { receiver: { type: "other" } },
  ]);
  expect((await telegram.ledger.read()).balances[0]?.stars).toBe(100 - 15 - 20 + 20 + 5 - 1);
});

test("a short page is no proof of the end", async () => {
  const { telegram, transactions } = await paid();
  await telegram.ledger.addForeign({ kind: "other_incoming", amount: 1 });
  await telegram.faults.shortPages(1);
  expect(await transactions()).toHaveLength(1);
  expect(await transactions({ offset: 1 })).toHaveLength(1);
  expect(await transactions()).toHaveLength(2);
});

test("an affiliate's share leaves the bot a fraction of a Star, and a refund takes back just that", async () => {
  const { telegram, bot, alice, chargeId, refund, transactions } = await paid({
    affiliate: { commissionPerMille: 125 },
  });
  expect(await transactions()).toMatchObject([
    { amount: 87, nanostar_amount: 500_000_000, source: { affiliate: { commission_per_mille: 125, amount: 12 } } },
  ]);
  const balance = async () => (await call(telegram, bot.token, "getMyStarBalance")).body.result;
  expect(await balance()).toEqual({ amount: 87, nanostar_amount: 500_000_000 });
  await refund(alice.id, chargeId);
  expect(await balance()).toEqual({ amount: 0 });
  expect(await alice.stars()).toBe(1000);
});

test("a payment through a provider cannot be refunded by the Bot API", async () => {
  const { telegram, bot, alice, refund } = await paid();
  const prices = [{ label: "Soap", amount: 1000 }];
  const invoice = {
    title: "Soap",
    description: "Soap",
    payload: "p",
    provider_token: "1:TEST",
    currency: "USD",
    prices,
  };
  const { result } = (await call(telegram, bot.token, "createInvoiceLink", invoice)).body;
  const outcome = await alice.pay(String(result), { faults: { skipPreCheckout: true } });
  const chargeId = outcome.outcome === "paid" ? outcome.chargeId : "";
  expect((await refund(alice.id, chargeId)).body.description).toBe("Bad Request: CHARGE_NOT_FOUND");
});
