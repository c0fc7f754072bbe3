import { createBookonce, type Refunder, type RefundTask } from "bookonce";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { book, minute, receipt } from "../support/fixtures.ts";

// S12 for providers whose refund call is not idempotent: what may be done is looked up before it is sent again, until it is known.
const providers = { bank: { refund: "api", partialRefund: true } } as const;
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase({ providers });
});
afterAll(() => db.drop());

type Answer = Awaited<ReturnType<Refunder["refund"]>>;

/** A bank that returns money whenever it is asked to, and tells whether it has only when it has time. */
function bank(afterwards: readonly (Answer | "moves, and does not answer")[]) {
  const answers = [...afterwards];
  const asked: boolean[] = [];
  let moved = 0;
  const refunder: Refunder = {
    provider: "bank",
    async refund({ maybeDone }: RefundTask) {
      asked.push(maybeDone);
      const answer = answers.shift() ?? { answer: "refunded" as const, by: "bank" };
      if (!maybeDone) moved += 1;
      if (answer === "moves, and does not answer") throw new Error("time-out");
      return answer;
    },
  };
  return { refunder, asked, moved: () => moved };
}

const later: Answer = { answer: "retry_later", afterMs: 1_000, error: "429 on the look-up" };

test.each([
  ["told to come later", later],
  ["told something unknown", { answer: "unrecognised", error: "?" }],
  ["told that the bank is closed", { answer: "pause", error: "closed" }],
] as const)("S12: a look-up that is %s does not make it forgotten that the money may have moved", async (_, answer) => {
  const booking = await book(db.bookonce);
  await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
  await receipt(db.bookonce, booking, { provider: "bank" });
  const { refunder, asked, moved } = bank(["moves, and does not answer", answer, answer]);
  for (let run = 0; run < 4; run += 1) {
    await db.bookonce.refunds.run(refunder, { limit: 1 });
    await db.clock.advance(5 * minute);
  }
  await db.clock.reset();
  expect(asked).toEqual([false, true, true, true]);
  expect(moved()).toBe(1);
  expect(await db.bookonce.refunds.list()).toEqual([]);
});

test("S12: a person who retries what was refused in the end does not make it forgotten either", async () => {
  const booking = await book(db.bookonce);
  await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
  const paid = await receipt(db.bookonce, booking, { provider: "bank" });
  if (paid.outcome !== "late" || paid.refund === null) throw new Error(paid.outcome);
  const { refunder, asked } = bank(["moves, and does not answer", { answer: "refused", error: "no such call" }]);
  for (let run = 0; run < 2; run += 1) {
    await db.bookonce.refunds.run(refunder, { limit: 1 });
    await db.clock.advance(5 * minute);
  }
  await db.bookonce.refunds.retry({ refundId: paid.refund.id, actor: "olga" });
  await db.bookonce.refunds.run(refunder, { limit: 1 });
  await db.clock.reset();
  expect(asked).toEqual([false, true, true]);
});

test("S12: the other half of a payment, returned elsewhere, is recorded beside the half that we returned", async () => {
  const tiers = [{ until: { hours: 1 }, percent: 50 }];
  const policies = { cancellation: { tiers } };
  const shop = createBookonce({ database: db.database, schema: testSchema, providers, policies });
  const held = await book(shop);
  const paid = await receipt(shop, held, { provider: "bank" });
  if (paid.outcome !== "booked") throw new Error(paid.outcome);
  const cancelled = await shop.cancel({ bookingId: held.id, customer: held.customer });
  if (cancelled.outcome !== "cancelled" || cancelled.refund === null) throw new Error(cancelled.outcome);
  await shop.refunds.resolve({ refundId: cancelled.refund.id, actor: "olga", note: "by hand" });

  const rest = { paymentId: paid.payment.id, by: "cabinet" };
  expect(await shop.refunds.recordExternal(rest)).toMatchObject({ outcome: "recorded", refund: { amount: 250 } });
  expect(await shop.refunds.recordExternal(rest)).toEqual({ outcome: "known" });
  expect((await shop.audit()).problems).toEqual([]);
});

test("S12: a worker that takes the refund while what went back elsewhere is written down waits, and finds it done", async () => {
  const booking = await book(db.bookonce);
  await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
  const paid = await receipt(db.bookonce, booking, { provider: "bank" });
  if (paid.outcome !== "late" || paid.refund === null) throw new Error(paid.outcome);
  const refundId = paid.refund.id;
  // As a worker leases it: whatever is locked is skipped.
  const lease = `with due as (select id from ${db.schema}.refunds where id = $1 for no key update skip locked)
    update ${db.schema}.refunds r set state = 'sending', attempts = attempts + 1, lease_token = gen_random_uuid(),
      lease_until = now() + interval '1 minute' from due where r.id = due.id`;
  const leased: (number | null)[] = [];
  const shop = createBookonce({
    schema: testSchema,
    providers,
    database: {
      join: (caller: never) => db.database.join(caller),
      transaction: (options, work) =>
        db.database.transaction(options, (transaction) =>
          work({
            async send(statements, more) {
              // Between the read and the write.
              if (more?.last === true) leased.push((await db.pool.query(lease, [refundId])).rowCount);
              return transaction.send(statements, more);
            },
          }),
        ),
    },
  });
  const recorded = await shop.refunds.recordExternal({ paymentId: paid.payment.id, by: "cabinet" });
  expect(recorded).toMatchObject({ outcome: "recorded", refund: { id: refundId, state: "completed" } });
  expect(leased.at(-1)).toBe(0);
});
