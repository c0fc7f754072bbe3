import { type BookingView, isBookonceError } from "bookonce";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { book, digestOf, query, receiptOf, type Shop, soon } from "../support/fixtures.ts";

// O6: bad input of any kind is a clear typed refusal that names the problem, and nothing is written.
let db: TestDatabase;
let booking: BookingView;
let before: string;
beforeAll(async () => {
  db = await createTestDatabase();
  booking = await book(db.bookonce, { customer: "ivan" });
  before = await digestOf(db);
});
afterAll(() => db.drop());

/** What JavaScript may pass, whatever the types say. */
// biome-ignore lint/suspicious/noExplicitAny: the point of these tests
type Anything = any;

const NUL = "\u0000";
const HALF = "\ud83d";
const id = "00000000-0000-4000-8000-000000000000";
const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
const throwing = Object.defineProperty({}, "trap", {
  enumerable: true,
  get() {
    throw new Error("a getter that throws");
  },
});

type Row = readonly [problem: string, over: Record<string, unknown>, path: string];

const reserveRows: readonly Row[] = [
  ["no customer", { customer: undefined }, "customer"],
  ["an empty customer", { customer: "" }, "customer"],
  ["a customer that is a number", { customer: 42 }, "customer"],
  ["a customer with NUL", { customer: `iv${NUL}an` }, "customer"],
  ["a customer with half a character", { customer: `ivan${HALF}` }, "customer"],
  ["a customer of 201 characters", { customer: "x".repeat(201) }, "customer"],
  ["a payer of NUL", { payer: NUL }, "payer"],
  ["no resources", { resources: [] }, "resources"],
  ["resources that are one text", { resources: "anna" }, "resources"],
  ["a resource that is null", { resources: [null] }, "resources.0"],
  ["a resource twice", { resources: ["anna", "anna"] }, "resources"],
  ["21 resources", { resources: Array.from({ length: 21 }, (_, index) => `r${index}`) }, "resources"],
  ["an invalid Date", { start: new Date(Number.NaN) }, "start"],
  ["a start that is a number", { start: Date.now() }, "start"],
  ["a start without an offset", { start: "2099-01-01T10:00:00" }, "start"],
  ["a start that is only a day", { start: "2099-01-01" }, "start"],
  ["a start on the 30th of February", { start: "2099-02-30T10:00:00Z" }, "start"],
  ["a start with a zone's name", { start: "2099-01-01T10:00:00[Asia/Tashkent]" }, "start"],
  ["a start in the year 99999", { start: new Date("+099999-01-01T00:00:00Z") }, "start"],
  ["a start before 1970", { start: "1969-12-31T23:59:59Z" }, "start"],
  ["a start that is no text", { start: {} }, "start"],
  ["neither end nor duration", { duration: undefined }, "end"],
  ["both end and duration", { end: "2099-01-01T11:00:00Z" }, "end"],
  ["an end at the start", { duration: undefined, end: soon }, "end"],
  ["an end before the start", { duration: undefined, end: "1999-01-01T11:00:00Z" }, "end"],
  ["an end ten years after the start", { duration: undefined, end: new Date(soon.getTime() + 3.2e11) }, "end"],
  ["a duration of nothing", { duration: {} }, "duration"],
  ["a negative duration", { duration: { minutes: -60 } }, "duration.minutes"],
  ["a duration of NaN", { duration: { minutes: Number.NaN } }, "duration.minutes"],
  ["an endless duration", { duration: { hours: Number.POSITIVE_INFINITY } }, "duration.hours"],
  ["a duration of two years", { duration: { hours: 2 * 366 * 24 } }, "duration"],
  ["a duration of half a millisecond", { duration: { milliseconds: 0.5 } }, "duration"],
  ["a duration in days", { duration: { days: 1 } }, "duration"],
  ["a duration that is a number", { duration: 60 }, "duration"],
  ["a price of nothing", { price: { amount: 0, currency: "XTR" } }, "price.amount"],
  ["a negative price", { price: { amount: -5, currency: "XTR" } }, "price.amount"],
  ["a price of half a Star", { price: { amount: 1.5, currency: "XTR" } }, "price.amount"],
  ["a price of NaN", { price: { amount: Number.NaN, currency: "XTR" } }, "price.amount"],
  ["a price that is no safe integer", { price: { amount: 2 ** 53, currency: "XTR" } }, "price.amount"],
  ["a price that is text", { price: { amount: "500", currency: "XTR" } }, "price.amount"],
  ["a price that is a bigint", { price: { amount: 500n, currency: "XTR" } }, "price.amount"],
  ["a currency in small letters", { price: { amount: 5, currency: "xtr" } }, "price.currency"],
  ["a currency of four letters", { price: { amount: 5, currency: "XTRS" } }, "price.currency"],
  ["a currency with a line break", { price: { amount: 5, currency: "XTR\n" } }, "price.currency"],
  ["a price without a currency", { price: { amount: 5 } }, "price.currency"],
  ["a price that is text", { price: "5 XTR" }, "price"],
  ["a paid booking that is confirmed at once", { confirm: true }, "confirm"],
  ["a free booking that is claimed at checkout", { price: undefined, claim: "at_checkout" }, "claim"],
  ["a way to claim that is none", { claim: "later" }, "claim"],
  ["a hold of nothing", { hold: { seconds: 0 } }, "hold"],
  ["an empty request id", { requestId: "" }, "requestId"],
  ["a title with NUL", { title: NUL }, "title"],
  ["a title with half a character", { title: HALF }, "title"],
  ["an actor with NUL", { actor: NUL }, "actor"],
  ["data with NUL deep inside", { data: { a: [{ b: `x${NUL}` }] } }, "data"],
  ["data with half a character in a key", { data: { [HALF]: 1 } }, "data"],
  ["data that is a list", { data: [1] }, "data"],
  ["data that is a text", { data: "x" }, "data"],
  ["data with a function", { data: { f: () => 1 } }, "data.f"],
  ["data with a bigint", { data: { n: 1n } }, "data.n"],
  ["data with NaN", { data: { n: Number.NaN } }, "data.n"],
  ["data with a Date", { data: { at: new Date() } }, "data.at"],
  ["data of more than 16 KiB", { data: { x: "y".repeat(16_384) } }, "data"],
  ["data that contains itself", { data: cyclic }, "data"],
  ["data nested 5 000 deep", { data: { x: nested(5_000) } }, "data"],
  ["data nested 1 000 deep", { data: { x: nested(1_000) } }, "data"],
  ["data with a getter that throws", { data: throwing }, ""],
  ["an unknown key", { colour: "red" }, "input"],
  ["a key called __proto__", JSON.parse('{"__proto__": {"customer": "x"}, "constructor": 1}'), "input"],
];

