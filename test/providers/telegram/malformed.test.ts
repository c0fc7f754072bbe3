import { isOurToken } from "bookonce";
import { decodeUpdate, fromPreCheckoutQuery, fromSuccessfulPayment } from "bookonce/telegram";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { charge, salon, tables } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const from = { id: 42, is_bot: false, first_name: "A" };
const payload = "bko1_AAAAAAAAAAAAAAAAAAAAAA";
const query = { id: "4611686018427387905", from, currency: "XTR", total_amount: 5, invoice_payload: payload };
const receipt = {
  currency: "XTR",
  total_amount: 5,
  invoice_payload: payload,
  telegram_payment_charge_id: "stx1",
  provider_payment_charge_id: "",
};
const message = { message_id: 1, date: 1, chat: { id: 42, type: "private" }, from, successful_payment: receipt };

const wrongQueries: [string, unknown][] = [
  ["no id", { ...query, id: undefined }],
  ["an id that was a number and lost its last digits", { ...query, id: Number("4611686018427387905") }],
  ["an empty id", { ...query, id: "" }],
  ["an id with NUL", { ...query, id: "1\u0000" }],
  ["an id of ten thousand digits", { ...query, id: "1".repeat(10_000) }],
  ["no payer", { ...query, from: undefined }],
  ["a payer without id", { ...query, from: {} }],
  ["payer 0", { ...query, from: { id: 0 } }],
  ["a negative payer", { ...query, from: { id: -5 } }],
  ["a payer who is text", { ...query, from: { id: "alice" } }],
  ["a payer beyond safe integers", { ...query, from: { id: 2 ** 60 } }],
  ["no amount", { ...query, total_amount: undefined }],
  ["amount 0", { ...query, total_amount: 0 }],
  ["half a Star", { ...query, total_amount: 0.5 }],
  ["a negative amount", { ...query, total_amount: -5 }],
  ["an amount that is text", { ...query, total_amount: "5" }],
  ["an amount beyond safe integers", { ...query, total_amount: 1e300 }],
  ["no currency", { ...query, currency: undefined }],
  ["a lower-case currency", { ...query, currency: "xtr" }],
  ["a currency of four letters", { ...query, currency: "STAR" }],
  ["no payload", { ...query, invoice_payload: undefined }],
  ["a payload that is a number", { ...query, invoice_payload: 7 }],
  ["a payload of ours with NUL", { ...query, invoice_payload: `${payload}\u0000` }],
  ["a payload of ours with half a character", { ...query, invoice_payload: `${payload}\uD800` }],
  ["text", "pre_checkout"],
  ["null", null],
  ["a list", [query]],
];

const wrongReceipts: [string, unknown][] = [
  ["no payer", { ...message, from: undefined }],
  ["a payer who is text", { ...message, from: "alice" }],
  ["no charge id", { ...message, successful_payment: { ...receipt, telegram_payment_charge_id: undefined } }],
  ["an empty charge id", { ...message, successful_payment: { ...receipt, telegram_payment_charge_id: "" } }],
  ["a charge id that is a number", { ...message, successful_payment: { ...receipt, telegram_payment_charge_id: 5 } }],
  ["a charge id with NUL", { ...message, successful_payment: { ...receipt, telegram_payment_charge_id: "a\u0000" } }],
  [
    "a charge id of a megabyte",
    { ...message, successful_payment: { ...receipt, telegram_payment_charge_id: "a".repeat(1e6) } },
  ],
  ["NaN as amount", { ...message, successful_payment: { ...receipt, total_amount: Number.NaN } }],
  ["no amount", { ...message, successful_payment: { ...receipt, total_amount: null } }],
  ["a currency that is an object", { ...message, successful_payment: { ...receipt, currency: {} } }],
  ["a receipt that is null", { ...message, successful_payment: null }],
  ["a receipt that is text", { ...message, successful_payment: "paid" }],
];

test.each(wrongQueries)("a pre-checkout query with %s: malformed, nothing written, no throw", async (_, wrong) => {
  const at = await salon(db);
  const before = await tables(db);
  const result = await at.telegram.handleUpdate({ update_id: 1, pre_checkout_query: wrong });
  expect(result).toMatchObject({ outcome: "malformed", of: "pre_checkout_query", ack: "ok" });
  expect("problems" in result && result.problems.length).toBeGreaterThan(0);
  expect(await tables(db)).toEqual(before);
  expect(at.errors).toHaveLength(result.handled ? 1 + (await refusals(at)) : 1);
  expect(() => fromPreCheckoutQuery(1, wrong)).toThrow(expect.objectContaining({ code: "invalid_input" }));
});

