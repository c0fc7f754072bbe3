import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { RefundAnswer } from "../core/refund.ts";
import type { Engine } from "../engine/engine.ts";
import { toPayment, toRefund } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import type { PaymentRow, RefundRow } from "../store/tables.ts";
import { aFunction, signal as signalSchema } from "./call-options.ts";
import { identifier, parseInput, patienceMs, storableText, times } from "./input.ts";
import { settle } from "./refund-settle.ts";
import type { Runner } from "./runner.ts";
import { type PaymentView, type RefundView, viewPayment, viewRefund } from "./views.ts";

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

const runSchema = z.strictObject({
  limit: times.default(20),
  callTimeoutMs: patienceMs.default(15_000),
  signal: signalSchema.optional(),
});
// A class of one's own is a refunder too, so its other fields are its own business.
const refunderSchema = z.looseObject({
  provider: identifier,
  account: identifier.optional(),
  refund: aFunction<Refunder["refund"]>(),
});

interface Leased {
  readonly refund: RefundRow;
  readonly payment: PaymentRow;
  readonly was: RefundRow["state"];
}

/** One run of a worker: leases, calls and settles what is due, one refund after another. */
export async function runRefunds(
  engine: Engine,
  store: Store,
  runner: Runner,
  refunder: Refunder,
  options: RefundRunOptions,
): Promise<RefundRunReport> {
  const { limit, callTimeoutMs, signal } = parseInput("refunds.run", runSchema, options);
  parseInput("refunds.run: refunder", refunderSchema, refunder);
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
      maybeDone: maybeDone(leased),
    });
    if (outcome.outcome === "settled") count(report, outcome.refund.state);
    if (answer.answer === "pause") return { ...report, paused: answer.error };
  }
  return report;
}

/** A call that had no answer, or whose worker died, may have moved the money. */
function maybeDone({ was }: Leased): boolean {
  return was !== "pending";
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
    maybeDone: maybeDone(leased),
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