const paymentRows: readonly Row[] = [
  ["no payload", { payload: undefined }, "payload"],
  ["an empty payload", { payload: "" }, "payload"],
  ["a payload with NUL", { payload: `bko1_${NUL}` }, "payload"],
  ["a payload with half a character", { payload: `bko1_${HALF}` }, "payload"],
  ["a payload of 257 characters", { payload: `bko1_${"x".repeat(252)}` }, "payload"],
  ["an amount of nothing", { amount: 0 }, "amount"],
  ["a negative amount", { amount: -1 }, "amount"],
  ["an amount of one and a half", { amount: 1.5 }, "amount"],
  ["an amount of NaN", { amount: Number.NaN }, "amount"],
  ["an endless amount", { amount: Number.POSITIVE_INFINITY }, "amount"],
  ["an amount that is no safe integer", { amount: 2 ** 53 }, "amount"],
  ["an amount that is text", { amount: "500" }, "amount"],
  ["a currency that is none", { currency: "Stars" }, "currency"],
  ["a currency that is null", { currency: null }, "currency"],
  ["a payer that is a number", { payer: 42 }, "payer"],
  ["a payer with NUL", { payer: NUL }, "payer"],
  ["an empty provider", { provider: "" }, "provider"],
  ["an account that is an object", { account: { id: 1 } }, "account"],
  ["an unknown key", { tip: 5 }, "input"],
];

