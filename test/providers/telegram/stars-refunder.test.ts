import type { PaymentView, RefundTask, RefundView } from "bookonce";
import { starsRefunder, type TelegramApi, TelegramApiError } from "bookonce/telegram";
import { expect, test } from "vitest";

// Without a database: every answer of the table, and what is never sent.

const view = { amount: 100, currency: "XTR" };
const task = (payment: Partial<PaymentView> = {}, refund: Partial<RefundView> = {}): RefundTask => ({
  refund: {
    ...view,
    id: "r",
    paymentId: "p",
    bookingId: null,
    reason: "late",
    state: "sending",
    attempts: 1,
    requestedAt: new Date(),
    dueAt: new Date(),
    lastError: null,
    completedAt: null,
    completedBy: null,
    note: null,
    ...refund,
  },
  payment: {
    ...view,
    id: "p",
    provider: "telegram_stars",
    account: "77",
    chargeId: "stx1",
    payload: "bko1_x",
    payer: "telegram:42",
    bookingId: null,
    disposition: "late",
    reason: null,
    receivedAt: new Date(),
    review: null,
    reviewedBy: null,
    note: null,
    details: {},
    ...payment,
  },
  maybeDone: false,
});

function answering(reply: () => Promise<unknown>) {
  const calls: unknown[] = [];
  const api: TelegramApi = {
    call: (method, params) => {
      calls.push([method, params]);
      return reply();
    },
  };
  return {
    calls,
    refund: (given = task()) => starsRefunder(api).refund(given, { signal: AbortSignal.timeout(1_000) }),
  };
}

test.each([
  [400, "Bad Request: CHARGE_ALREADY_REFUNDED", "refunded"],
  [400, "Bad Request: CHARGE_NOT_FOUND", "refused"],
  [400, "Bad Request: CHARGE_ID_EMPTY", "refused"],
  [400, "Bad Request: USER_ID_INVALID", "refused"],
  [400, "Bad Request: invalid user_id specified", "refused"],
  [400, 'Bad Request: parameter "telegram_payment_charge_id" is required', "refused"],
  [400, "Bad Request: user not found", "unrecognised"],
  [400, "Bad Request: BALANCE_TOO_LOW", "unrecognised"],
  [400, "Bad Request: SOMETHING_NEW", "unrecognised"],
  [403, "Forbidden: bot was blocked by the user", "unrecognised"],
  [400, "Bad Request: USER_BOT_REQUIRED", "pause"],
  [401, "Unauthorized", "pause"],
  [404, "Not Found", "pause"],
  [429, "Too Many Requests: retry after 7", "retry_later"],
  [500, "Internal Server Error: restart", "unknown"],
  [502, "Bad Gateway", "unknown"],
] as const)("facts 1.5: %i %s is %s", async (code, description, answer) => {
  const { refund } = answering(() =>
    Promise.reject(new TelegramApiError("refundStarPayment", code, description, code === 429 ? 7_000 : null)),
  );
  expect(await refund()).toMatchObject({ answer, ...(answer === "retry_later" ? { afterMs: 7_000 } : {}) });
});

test("a network error and a time-out are unknown; true is done", async () => {
  expect(await answering(() => Promise.reject(new TypeError("fetch failed"))).refund()).toMatchObject({
    answer: "unknown",
  });
  expect(await answering(() => Promise.resolve(true)).refund()).toEqual({
    answer: "refunded",
    by: "telegram: refundStarPayment",
  });
});

test.each([
  ["payer 0", { payer: "telegram:0" }],
  ["a payer that was undefined", { payer: "telegram:undefined" }],
  ["payer abc", { payer: "telegram:abc" }],
  ["a payer of another place", { payer: "payme:42" }],
  ["an empty charge id", { chargeId: "" }],
  ["another currency", { currency: "UZS" }],
  ["half of the amount", { amount: 200 }],
])("B40: %s is refused here, without any call", async (_, payment) => {
  const { calls, refund } = answering(() => Promise.resolve(true));
  expect(await refund(task(payment))).toMatchObject({ answer: "refused" });
  expect(calls).toEqual([]);
});
