import { type BookingView, createBookonce } from "bookonce";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { book, digestOf, query, receiptOf, soon } from "../support/fixtures.ts";
import { type Anything, cyclic, expectRefusal, nobodysId as id, NUL } from "../support/malformed.ts";

// O6: bad options are a clear typed refusal that names the problem, and nothing is written.
let db: TestDatabase;
let booking: BookingView;
let before: string;
beforeAll(async () => {
  db = await createTestDatabase();
  await db.bookonce.services.put({ id: "visit", duration: { minutes: 60 }, resources: ["anna"] });
  booking = await book(db.bookonce, { customer: "ivan" });
  before = await digestOf(db);
});
afterAll(() => db.drop());

const refused = (call: () => Promise<unknown>, path: string) => expectRefusal(db, call, path, before);

const own = () => ({ bookingId: booking.id, customer: "ivan" });
const visit = { service: "visit", customer: "ivan" };
/** Every call that takes options, with an input that would otherwise do something. */
const calls: Readonly<Record<string, (shop: Anything, options: unknown) => Promise<unknown>>> = {
  reserveSlot: (shop, options) => shop.reserveSlot({ ...visit, start: soon }, options),
  decidePreCheckout: (shop, options) => shop.decidePreCheckout(query(booking), options),
  confirmPayment: (shop, options) => shop.confirmPayment(receiptOf(booking), options),
  "confirmPayment of another's payload": (shop, options) =>
    shop.confirmPayment({ ...receiptOf(booking), payload: "not ours" }, options),
  voidApproval: (shop, options) =>
    shop.voidApproval({ provider: "p", account: "a", checkoutId: "c", payload: booking.payload, reason: "r" }, options),
  cancel: (shop, options) => shop.cancel(own(), options),
  previewCancel: (shop, options) => shop.previewCancel(own(), options),
  confirm: (shop, options) => shop.confirm({ bookingId: booking.id, administrator: "olga" }, options),
  reschedule: (shop, options) => shop.reschedule({ ...own(), duration: { minutes: 30 } }, options),
  transfer: (shop, options) => shop.transfer({ ...own(), to: "olga" }, options),
  checkIn: (shop, options) => shop.checkIn({ bookingId: booking.id, actor: "olga" }, options),
  markNoShow: (shop, options) => shop.markNoShow({ bookingId: booking.id, actor: "olga" }, options),
  "waitlist.join": (shop, options) =>
    shop.waitlist.join({ ...visit, from: soon, to: new Date(+soon + 7.2e6), consent: { text: "yes" } }, options),
  "waitlist.leave": (shop, options) => shop.waitlist.leave({ entryId: id, customer: "ivan" }, options),
  "waitlist.decline": (shop, options) => shop.waitlist.decline(own(), options),
};
/** Those that an instance has and a transaction of the caller's has not. */
const ownCalls: typeof calls = {
  "waitlist.tick": (shop, options) => shop.waitlist.tick(options),
  "slots.find": (shop, options) => shop.slots.find({ ...visit, from: soon, to: new Date(+soon + 7.2e6) }, options),
  "slots.explain": (shop, options) => shop.slots.explain({ ...visit, start: soon }, options),
  "slots.nextFree": (shop, options) => shop.slots.nextFree(visit, options),
  sweep: (shop, options) => shop.sweep(options),
  reanchor: (shop, options) => shop.reanchor({ actor: "olga" }, options),
};

const badOptions: readonly (readonly [problem: string, options: unknown, path: string])[] = [
  ["null", null, "input"],
  ["a number", 500, "input"],
  ["an unknown key", { timeoutMs: 500 }, "input"],
  ["a budget that is null", { budgetMs: null }, "budgetMs"],
  ["a budget of NaN", { budgetMs: Number.NaN }, "budgetMs"],
  ["a negative budget", { budgetMs: -1 }, "budgetMs"],
  ["a budget that is less than nothing without end", { budgetMs: Number.NEGATIVE_INFINITY }, "budgetMs"],
  ["a budget that is text", { budgetMs: "500" }, "budgetMs"],
  ["a signal that is null", { signal: null }, "signal"],
  ["a signal that is the controller", { signal: new AbortController() }, "signal"],
];