const others: readonly (readonly [problem: string, call: (shop: Anything) => Promise<unknown>, path: string])[] = [
  [
    "confirmPayment: an empty charge id",
    (shop) => shop.confirmPayment({ ...receiptOf(booking), chargeId: "" }),
    "chargeId",
  ],
  [
    "confirmPayment: recurring that is text",
    (shop) => shop.confirmPayment({ ...receiptOf(booking), recurring: "no" }),
    "recurring",
  ],
  [
    "confirmPayment: details with NUL",
    (shop) => shop.confirmPayment({ ...receiptOf(booking), details: { a: NUL } }),
    "details",
  ],
  [
    "decidePreCheckout: a query id with NUL",
    (shop) => shop.decidePreCheckout({ ...query(booking), checkoutId: NUL }),
    "checkoutId",
  ],
  [
    "decidePreCheckout: a receipt instead of a query",
    (shop) => shop.decidePreCheckout(receiptOf(booking)),
    "checkoutId",
  ],
  [
    "voidApproval: no reason",
    (shop) => shop.voidApproval({ provider: "p", account: "a", checkoutId: "c", payload: "bko1_x" }),
    "reason",
  ],
  ["voidApproval: no input", (shop) => shop.voidApproval(), "input"],
  ["cancel: an id that is none", (shop) => shop.cancel({ bookingId: "1 or 1=1", customer: "ivan" }), "bookingId"],
  ["cancel: nobody asks", (shop) => shop.cancel({ bookingId: booking.id }), "customer"],
  [
    "cancel: customer and administrator",
    (shop) => shop.cancel({ bookingId: booking.id, customer: "a", administrator: "b" }),
    "customer",
  ],
  [
    "cancel: a reason with NUL",
    (shop) => shop.cancel({ bookingId: booking.id, customer: "ivan", reason: NUL }),
    "reason",
  ],
  [
    "cancel: a reason of 1 001 characters",
    (shop) => shop.cancel({ bookingId: booking.id, customer: "ivan", reason: "x".repeat(1001) }),
    "reason",
  ],
  ["cancel: null", (shop) => shop.cancel(null), "input"],
  ["resources.put: an empty id", (shop) => shop.resources.put({ id: "" }), "id"],
  ["resources.put: a name with half a character", (shop) => shop.resources.put({ id: "x", name: HALF }), "name"],
  ["resources.put: active that is text", (shop) => shop.resources.put({ id: "x", active: "yes" }), "active"],
  [
    "resources.put: half a place",
    (shop) => shop.resources.put({ id: "x", kind: "counted", capacity: 3.5 }),
    "capacity",
  ],
  ["bookings.get: an id that is none", (shop) => shop.bookings.get("anna"), "input"],
  ["bookings.get: nothing", (shop) => shop.bookings.get(undefined), "input"],
  ["bookings.byPayload: NUL", (shop) => shop.bookings.byPayload(NUL), "input"],
  ["bookings.ofCustomer: an object", (shop) => shop.bookings.ofCustomer({}), "input"],
  ["bookings.history: an id that is none", (shop) => shop.bookings.history("'; drop table bookings; --"), "input"],
  [
    "bookings.busy: an end before the start",
    (shop) => shop.bookings.busy({ resources: ["a"], from: soon, to: soon }),
    "to",
  ],
  [
    "bookings.busy: a date without an offset",
    (shop) => shop.bookings.busy({ resources: ["a"], from: "2099-01-01", to: soon }),
    "from",
  ],
  [
    "bookings.busy: 101 resources",
    (shop) => shop.bookings.busy({ resources: Array(101).fill("a"), from: soon, to: soon }),
    "resources",
  ],
  ["payments.find: nothing to find by", (shop) => shop.payments.find({}), "input"],
  ["payments.find: an id that is none", (shop) => shop.payments.find({ bookingId: "x" }), "bookingId"],
  ["refunds.ofPayment: an id that is none", (shop) => shop.refunds.ofPayment("x"), "input"],
  ["refunds.resolve: no note", (shop) => shop.refunds.resolve({ refundId: id, actor: "olga" }), "note"],
  ["refunds.retry: no actor", (shop) => shop.refunds.retry({ refundId: id }), "actor"],
  ["refunds.seen: an id that is none", (shop) => shop.refunds.seen({ refundId: 5, by: "x" }), "refundId"],
  ["refunds.list: a state that is none", (shop) => shop.refunds.list({ state: "lost' or 'a'='a" }), "state"],
  ["refunds.list: null", (shop) => shop.refunds.list(null), "input"],
  ["reviews.refund: no actor", (shop) => shop.reviews.refund({ paymentId: id }), "actor"],
  ["reviews.attach: no booking", (shop) => shop.reviews.attach({ paymentId: id, actor: "olga" }), "bookingId"],
  ["reviews.close: no note", (shop) => shop.reviews.close({ paymentId: id, actor: "olga" }), "note"],
  ["reviews.close: a note with NUL", (shop) => shop.reviews.close({ paymentId: id, actor: "olga", note: NUL }), "note"],
  ["events.replay: an id that is none", (shop) => shop.events.replay("1"), "input"],
  ["events.replay: an id beyond safe integers", (shop) => shop.events.replay(2 ** 53), "input"],
  [
    "events.run: a limit that is none",
    (shop) => shop.events.run(async () => undefined, { limit: Number.NaN }),
    "limit",
  ],
  ["events.run: a negative lease", (shop) => shop.events.run(async () => undefined, { leaseMs: -1 }), "leaseMs"],
  [
    "refunds.run: a time that is none",
    (shop) => shop.refunds.run({ provider: "p", refund: async () => undefined }, { callTimeoutMs: "soon" }),
    "callTimeoutMs",
  ],
];

