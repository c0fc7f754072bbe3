import type { Refunder } from "bookonce";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestDatabase } from "../support/database.ts";
import { historyOf, lateCharge, minute } from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";
import { type Answer, answering, done } from "../support/refunders.ts";

// S12: the refund outbox. Nothing is called before the commit, and nothing is forgotten after it.
let db: TestDatabase;
beforeEach(async () => {
  db = await createFrozenDatabase();
});
afterEach(() => db.drop());

const refundNow = async (refundId: string) =>
  (await db.bookonce.refunds.list()).find((refund) => refund.id === refundId);
const nothing = { completed: 0, unconfirmed: 0, pending: 0, needsAttention: 0, paused: null };

describe("S12: a refund is made once the payment is committed", () => {
  test("the provider is given the charge, the payer and the amount; then it is completed and not called again", async () => {
    const { refundId, paymentId, chargeId, booking } = await lateCharge(db);
    const refunder = answering(done);
    expect(await db.bookonce.refunds.run(refunder)).toEqual({ ...nothing, completed: 1 });
    expect(refunder.tasks).toMatchObject([
      {
        refund: { id: refundId, paymentId, amount: 500, currency: "XTR", state: "sending", attempts: 1 },
        payment: { chargeId, payer: booking.customer, provider: "telegram_stars", account: "bot" },
        maybeDone: false,
      },
    ]);
    expect(await db.bookonce.refunds.ofPayment(paymentId)).toMatchObject([
      { state: "completed", completedBy: "telegram", completedAt: expect.any(Date), lastError: null },
    ]);
    expect(await db.bookonce.refunds.run(refunder)).toEqual(nothing);
    expect(refunder.tasks).toHaveLength(1);
    expect((await historyOf(db.bookonce, booking)).slice(-2)).toEqual(["refund_requested", "refund_completed"]);
  });

  test("only its own provider's refunds are given to a refunder, and no more than the limit", async () => {
    await lateCharge(db, { provider: "telegram_payments" });
    const first = await lateCharge(db);
    await db.clock.advance(1);
    for (const _ of [2, 3]) await lateCharge(db);
    const refunder = answering(done);
    expect(await db.bookonce.refunds.run(refunder, { limit: 2 })).toMatchObject({ completed: 2 });
    expect(refunder.tasks[0]?.refund.id).toBe(first.refundId);
    expect(await db.bookonce.refunds.run(refunder)).toMatchObject({ completed: 1 });
    expect(await db.bookonce.refunds.list({ state: "needs_attention" })).toHaveLength(1);
  });

  test("no transaction is open while the provider is called", async () => {
    await lateCharge(db);
    const open = async (): Promise<Answer> => {
      const { rows } = await db.pool.query(
        "select pid from pg_stat_activity where datname = current_database() and state like 'idle in %'",
      );
      expect(rows).toEqual([]);
      return done;
    };
    expect(await db.bookonce.refunds.run({ provider: "telegram_stars", refund: open })).toMatchObject({ completed: 1 });
  });
});

