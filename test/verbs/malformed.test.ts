import type { BookingView } from "bookonce";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { book, digestOf, query, receiptOf, type Shop, soon } from "../support/fixtures.ts";
import { type Anything, cyclic, expectRefusal, HALF, merged, NUL, nested, throwing } from "../support/malformed.ts";

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

const refused = (call: () => Promise<unknown>, path: string) => expectRefusal(db, call, path, before);

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

const input = {
  customer: "ivan",
  resources: ["anna"],
  start: soon,
  duration: { minutes: 60 },
  price: { amount: 5, currency: "XTR" },
};
const verb = (name: keyof Shop, given: unknown) => (db.bookonce as Anything)[name](given);

describe("O6: reserveSlot refuses", () => {
  test.each(reserveRows)("%s", (_, over, path) => refused(() => verb("reserveSlot", merged(input, over)), path));
});

describe("O6: decidePreCheckout refuses", () => {
  test.each(paymentRows)("%s", (_, over, path) =>
    refused(() => verb("decidePreCheckout", merged(query(booking), over)), path),
  );
});

describe("O6: confirmPayment refuses", () => {
  test.each(paymentRows)("%s", (_, over, path) =>
    refused(() => verb("confirmPayment", merged(receiptOf(booking), over)), path),
  );
});

describe("O6: every verb refuses an input that is no object", () => {
  const verbs = ["reserveSlot", "decidePreCheckout", "confirmPayment", "voidApproval", "cancel"] as const;
  const nothings = [undefined, null, 0, "text", [], () => 1, Symbol("s")];
  test.each(verbs)("%s", async (name) => {
    for (const nothing of nothings) await refused(() => verb(name, nothing), "");
  });
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