describe.each(Object.entries({ ...calls, ...ownCalls }))("O6: %s refuses options with", (_, call) => {
  test.each(badOptions)("%s", (__, options, path) => refused(() => call(db.bookonce, options), path));
});

test.each(Object.entries(calls))(
  "O4, O6: %s refuses them inside the caller's transaction too, which stays usable",
  async (_, call) => {
    const client = await db.pool.connect();
    await client.query("begin");
    for (const [, options, path] of badOptions) await refused(() => call(db.bookonce.within(client), options), path);
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await client.query("rollback");
    client.release();
  },
);

const refunder = { provider: "telegram_stars", refund: async () => ({ answer: "refunded", by: "x" }) };
const never = async () => {
  throw new Error("not to be called");
};
const cursor = (value: unknown) => (shop: Anything) => shop.cursors.set("ledger", value);
const workers: readonly (readonly [problem: string, call: (shop: Anything) => Promise<unknown>, path: string])[] = [
  ["refunds.run: options that are null", (shop) => shop.refunds.run(refunder, null), "input"],
  [
    "refunds.run: an endless time",
    (shop) => shop.refunds.run(refunder, { callTimeoutMs: Number.POSITIVE_INFINITY }),
    "callTimeoutMs",
  ],
  ["refunds.run: a limit of null", (shop) => shop.refunds.run(refunder, { limit: null }), "limit"],
  ["refunds.run: a signal that is none", (shop) => shop.refunds.run(refunder, { signal: {} }), "signal"],
  ["refunds.run: no refunder", (shop) => shop.refunds.run(undefined), "input"],
  ["refunds.run: a refunder without a call", (shop) => shop.refunds.run({ provider: "p" }), "refund"],
  ["refunds.run: a refunder of nobody", (shop) => shop.refunds.run({ ...refunder, provider: "" }), "provider"],
  ["refunds.run: an account that is a number", (shop) => shop.refunds.run({ ...refunder, account: 77 }), "account"],
  ["events.run: options that are null", (shop) => shop.events.run(never, null), "input"],
  ["events.run: no handler", (shop) => shop.events.run(), "input"],
  ["events.run: a handler that is an object", (shop) => shop.events.run({ handle: never }), "input"],
  ["events.run: a signal that is none", (shop) => shop.events.run(never, { signal: "stop" }), "signal"],
  ["events.run: parked after no failure at all", (shop) => shop.events.run(never, { parkAfter: 0 }), "parkAfter"],
  ["reminders.run: null", (shop) => shop.reminders.run(null), "input"],
  ["reminders.run: a signal that is none", (shop) => shop.reminders.run({ signal: null }), "signal"],
  ["payments.totals: nothing", (shop) => shop.payments.totals(), "input"],
  ["cursors.get: no name", (shop) => shop.cursors.get(""), "input"],
  ["cursors.set: a value that is undefined", cursor(undefined), "value"],
  ["cursors.set: a value of NaN", cursor(Number.NaN), "value"],
  ["cursors.set: a bigint", cursor(5n), "value"],
  ["cursors.set: a value with NUL", cursor({ a: NUL }), "value"],
  ["cursors.set: a value that contains itself", cursor(cyclic), "value"],
  [
    "services.put: a rule of times that is misspelt",
    (shop) =>
      shop.services.put({
        id: "x",
        duration: { minutes: 5 },
        resources: ["anna"],
        times: { schedule: { zone: "UTC", weekly: {} }, notise: { hours: 2 } },
      }),
    "notise",
  ],
  [
    "services.put: a notice of null",
    (shop) =>
      shop.services.put({
        id: "x",
        duration: { minutes: 5 },
        resources: ["anna"],
        times: { schedule: { zone: "UTC", weekly: {} }, notice: null },
      }),
    "",
  ],
];