/** An invented query that is ours and has an id is answered all the same; the fake does not know it. */
async function refusals({ fake }: Awaited<ReturnType<typeof salon>>): Promise<number> {
  const calls = await fake.calls({ method: "answerPreCheckoutQuery" });
  return calls.filter(({ reply }) => reply?.ok === false && !/too old/.test(reply.description ?? "")).length;
}

test.each(wrongReceipts)("a receipt with %s: malformed, nothing written, no throw", async (_, wrong) => {
  const at = await salon(db);
  const before = await tables(db);
  const result = await at.telegram.handleUpdate({ update_id: 1, message: wrong });
  expect(result).toMatchObject({ outcome: "malformed", of: "successful_payment", ack: "ok" });
  expect(await tables(db)).toEqual(before);
  expect(at.errors).toHaveLength(1);
  expect(() => fromSuccessfulPayment(1, wrong)).toThrow(expect.objectContaining({ code: "invalid_input" }));
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["a number", 7],
  ["text", "update"],
  ["a list", []],
  ["an empty object", {}],
  ["a text message", { update_id: 1, message: { message_id: 1, text: "hi" } }],
  ["a message that is null", { message: null }],
  ["a kind that is not invented yet", { update_id: 1, teleportation: {} }],
])("%s is no payment: passed on", async (_, update) => {
  const at = await salon(db);
  expect(await at.telegram.handleUpdate(update)).toEqual({ outcome: "ignored", handled: false, ack: "ok" });
});

test.each([
  ["a refund message without a charge", { refunded_payment: { ...receipt, telegram_payment_charge_id: undefined } }],
  ["a refund message that is null", { refunded_payment: null }],
])("%s: malformed, nothing written", async (_, wrong) => {
  const at = await salon(db);
  const before = await tables(db);
  expect(await at.telegram.handleUpdate({ message: wrong })).toMatchObject({
    outcome: "malformed",
    of: "refunded_payment",
  });
  expect(await tables(db)).toEqual(before);
});

test("a malformed query of ours that can be answered is answered with a no, at once", async () => {
  const at = await salon(db);
  const alice = at.person();
  const paying = alice.pay(await at.link(await at.reserve(alice)));
  const [update] = await at.take();
  const real = JSON.parse(JSON.stringify(update?.["pre_checkout_query"]));
  const result = await at.telegram.handleUpdate({ pre_checkout_query: { ...real, total_amount: "100" } });
  expect(result).toMatchObject({ outcome: "malformed", handled: true });
  expect(await paying).toMatchObject({ outcome: "rejected" });
});

test("unknown fields, and fields that are absent for Stars, are no reason to refuse", async () => {
  const at = await salon(db);
  const alice = at.person();
  await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  const real = JSON.parse(JSON.stringify(update?.["message"]));
  delete real.successful_payment.provider_payment_charge_id;
  Object.assign(real.successful_payment, { invented_in_2027: { a: 1 } });
  expect(await at.telegram.handleUpdate({ message: real, more: 1 })).toMatchObject({ outcome: "booked" });
});

test("no update whatever makes the decoder throw, and what it accepts is ours", () => {
  const parts = fc.record(
    {
      id: fc.anything(),
      from: fc.oneof(fc.anything(), fc.record({ id: fc.anything() })),
      currency: fc.anything(),
      total_amount: fc.anything(),
      invoice_payload: fc.oneof(
        fc.anything(),
        fc.string().map((text) => `bko1_${text}`),
      ),
      telegram_payment_charge_id: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const update = fc.oneof(
    fc.anything(),
    fc.record({ pre_checkout_query: parts }),
    fc.record({ message: fc.record({ from: fc.anything(), successful_payment: parts }) }),
    fc.record({ message: fc.record({ refunded_payment: parts }) }),
    fc.record({ subscription: parts }),
  );
  fc.assert(
    fc.property(update, (value) => {
      const decoded = decodeUpdate(1, value);
      if ("input" in decoded) expect(isOurToken(decoded.input.payload)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("decoders refuse a bot id that cannot be one", () => {
  for (const botId of [0, -1, 1.5, "", "abc", Number.NaN]) {
    expect(() => fromPreCheckoutQuery(botId, query)).toThrow(/botId/);
  }
  expect(fromPreCheckoutQuery("77", query)).toMatchObject({ account: "77", checkoutId: "4611686018427387905" });
});
