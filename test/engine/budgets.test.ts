import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions, Database, Transaction, TransactionOptions } from "bookonce";
import { createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { budgetLeft, patienceOf, patienceWithin, restOf, signalOf } from "../../src/verbs/patience.ts";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { bookFree, type Shop } from "../support/fixtures.ts";
import { at, offering, sold, ten, waits } from "../support/waiting.ts";

// S3: a budget is for the whole call: for its reads too, and one for all of its steps.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());
afterEach(() => {
  vi.useRealTimers();
});

/** Long before the half minute after which a read gives up by itself, and long after the budgets here. */
const longEnough = 12_000;

async function inTime(call: Promise<unknown>): Promise<unknown> {
  const answer = call.catch((error: unknown) => error);
  return Promise.race([answer, sleep(longEnough, "no answer", { ref: false })]);
}

/** An instance whose only connection is somebody else's. */
async function withoutConnection(ask: (shop: Shop) => Promise<unknown>): Promise<unknown> {
  const own = pgDatabase({ connectionString: db.url, max: 1, connectionTimeoutMillis: 0 });
  const taken = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const timeouts = { lockTimeoutMs: 60_000, statementTimeoutMs: 60_000, idleTimeoutMs: 60_000 };
  const holding = own.transaction(timeouts, async (tx) => {
    await tx.send([{ text: "select 1", values: [] }]);
    taken.resolve();
    await free.promise;
  });
  await taken.promise;
  const answer = await inTime(ask(createBookonce({ database: own, schema: testSchema })));
  free.resolve();
  await holding;
  await own.close();
  return answer;
}

const options: CallOptions = { budgetMs: 200 };
const id = "00000000-0000-4000-8000-000000000000";
const consent = { text: "yes" };
const unavailable = { name: "BookonceError", code: "unavailable", retryable: true };
const calls: Record<string, readonly [ask: (shop: Shop) => Promise<unknown>, answer: object]> = {
  reserveSlot: [
    (shop) => shop.reserveSlot({ customer: "x", service: "s", start: ten }, options),
    { outcome: "refused", reason: "busy", retryable: true },
  ],
  reschedule: [(shop) => shop.reschedule({ bookingId: id, customer: "x", start: ten }, options), unavailable],
  "slots.find": [(shop) => shop.slots.find({ service: "s", from: ten, to: at(12) }, options), unavailable],
  "slots.explain": [(shop) => shop.slots.explain({ service: "s", start: ten }, options), unavailable],
  "slots.nextFree": [(shop) => shop.slots.nextFree({ service: "s" }, options), unavailable],
  "waitlist.join": [
    (shop) => shop.waitlist.join({ customer: "x", service: "s", from: ten, to: at(12), consent }, options),
    unavailable,
  ],
  "waitlist.leave": [(shop) => shop.waitlist.leave({ entryId: id, administrator: "olga" }, options), unavailable],
  "waitlist.tick": [(shop) => shop.waitlist.tick(options), unavailable],
  sweep: [(shop) => shop.sweep(options), unavailable],
  reanchor: [(shop) => shop.reanchor({ actor: "olga" }, options), unavailable],
};

test.each(Object.entries(calls))(
  "S3: without a connection %s is answered when its budget is over",
  async (_, [ask, answer]) => {
    expect(await withoutConnection(ask)).toMatchObject(answer);
  },
);

test("S3: what a verb has freed is offered in what is left of its budget: it answers, though the offer does not come to an end", async () => {
  const service = await offering(db.bookonce, "cut");
  const booking = await sold(db.bookonce, service, "owner");
  await waits(db.bookonce, service, "next");
  let transactions = 0;
  // The first is the cancellation; after it nothing answers any more.
  const database: Database = {
    join: (caller) => db.database.join(caller as never),
    async transaction<Result>(given: TransactionOptions, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
      transactions += 1;
      if (transactions === 1) return db.database.transaction(given, work);
      return new Promise<Result>((_, reject) => {
        given.signal?.addEventListener("abort", () => reject(new Error("gave up")), { once: true });
      });
    },
  };
  const shop = createBookonce({ database, schema: testSchema });
  const answer = inTime(shop.cancel({ bookingId: booking.id, customer: "owner" }, { budgetMs: 2_000 }));
  expect(await answer).toMatchObject({ outcome: "cancelled" });
  expect(transactions).toBe(2);
});

test("S3: a signal of the caller's still ends a call that has a budget", async () => {
  const abort = new AbortController();
  const asking = withoutConnection((shop) => {
    const finding = shop.slots.find(
      { service: "s", from: ten, to: at(12) },
      { budgetMs: 60_000, signal: abort.signal },
    );
    abort.abort();
    return finding;
  });
  expect(await asking).toMatchObject(unavailable);
});

test("each step of a call gets what is left; without a budget its usual one, or one for all of them", () => {
  vi.useFakeTimers();
  const asked = patienceOf({ budgetMs: 300 });
  const usual = patienceWithin({}, 10_000);
  vi.advanceTimersByTime(200);
  expect([budgetLeft(asked, 10_000), budgetLeft(usual, 5_000), budgetLeft({}, 5_000)]).toEqual([100, 9_800, 5_000]);
  expect(patienceWithin(asked, 10_000)).toBe(asked);
  expect([restOf(asked), restOf(usual), restOf({})]).toEqual([{ budgetMs: 100 }, { budgetMs: 9_800 }, {}]);
  vi.advanceTimersByTime(200);
  expect(budgetLeft(asked, 10_000)).toBe(0);
});

test("a budget without end, or of months, is no signal that fires at once", async () => {
  const { signal } = new AbortController();
  expect(signalOf(patienceOf({ budgetMs: Number.POSITIVE_INFINITY }))).toBeUndefined();
  expect(signalOf(patienceOf({ budgetMs: Number.POSITIVE_INFINITY, signal }))).toBe(signal);
  const long = signalOf(patienceOf({ budgetMs: 1e12 }));
  await sleep(20);
  expect(long?.aborted).toBe(false);
  const booking = await bookFree(db.bookonce);
  const moved = db.bookonce.reschedule(
    { bookingId: booking.id, customer: booking.customer, start: ten },
    { budgetMs: 1e12 },
  );
  expect(await moved).toMatchObject({ outcome: "rescheduled" });
});
