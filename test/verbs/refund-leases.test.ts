import type { RefundAnswer, Refunder } from "bookonce";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestDatabase } from "../support/database.ts";
import { lateCharge, minute } from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

let db: TestDatabase;
beforeEach(async () => {
  db = await createFrozenDatabase();
});
afterEach(() => db.drop());

/** A worker whose provider is slow: `started` when it has been called, and answers when it is told. */
function slowWorker(shop = db.another()) {
  const started = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<RefundAnswer>();
  const refunder: Refunder = {
    provider: "telegram_stars",
    refund: () => {
      started.resolve();
      return answer.promise;
    },
  };
  const run = shop.refunds.run(refunder, { limit: 1, callTimeoutMs: 50_000 });
  return { started: started.promise, answer: answer.resolve, run };
}

const quick = (answer: RefundAnswer): Refunder => ({ provider: "telegram_stars", refund: async () => answer });
const done: RefundAnswer = { answer: "refunded", by: "telegram" };

describe("S12: a lease", () => {
  test("keeps other workers away while it lasts, and lets them take over when it is over", async () => {
    const { paymentId } = await lateCharge(db);
    const slow = slowWorker();
    await slow.started;
    expect(await db.bookonce.refunds.run(quick(done))).toMatchObject({ completed: 0 });
    await db.clock.advance(2 * 50_000 - 1);
    expect(await db.bookonce.refunds.run(quick(done))).toMatchObject({ completed: 0 });
    await db.clock.advance(1);
    expect(await db.bookonce.refunds.run(quick(done))).toMatchObject({ completed: 1 });
    slow.answer({ answer: "unknown", error: "timed out" });
    expect(await slow.run).toMatchObject({ completed: 0, unconfirmed: 0 });
    expect(await db.bookonce.refunds.ofPayment(paymentId)).toMatchObject([{ state: "completed", attempts: 2 }]);
  });

  test.each([
    { answer: "unknown", error: "x" },
    { answer: "refused", error: "x" },
    { answer: "retry_later", afterMs: 1, error: "x" },
    { answer: "unrecognised", error: "x" },
  ] as const)(
    "that was lost: the slow worker's late '$answer' says nothing about the call in flight",
    async (answer) => {
      const { paymentId } = await lateCharge(db);
      const first = slowWorker();
      await first.started;
      await db.clock.advance(2 * minute);
      const second = slowWorker();
      await second.started;
      first.answer(answer);
      await first.run;
      const [between] = await db.bookonce.refunds.ofPayment(paymentId);
      expect(between).toMatchObject({ state: "sending", attempts: 2, lastError: null });
      second.answer(done);
      expect(await second.run).toMatchObject({ completed: 1 });
    },
  );

  test("that was lost: the slow worker's late success counts, and the second call's answer changes nothing", async () => {
    const { paymentId } = await lateCharge(db);
    const first = slowWorker();
    await first.started;
    await db.clock.advance(2 * minute);
    const second = slowWorker();
    await second.started;
    first.answer({ answer: "refunded", by: "first" });
    expect(await first.run).toMatchObject({ completed: 1 });
    second.answer({ answer: "refused", error: "already refunded" });
    expect(await second.run).toMatchObject({ completed: 0, needsAttention: 0 });
    expect(await db.bookonce.refunds.ofPayment(paymentId)).toMatchObject([
      { state: "completed", completedBy: "first" },
    ]);
  });

  test("of a worker that died is taken over, and the next is told that it may be done already", async () => {
    await lateCharge(db);
    const dead = slowWorker();
    await dead.started;
    await db.clock.advance(2 * minute);
    const maybe: boolean[] = [];
    await db.bookonce.refunds.run({
      provider: "telegram_stars",
      async refund({ maybeDone }) {
        maybe.push(maybeDone);
        return done;
      },
    });
    expect(maybe).toEqual([true]);
    dead.answer(done);
    expect(await dead.run).toMatchObject({ completed: 0 });
    const { rows } = await db.pool.query(
      `select count(*)::int as n from ${db.schema}.events where type = 'refund_completed'`,
    );
    expect(rows).toEqual([{ n: 1 }]);
  });
});
