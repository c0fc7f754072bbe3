import { randomUUID } from "node:crypto";
import { z } from "zod";
import { BookonceError } from "../core/error.ts";
import { type ExternalOutcome, recordExternalRefund } from "../core/external-refund.ts";
import { type RefundAnswer, retryRefund, type SettleOutcome, type SettleRefund, settleRefund } from "../core/refund.ts";
import type { Engine } from "../engine/engine.ts";
import { keys } from "../store/keys.ts";
import { toPayment, toRefund } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import type { PaymentRow, RefundRow } from "../store/tables.ts";
import { identifier, parseInput, patienceMs, storableText, text, times, uuid } from "./input.ts";
import { read } from "./reader.ts";
import { command, ownRunner, type Runner } from "./runner.ts";
import { type BookingView, type PaymentView, type RefundView, viewBooking, viewPayment, viewRefund } from "./views.ts";

/** A refund to be made, with the charge it returns. */
export interface RefundTask {
  readonly refund: RefundView;
  readonly payment: PaymentView;
  /** True when an earlier call may have been heard: look it up first where sending again is not harmless. */
  readonly maybeDone: boolean;
}

/** Returns money at one provider. `starsRefunder` of `bookonce/telegram` is one. */
export interface Refunder {
  readonly provider: string;
  /** Only charges of this account (this bot, this cash desk). Without it: all of the provider's. */
  readonly account?: string;
  /**
   * Makes the call, outside any transaction. May be called again for the same refund. A rejection counts as `unknown`: the money may
   * have moved.
   *
   * Answering `pause` (a revoked token, say) ends this run; the rows stay.
   */
  refund(
    task: RefundTask,
    options: { readonly signal: AbortSignal },
  ): Promise<RefundAnswer | { readonly answer: "pause"; readonly error: string }>;
}

