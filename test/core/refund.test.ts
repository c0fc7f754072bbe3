import { describe, expect, test } from "vitest";
import type { Refund } from "../../src/core/model.ts";
import { type RefundAnswer, retryRefund, type SettleRefund, settleRefund } from "../../src/core/refund.ts";
import { aRefund, changesNothing, context, eventTypes, hour, minute, now, world } from "../support/worlds.ts";

const sending = (over: Partial<Refund> = {}) =>
  aRefund({ state: "sending", attempts: 1, leaseToken: "mine", leaseUntil: now + minute, ...over });

function answered(answer: RefundAnswer, over: Partial<SettleRefund> = {}): SettleRefund {
  return { refundId: "f1", leaseToken: "mine", answer, note: null, maybeDone: false, ...over };
}

const refunded: RefundAnswer = { answer: "refunded", by: "telegram" };
const unknown: RefundAnswer = { answer: "unknown", error: "timed out" };
const unrecognised: RefundAnswer = { answer: "unrecognised", error: "NEW_ERROR" };

const rows: readonly {
  readonly when: string;
  readonly refund?: Partial<Refund>;
  readonly answer: RefundAnswer;
  readonly maybeDone?: boolean;
  readonly next: Partial<Refund>;
  readonly events?: readonly string[];
}[] = [
  {
    when: "done, or done before",
    answer: refunded,
    next: { state: "completed", completedAt: now, completedBy: "telegram", lastError: null },
    events: ["refund_completed"],
  },
  {
    when: "a time-out leaves it unconfirmed, never failed",
    answer: unknown,
    next: { state: "unconfirmed", dueAt: now + 5_000, lastError: "timed out" },
  },
  {
    when: "a third time-out waits longer",
    refund: { attempts: 3 },
    answer: unknown,
    next: { state: "unconfirmed", dueAt: now + 20_000 },
  },
  {
    when: "the wait has an end: an hour",
    refund: { attempts: 40 },
    answer: unknown,
    next: { state: "unconfirmed", dueAt: now + hour },
  },
  {
    when: "429 waits for what the provider asks",
    answer: { answer: "retry_later", afterMs: 7_000, error: "429" },
    next: { state: "pending", dueAt: now + 7_000, lastError: "429" },
  },
  {
    when: "429 on the look-up of one that may be done leaves it unconfirmed",
    maybeDone: true,
    answer: { answer: "retry_later", afterMs: 7_000, error: "429" },
    next: { state: "unconfirmed", dueAt: now + 7_000, lastError: "429" },
  },
  {
    when: "an unknown refusal of one that may be done leaves it unconfirmed",
    maybeDone: true,
    answer: unrecognised,
    next: { state: "unconfirmed", dueAt: now + 5_000, lastError: "NEW_ERROR" },
  },
  {
    when: "a permanent refusal asks a person",
    answer: { answer: "refused", error: "CHARGE_NOT_FOUND" },
    next: { state: "needs_attention", lastError: "CHARGE_NOT_FOUND" },
    events: ["refund_needs_attention"],
  },
  {
    when: "an unknown refusal is tried again",
    refund: { attempts: 7 },
    answer: unrecognised,
    next: { state: "pending", dueAt: now + 320_000 },
  },
  {
    when: "an unknown refusal for the eighth time asks a person",
    refund: { attempts: 8 },
    answer: unrecognised,
    next: { state: "needs_attention", lastError: "NEW_ERROR" },
    events: ["refund_needs_attention"],
  },
];

describe("what a provider's answer makes of a refund in flight", () => {
  test.each(rows)("$when", ({ refund = {}, answer, maybeDone = false, next, events = [] }) => {
    const state = world({ refunds: [sending(refund)] });
    const decision = settleRefund(state, answered(answer, { maybeDone }), context());
    expect(decision.outcome).toMatchObject({
      outcome: "settled",
      refund: { ...next, leaseToken: null, leaseUntil: null },
    });
    expect(decision.changes.refunds).toEqual([decision.outcome.refund]);
    expect(eventTypes(decision)).toEqual(events);
  });
});