async function expectRefusal(call: () => Promise<unknown>, path: string): Promise<void> {
  const outcome = await call().then(
    (value: unknown) => ({ value }),
    (error: unknown) => error,
  );
  if (!isBookonceError(outcome))
    throw outcome instanceof Error ? outcome : new Error(`accepted: ${JSON.stringify(outcome)}`);
  expect(outcome.code).toBe("invalid_input");
  expect(outcome.retryable).toBe(false);
  const paths = outcome.problems.map((problem) => problem.path);
  expect(paths.some((one) => one === path || one.startsWith(`${path}.`) || path === "")).toBe(true);
  for (const problem of outcome.problems) expect(outcome.message).toContain(problem.message);
  expect(await digestOf(db)).toBe(before);
}

const input = {
  customer: "ivan",
  resources: ["anna"],
  start: soon,
  duration: { minutes: 60 },
  price: { amount: 5, currency: "XTR" },
};
const verb = (name: keyof Shop, given: unknown) => (db.bookonce as Anything)[name](given);

describe("O6: reserveSlot refuses", () => {
  test.each(reserveRows)("%s", (_, over, path) => expectRefusal(() => verb("reserveSlot", merged(input, over)), path));
});

describe("O6: decidePreCheckout refuses", () => {
  test.each(paymentRows)("%s", (_, over, path) =>
    expectRefusal(() => verb("decidePreCheckout", merged(query(booking), over)), path),
  );
});

describe("O6: confirmPayment refuses", () => {
  test.each(paymentRows)("%s", (_, over, path) =>
    expectRefusal(() => verb("confirmPayment", merged(receiptOf(booking), over)), path),
  );
});

describe("O6: every verb refuses an input that is no object", () => {
  const verbs = ["reserveSlot", "decidePreCheckout", "confirmPayment", "voidApproval", "cancel"] as const;
  const nothings = [undefined, null, 0, "text", [], () => 1, Symbol("s")];
  test.each(verbs)("%s", async (name) => {
    for (const nothing of nothings) await expectRefusal(() => verb(name, nothing), "");
  });
});

describe("O6: refused too", () => {
  test.each(others)("%s", (_, call, path) => expectRefusal(() => call(db.bookonce), path));
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
  ])("%s", (_, policies, path) => expectRefusal(async () => db.another({ policies: policies as Anything }), path));
});

test("O6: every problem of an input is named at once", async () => {
  const error = await verb("reserveSlot", {
    customer: "",
    resources: [],
    start: "soon",
    duration: { minutes: -1 },
  }).catch((reason: unknown) => reason);
  expect(error.problems.map((problem: { path: string }) => problem.path).sort()).toEqual([
    "customer",
    "duration.minutes",
    "resources",
    "start",
  ]);
});

test("O6: nothing that was passed has changed the prototype of anything", () => {
  expect({}).not.toHaveProperty("customer", "x");
});

test("O6: data with inherited names as keys comes back as it was given", async () => {
  const own = await createTestDatabase();
  const data = { constructor: "x", toString: 1, hasOwnProperty: [null] };
  expect((await book(own.bookonce, { data })).data).toEqual(data);
  expect((await book(own.bookonce, { data: { deep: nested(30) } })).data).toEqual({ deep: nested(30) });
  await own.drop();
});

/** Own keys win, whatever they are called; a key that is given as undefined is left out. */
function merged(base: object, over: Record<string, unknown>): unknown {
  const all = Object.create(null);
  for (const [key, value] of [...Object.entries(base), ...Object.entries(over)]) {
    if (value === undefined) delete all[key];
    else Object.defineProperty(all, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return all;
}
