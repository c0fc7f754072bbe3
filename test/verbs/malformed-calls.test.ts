import type { BookingView } from "bookonce";
import { afterAll, beforeAll, describe, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { book, digestOf, query, receiptOf, soon } from "../support/fixtures.ts";
import { type Anything, expectRefusal, HALF, nobodysId as id, NUL } from "../support/malformed.ts";

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
  ["payments.find: a payment's id that is none", (shop) => shop.payments.find({ paymentId: "x" }), "paymentId"],
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

describe("O6: refused too", () => {
  test.each(others)("%s", (_, call, path) => refused(() => call(db.bookonce), path));
});