export interface RefundRunOptions {
  /** Refunds in one run at most. Default 20. */
  readonly limit?: number;
  /** How long one call may take, in milliseconds. Default 15 000. */
  readonly callTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What a run did, by state afterwards. */
export interface RefundRunReport {
  readonly completed: number;
  readonly unconfirmed: number;
  readonly pending: number;
  readonly needsAttention: number;
  /** The provider asked to stop, and why. */
  readonly paused: string | null;
}

/** The refund outbox: provider calls after commit, leased, fenced, and never forgotten (S12). */
export interface Refunds {
  /**
   * Takes the refunds that are due at the refunder's provider and makes the calls. Run it in a loop in any number of processes.
   *
   * @example
   * ```ts
   * import type { Bookonce, Refunder } from "bookonce";
   *
   * export async function refundLoop(bookonce: Bookonce, refunder: Refunder, signal: AbortSignal) {
   *   while (!signal.aborted) {
   *     await bookonce.refunds.run(refunder, { signal });
   *     await new Promise((resolve) => setTimeout(resolve, 1_000));
   *   }
   * }
   * ```
   */
  run(refunder: Refunder, options?: RefundRunOptions): Promise<RefundRunReport>;
  /** Refunds by state, oldest first, 100 at most. Default: those that are not completed. */
  list(filter?: { readonly state?: RefundView["state"] }): Promise<readonly RefundView[]>;
  /** The refund of a payment, if it has one. */
  ofPayment(paymentId: string): Promise<readonly RefundView[]>;
  /** A person returned the money: closes the refund with a note. @throws BookonceError `unknown_refund` */
  resolve(input: { readonly refundId: string; readonly actor: string; readonly note: string }): Promise<RefundView>;
  /** Gives a refund that needs attention back to the workers. @throws BookonceError `unknown_refund`, `not_allowed` */
  retry(input: { readonly refundId: string; readonly actor: string }): Promise<RefundView>;
  /** The provider's own ledger shows the refund: completes it, whatever its state. @throws BookonceError `unknown_refund` */
  seen(input: { readonly refundId: string; readonly by: string }): Promise<RefundView>;
  /**
   * Money went back that nobody here asked for: support, a chargeback, the provider's cabinet. Completes a refund of ours that is still
   * open, or records one as external; again, nothing. The booking is kept, or cancelled, by policy `externalRefund`.
   */
  recordExternal(input: ExternalRefundInput): Promise<ExternalRefundOutcome>;
}

export interface ExternalRefundInput {
  readonly paymentId: string;
  /** Where it was seen, for the history: "telegram ledger". */
  readonly by: string;
  readonly note?: string;
}

/** `recorded`: with the booking as it is now. `known`: the payment was returned in full before. */
export type ExternalRefundOutcome =
  | { readonly outcome: "recorded"; readonly refund: RefundView; readonly booking: BookingView | null }
  | { readonly outcome: "known" };

const settleBudgetMs = 30_000;

export function refunds(engine: Engine, store: Store): Refunds {
  const runner = ownRunner(engine);
  return {
    run: (refunder, options = {}) => run(engine, store, runner, refunder, options),
    async list(filter) {
      const { state } = parseInput("refunds.list", listSchema, filter);
      return list(engine, store, state === undefined ? {} : { state });
    },
    async ofPayment(paymentId) {
      return list(engine, store, { paymentId: parseInput("refunds.ofPayment", uuid, paymentId) });
    },
    async resolve(input) {
      const { refundId, actor, note } = parseInput("refunds.resolve", resolveSchema, input);
      return completed(
        await settle(runner, { refundId, leaseToken: null, answer: { answer: "refunded", by: actor }, note }),
      );
    },
    async seen(input) {
      const { refundId, by } = parseInput("refunds.seen", seenSchema, input);
      return completed(
        await settle(runner, { refundId, leaseToken: null, answer: { answer: "refunded", by }, note: null }),
      );
    },
    async recordExternal(input) {
      const { note = null, ...asked } = parseInput("refunds.recordExternal", externalSchema, input);
      const [payment] = await read<PaymentRow[]>(engine, store.lookups.payments({ id: asked.paymentId }));
      if (payment === undefined) throw new BookonceError("unknown_payment", "There is no payment with this id.");
      const { provider, account, external_id: externalId, booking_id: bookingId } = payment;
      return runner.run(
        command(
          keys({
            paymentIds: [asked.paymentId],
            payments: [{ provider, account, externalId }],
            bookingIds: bookingId === null ? [] : [bookingId],
          }),
          (state, context) => recordExternalRefund(state, { ...asked, note }, context),
          viewExternal,
        ),
        {},
        settleBudgetMs,
      );
    },
    async retry(input) {
      const asked = parseInput("refunds.retry", retrySchema, input);
      const outcome = await runner.run(
        command(refundKeys(asked.refundId), (state, context) => retryRefund(state, asked, context), asIs),
        {},
        settleBudgetMs,
      );
      if (outcome.refund === null) throw unknownRefund();
      if (outcome.outcome === "ignored") {
        throw new BookonceError(
          "not_allowed",
          `This refund is ${outcome.refund.state}; only one that needs attention is retried.`,
        );
      }
      return viewRefund(outcome.refund);
    },
  };
}

const runSchema = z.strictObject({ limit: times.default(20), callTimeoutMs: patienceMs.default(15_000) });
const listSchema = z
  .strictObject({ state: z.enum(["pending", "sending", "unconfirmed", "completed", "needs_attention"]).optional() })
  .default({});
const resolveSchema = z.strictObject({ refundId: uuid, actor: identifier, note: text(2000) });
const seenSchema = z.strictObject({ refundId: uuid, by: identifier });
const retrySchema = z.strictObject({ refundId: uuid, actor: identifier });

const externalSchema = z.strictObject({ paymentId: uuid, by: identifier, note: text(2000).optional() });

function viewExternal(outcome: ExternalOutcome, now: number): ExternalRefundOutcome {
  if (outcome.outcome === "known") return outcome;
  const { refund, booking } = outcome;
  return {
    outcome: "recorded",
    refund: viewRefund(refund),
    booking: booking === null ? null : viewBooking(booking, now),
  };
}

const asIs = <Value>(value: Value): Value => value;

function refundKeys(refundId: string) {
  return keys({ refundIds: [refundId] });
}

function settle(runner: Runner, asked: SettleRefund): Promise<SettleOutcome> {
  return runner.run(
    command(refundKeys(asked.refundId), (state, context) => settleRefund(state, asked, context), asIs),
    {},
    settleBudgetMs,
  );
}

function completed(outcome: SettleOutcome): RefundView {
  if (outcome.refund === null) throw unknownRefund();
  return viewRefund(outcome.refund);
}

function unknownRefund(): BookonceError {
  return new BookonceError("unknown_refund", "There is no refund with this id.");
}

interface Leased {
  readonly refund: RefundRow;
  readonly payment: PaymentRow;
  readonly was: RefundRow["state"];
}

async function run(
  engine: Engine,
  store: Store,
  runner: Runner,
  refunder: Refunder,
  { signal, ...options }: RefundRunOptions,
): Promise<RefundRunReport> {
  const { limit, callTimeoutMs } = parseInput("refunds.run", runSchema, options);
  const report = { completed: 0, unconfirmed: 0, pending: 0, needsAttention: 0, paused: null as string | null };
  for (let taken = 0; taken < limit && signal?.aborted !== true; taken += 1) {
    // One at a time, so that a lease never outlives a queue of slow calls.
    const token = randomUUID();
    const account = refunder.account ?? null;
    const lease = { token, limit: 1, leaseMs: callTimeoutMs * 2, provider: refunder.provider, account };
    const [result] = await engine.transaction(
      (tx) => tx.send([store.outbox.leaseRefunds(lease)], { last: true }),
      signal,
    );
    const [leased] = JSON.parse(result ?? "[]") as Leased[];
    if (leased === undefined) break;
    const answer = await callRefunder(refunder, leased, callTimeoutMs, signal);
    const outcome = await settle(runner, {
      refundId: leased.refund.id,
      leaseToken: token,
      answer: settling(answer),
      note: null,
    });
    if (outcome.outcome === "settled") count(report, outcome.refund.state);
    if (answer.answer === "pause") return { ...report, paused: answer.error };
  }
  return report;
}

type Answer = Awaited<ReturnType<Refunder["refund"]>>;

async function callRefunder(
  refunder: Refunder,
  leased: Leased,
  callTimeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(callTimeoutMs);
  const task: RefundTask = {
    refund: viewRefund(toRefund(leased.refund)),
    payment: viewPayment(toPayment(leased.payment)),
    maybeDone: leased.was !== "pending",
  };
  const callSignal = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  try {
    const answer = answerSchema.safeParse(await within(refunder.refund(task, { signal: callSignal }), callSignal));
    return answer.success ? answer.data : { answer: "unknown", error: "the refunder's answer is none that is known" };
  } catch (error) {
    return { answer: "unknown", error: storableText(error instanceof Error ? error.message : String(error)) };
  }
}

const told = z
  .string()
  .catch("no more is known")
  .transform((value) => storableText(value));
const longestWaitMs = 24 * 3_600_000;

/** A refunder may be somebody's JavaScript: whatever it answers can be stored, and what is no answer says nothing about the money. */
const answerSchema: z.ZodType<Answer> = z.discriminatedUnion("answer", [
  z.object({ answer: z.literal("refunded"), by: told }),
  z.object({
    answer: z.literal("retry_later"),
    afterMs: z.number().transform((value) => Math.min(Math.max(0, value), longestWaitMs)),
    error: told,
  }),
  z.object({ answer: z.enum(["unknown", "refused", "unrecognised", "pause"]), error: told }),
]);

/** A refunder that ignores its signal must not keep the worker for ever. */
function within<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(new Error("the refund call took too long, or the worker was stopped"));
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", giveUp));
}

/** A pause says that the call was not made for a reason that has nothing to do with this refund. */
function settling(answer: Answer): RefundAnswer {
  return answer.answer === "pause" ? { answer: "retry_later", afterMs: 60_000, error: answer.error } : answer;
}

function count(
  report: { completed: number; unconfirmed: number; pending: number; needsAttention: number },
  state: RefundView["state"],
): void {
  if (state === "completed") report.completed += 1;
  else if (state === "unconfirmed") report.unconfirmed += 1;
  else if (state === "needs_attention") report.needsAttention += 1;
  else report.pending += 1;
}

async function list(
  engine: Engine,
  store: Store,
  filter: { readonly state?: RefundView["state"]; readonly paymentId?: string },
): Promise<readonly RefundView[]> {
  const [result] = await engine.transaction((tx) => tx.send([store.lookups.refunds(filter)], { last: true }));
  return (JSON.parse(result ?? "[]") as RefundRow[]).map((row) => viewRefund(toRefund(row)));
}