describe("an answer that comes without a lease or under a lost one", () => {
  test.each([
    unknown,
    unrecognised,
    { answer: "refused", error: "no" },
    { answer: "retry_later", afterMs: 1, error: "429" },
  ] as const)("$answer under another worker's lease is ignored", (answer) => {
    const decision = settleRefund(world({ refunds: [sending()] }), answered(answer, { leaseToken: "lost" }), context());
    expect(decision.outcome).toMatchObject({ outcome: "ignored", refund: { leaseToken: "mine", state: "sending" } });
    expect(changesNothing(decision)).toBe(true);
  });

  test("that the money came back is a fact, whoever reports it", () => {
    const decision = settleRefund(
      world({ refunds: [sending()] }),
      answered(refunded, { leaseToken: "lost" }),
      context(),
    );
    expect(decision.outcome).toMatchObject({ outcome: "settled", refund: { state: "completed" } });
  });

  test.each(["pending", "unconfirmed", "needs_attention", "sending"] as const)(
    "the ledger or a person completes a refund that is %s, with a note",
    (state) => {
      const refund = state === "sending" ? sending() : aRefund({ state });
      const closing = answered({ answer: "refunded", by: "olga" }, { leaseToken: null, note: "paid out in cash" });
      const decision = settleRefund(world({ refunds: [refund] }), closing, context());
      expect(decision.outcome).toMatchObject({
        refund: { state: "completed", completedBy: "olga", note: "paid out in cash" },
      });
      expect(decision.changes.events).toMatchObject([{ type: "refund_completed", actor: "olga" }]);
    },
  );

  test("a note that was there stays when none is given", () => {
    const state = world({ refunds: [aRefund({ state: "needs_attention", note: "see the cabinet" })] });
    const decision = settleRefund(state, answered(refunded, { leaseToken: null }), context());
    expect(decision.outcome.refund?.note).toBe("see the cabinet");
  });

  test("a refund that still needs attention does not raise the alarm again", () => {
    const state = world({ refunds: [aRefund({ state: "needs_attention" })] });
    const decision = settleRefund(state, answered({ answer: "refused", error: "no" }, { leaseToken: null }), context());
    expect(decision.outcome.outcome).toBe("settled");
    expect(eventTypes(decision)).toEqual([]);
  });

  test.each([refunded, unknown])("$answer changes nothing once it is completed", (answer) => {
    const refund = aRefund({ state: "completed", completedAt: now - 1, completedBy: "telegram" });
    const decision = settleRefund(world({ refunds: [refund] }), answered(answer, { leaseToken: null }), context());
    expect(decision).toEqual({ outcome: { outcome: "ignored", refund }, changes: {} });
  });

  test("a refund that nobody knows is nothing", () => {
    expect(settleRefund(world(), answered(refunded), context()).outcome).toEqual({ outcome: "ignored", refund: null });
  });
});

describe("retrying by hand", () => {
  test("gives a refund that needs attention back to the workers, with its patience renewed", () => {
    const state = world({ refunds: [aRefund({ state: "needs_attention", attempts: 8 })] });
    const decision = retryRefund(state, { refundId: "f1", actor: "olga" }, context());
    expect(decision.outcome).toMatchObject({
      outcome: "settled",
      refund: { state: "unconfirmed", attempts: 0, dueAt: now },
    });
    expect(decision.changes.events).toMatchObject([{ type: "refund_requested", actor: "olga" }]);
  });

  test("one for which no call was ever made is not in doubt", () => {
    const state = world({ refunds: [aRefund({ state: "needs_attention", attempts: 0 })] });
    const { outcome } = retryRefund(state, { refundId: "f1", actor: "olga" }, context());
    expect(outcome).toMatchObject({ outcome: "settled", refund: { state: "pending" } });
  });

  test.each(["pending", "sending", "unconfirmed", "completed"] as const)(
    "leaves a refund alone that is %s",
    (state) => {
      const refund = aRefund({ state });
      const decision = retryRefund(world({ refunds: [refund] }), { refundId: "f1", actor: "olga" }, context());
      expect(decision).toEqual({ outcome: { outcome: "ignored", refund }, changes: {} });
    },
  );

  test("of a refund that nobody knows is nothing", () => {
    const decision = retryRefund(world(), { refundId: "f1", actor: "olga" }, context());
    expect(decision.outcome).toEqual({ outcome: "ignored", refund: null });
  });
});