describe("O6: refused too", () => {
  test.each(workers)("%s", (_, call, path) => refused(async () => call(db.bookonce), path));

  test("within() of nothing", () => refused(async () => db.bookonce.within(null as Anything), "input"));
});

test("a cursor takes any JSON and gives it back", async () => {
  const own = await createTestDatabase();
  for (const value of [0, "text", null, [1, { a: null }], { page: 3 }, true]) {
    await own.bookonce.cursors.set("ledger", value);
    expect(await own.bookonce.cursors.get("ledger")).toEqual(value);
  }
  expect(await own.bookonce.cursors.get("nobody's")).toBeNull();
  await own.drop();
});

describe("O6: an instance is not made with policies that are none", () => {
  test.each([
    ["a hold of nothing", { hold: {} }, "hold"],
    ["a hold that is a number", { hold: 15 }, "hold"],
    ["no live holds at all", { maxLiveHoldsPerCustomer: 0 }, "maxLiveHoldsPerCustomer"],
    ["half a live hold", { maxLiveHoldsPerCustomer: 0.5 }, "maxLiveHoldsPerCustomer"],
    ["a late payment that is lost", { latePayment: "keep" }, "latePayment"],
    ["a negative grace", { settlementGrace: { minutes: -1 } }, "settlementGrace.minutes"],
    [
      "a grace of nothing for a provider",
      { settlementGraceByProvider: { slow: {} } },
      "settlementGraceByProvider.slow",
    ],
    ["a cancellation that is a text", { cancellation: "free" }, "cancellation"],
    ["an afterwards that is none", { cancellation: { afterwards: "fee" } }, "cancellation.afterwards"],
    ["an unknown policy", { capacity: 3 }, "input"],
  ])("%s", (_, policies, path) => refused(async () => db.another({ policies: policies as Anything }), path));
});

describe("O6: an instance is not made with options that are none", () => {
  const make = (over: object) => async () => createBookonce({ database: db.database, ...over } as Anything);
  test.each([
    ["no database", { database: undefined }, "database"],
    ["a database that is an address", { database: "postgres://localhost/bot" }, "database"],
    ["a pool in place of a database", { database: { connect: never, query: never } }, "database"],
    ["a schema of null", { schema: null }, "schema"],
    ["a schema without a name", { schema: "" }, "schema"],
    ["policies of null", { policies: null }, "input"],
    ["reminders of null", { reminders: null }, "input"],
    ["a reminder without a time", { reminders: [{ kind: "x", before: null }] }, "0.before"],
    ["a batch of null", { batch: null }, "batch"],
    ["a batch size of NaN", { batch: { size: Number.NaN } }, "batch.size"],
    ["an endless batch", { batch: { size: Number.POSITIVE_INFINITY } }, "batch.size"],
    ["half a batch in flight", { batch: { inFlight: 0.5 } }, "batch.inFlight"],
    ["time-outs of null", { timeouts: null }, "timeouts"],
    ["a time-out of null", { timeouts: { lockMs: null } }, "timeouts.lockMs"],
    ["a negative time-out", { timeouts: { idleMs: -1 } }, "timeouts.idleMs"],
    ["a time-out that is misspelt", { timeouts: { lock: 5 } }, "timeouts"],
    ["providers of null", { providers: null }, "providers"],
    ["a provider of null", { providers: { acme: null } }, "providers.acme"],
    [
      "a provider that refunds in its own way",
      { providers: { acme: { refund: "perhaps", partialRefund: true } } },
      "providers.acme.refund",
    ],
    ["an unknown key", { policy: {} }, "input"],
  ])("%s", (_, over, path) => refused(make(over), path));

  test("nothing at all", () => refused(async () => createBookonce(undefined as Anything), "input"));
});