describe("S12: what the provider may answer", () => {
  test("a time-out leaves it unconfirmed, not failed; the next call is told that it may be done already", async () => {
    const { refundId } = await lateCharge(db);
    const refunder = answering({ answer: "unknown", error: "timed out" }, done);
    expect(await db.bookonce.refunds.run(refunder)).toEqual({ ...nothing, unconfirmed: 1 });
    expect(await refundNow(refundId)).toMatchObject({ state: "unconfirmed", lastError: "timed out", attempts: 1 });
    await db.clock.advance(4_999);
    expect(await db.bookonce.refunds.run(refunder)).toEqual(nothing);
    await db.clock.advance(1);
    expect(await db.bookonce.refunds.run(refunder)).toEqual({ ...nothing, completed: 1 });
    expect(refunder.tasks.map((task) => task.maybeDone)).toEqual([false, true]);
  });

  test("a refunder that throws, or never answers, leaves it unconfirmed too", async () => {
    const { refundId } = await lateCharge(db);
    await db.bookonce.refunds.run(answering(new Error("socket hang up")));
    expect(await refundNow(refundId)).toMatchObject({ state: "unconfirmed", lastError: "socket hang up" });
    await db.clock.advance(minute);
    const silent: Refunder = { provider: "telegram_stars", refund: () => new Promise(() => undefined) };
    expect(await db.bookonce.refunds.run(silent, { callTimeoutMs: 30 })).toMatchObject({ unconfirmed: 1 });
    expect(await refundNow(refundId)).toMatchObject({
      state: "unconfirmed",
      lastError: expect.stringContaining("too long"),
    });
  });

  test.each([
    ["an answer that is none", undefined],
    ["an answer of no known kind", { answer: "perhaps" }],
    ["a wait that is no number", { answer: "retry_later", afterMs: Number.NaN, error: "429" }],
  ])("%s leaves it unconfirmed: the money may have moved", async (_, answer) => {
    const { refundId } = await lateCharge(db);
    const refunder: Refunder = { provider: "telegram_stars", refund: async () => answer as Answer };
    expect(await db.bookonce.refunds.run(refunder)).toEqual({ ...nothing, unconfirmed: 1 });
    expect(await refundNow(refundId)).toMatchObject({ state: "unconfirmed" });
  });

  test("a success whose teller gives no name is a success", async () => {
    const { refundId } = await lateCharge(db);
    const refunder = answering({ answer: "refunded" } as Answer);
    expect(await db.bookonce.refunds.run(refunder)).toEqual({ ...nothing, completed: 1 });
    expect(await refundNow(refundId)).toBeUndefined();
  });

  test.each([
    ["a NUL", "bad \u0000 byte"],
    ["half a character", `bad \ud83d`],
    ["a very long text that is cut inside a character", `${"x".repeat(999)}😀${"y".repeat(5_000)}`],
  ])("an error text with %s is kept as far as it can be", async (_, error) => {
    const { refundId } = await lateCharge(db);
    expect(await db.bookonce.refunds.run(answering({ answer: "unknown", error }))).toEqual({
      ...nothing,
      unconfirmed: 1,
    });
    await db.clock.advance(minute);
    expect(await db.bookonce.refunds.run(answering(new Error(error)))).toEqual({ ...nothing, unconfirmed: 1 });
    expect((await refundNow(refundId))?.lastError).toMatch(/^(bad|xxx)/);
  });

  test("the wait between calls doubles", async () => {
    const { refundId } = await lateCharge(db);
    const refunder = answering({ answer: "unknown", error: "x" });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await db.bookonce.refunds.run(refunder);
      const { rows } = await db.pool.query<{ wait: number }>(
        `select extract(epoch from due_at - ${db.schema}.clock())::int as wait from ${db.schema}.refunds where id = $1`,
        [refundId],
      );
      const wait = rows[0]?.wait ?? 0;
      waits.push(wait);
      await db.clock.advance(wait * 1_000);
    }
    expect(waits).toEqual([5, 10, 20, 40]);
  });

  test("429 waits for as long as the provider asks", async () => {
    await lateCharge(db);
    const refunder = answering({ answer: "retry_later", afterMs: 33_000, error: "429" }, done);
    expect(await db.bookonce.refunds.run(refunder)).toEqual({ ...nothing, pending: 1 });
    await db.clock.advance(32_999);
    expect(await db.bookonce.refunds.run(refunder)).toEqual(nothing);
    await db.clock.advance(1);
    expect(await db.bookonce.refunds.run(refunder)).toEqual({ ...nothing, completed: 1 });
    expect(refunder.tasks[1]?.maybeDone).toBe(false);
  });

  test("a refusal for good asks a person, and is not tried again", async () => {
    const { refundId, booking } = await lateCharge(db);
    const refunder = answering({ answer: "refused", error: "CHARGE_NOT_FOUND" });
    expect(await db.bookonce.refunds.run(refunder)).toEqual({ ...nothing, needsAttention: 1 });
    await db.clock.advance(100 * minute);
    expect(await db.bookonce.refunds.run(refunder)).toEqual(nothing);
    expect(await refundNow(refundId)).toMatchObject({ state: "needs_attention", lastError: "CHARGE_NOT_FOUND" });
    expect((await historyOf(db.bookonce, booking)).at(-1)).toBe("refund_needs_attention");
  });

  test("a refusal that nobody knows is tried eight times, and then asks a person", async () => {
    const { refundId } = await lateCharge(db);
    const refunder = answering({ answer: "unrecognised", error: "NEW_ERROR" });
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await db.bookonce.refunds.run(refunder);
      await db.clock.advance(60 * minute);
    }
    expect(refunder.tasks).toHaveLength(8);
    expect(await refundNow(refundId)).toMatchObject({ state: "needs_attention", attempts: 8 });
  });

  test("a pause ends the run; the rows stay and are due again later", async () => {
    const [first, second] = [await lateCharge(db), await lateCharge(db)];
    const refunder = answering({ answer: "pause", error: "token revoked" });
    expect(await db.bookonce.refunds.run(refunder)).toEqual({ ...nothing, pending: 1, paused: "token revoked" });
    expect(refunder.tasks).toHaveLength(1);
    await db.clock.advance(minute);
    expect(await db.bookonce.refunds.run(answering(done))).toEqual({ ...nothing, completed: 2 });
    expect(await db.bookonce.refunds.ofPayment(first.paymentId)).toMatchObject([{ state: "completed" }]);
    expect(await db.bookonce.refunds.ofPayment(second.paymentId)).toMatchObject([{ state: "completed" }]);
  });

  test("a worker that is stopped takes nothing more, and leaves the call in flight unconfirmed", async () => {
    const { refundId } = await lateCharge(db);
    const stop = new AbortController();
    const refunder: Refunder = {
      provider: "telegram_stars",
      refund: (_, { signal }) => {
        stop.abort();
        expect(signal.aborted).toBe(true);
        return new Promise(() => undefined);
      },
    };
    expect(await db.bookonce.refunds.run(refunder, { signal: stop.signal })).toMatchObject({ unconfirmed: 1 });
    expect(await refundNow(refundId)).toMatchObject({ state: "unconfirmed" });
    expect(await db.bookonce.refunds.run(answering(done), { signal: stop.signal })).toEqual(nothing);
  });
});
