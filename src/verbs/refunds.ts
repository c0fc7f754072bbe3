import { z } from "zod";
import { BookonceError } from "../core/error.ts";
import { type ExternalOutcome, recordExternalRefund } from "../core/external-refund.ts";
import { retryRefund, type SettleOutcome } from "../core/refund.ts";
import type { Engine } from "../engine/engine.ts";
import { keys } from "../store/keys.ts";
import { toRefund } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import type { PaymentRow, RefundRow } from "../store/tables.ts";
import { identifier, parseInput, text, uuid } from "./input.ts";
import { read } from "./reader.ts";
import { type Refunder, type RefundRunOptions, type RefundRunReport, runRefunds } from "./refund-run.ts";
import { asIs, settle, settleBudgetMs } from "./refund-settle.ts";
import { command, ownRunner } from "./runner.ts";
import { type BookingView, type RefundView, viewBooking, viewRefund } from "./views.ts";

/** The refund outbox: provider calls after commit, leased, fenced, and never forgotten (S12). */
export interface Refunds {
  /**
   * Takes the refunds that are due at the refunder's provider and makes the calls. Run it in a loop in any number of processes.
   *
   * @example
   * ```ts
   * import { type Bookonce, type Refunder, repeat } from "bookonce";
   *
   * export function refundLoop(bookonce: Bookonce, refunder: Refunder, signal: AbortSignal): Promise<void> {
   *   const options = { every: { seconds: 1 }, onError: console.error, signal };
   *   return repeat(() => bookonce.refunds.run(refunder, { signal }), options);
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
  /**
   * Gives a refund that needs attention back to the workers.
   *
   * @throws BookonceError `unknown_refund`; `not_allowed`: it is in another state, or its provider has no refund call, so that only a
   * person can return the money.
   */
  retry(input: { readonly refundId: string; readonly actor: string }): Promise<RefundView>;
  /** The provider's own ledger shows the refund: completes it, whatever its state. @throws BookonceError `unknown_refund` */
  seen(input: { readonly refundId: string; readonly by: string }): Promise<RefundView>;
  /**
   * Money went back that nobody here asked for: support, a chargeback, the provider's cabinet. Completes a refund of ours that is still
   * open, or records all that is left of the payment as one that is external; when nothing is left, nothing. The provider's news of a
   * refund of ours is {@link Refunds.seen}: where a part was returned, this would count the rest as returned too. The booking is kept,
   * or cancelled, by policy `externalRefund`.
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

export function refunds(engine: Engine, store: Store): Refunds {
  const runner = ownRunner(engine);
  return {
    run: (refunder, options = {}) => runRefunds(engine, store, runner, refunder, options),
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
        await settle(runner, {
          refundId,
          leaseToken: null,
          answer: { answer: "refunded", by: actor },
          note,
          maybeDone: true,
        }),
      );
    },
    async seen(input) {
      const { refundId, by } = parseInput("refunds.seen", seenSchema, input);
      return completed(
        await settle(runner, {
          refundId,
          leaseToken: null,
          answer: { answer: "refunded", by },
          note: null,
          maybeDone: true,
        }),
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
      const [row] = await read<RefundRow[]>(engine, store.lookups.refunds({ id: asked.refundId }));
      if (row === undefined) throw unknownRefund();
      const outcome = await runner.run(
        command(
          // The payment too: its provider says whether a worker can return the money at all.
          keys({ refundIds: [asked.refundId], paymentIds: [row.payment_id] }),
          (state, context) => retryRefund(state, asked, context),
          asIs,
        ),
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
      if (outcome.outcome === "by_hand") throw byHand(outcome.provider);
      return viewRefund(outcome.refund);
    },
  };
}

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

function completed(outcome: SettleOutcome): RefundView {
  if (outcome.refund === null) throw unknownRefund();
  return viewRefund(outcome.refund);
}

function unknownRefund(): BookonceError {
  return new BookonceError("unknown_refund", "There is no refund with this id.");
}

function byHand(provider: string): BookonceError {
  return new BookonceError(
    "not_allowed",
    `No refund call of ${provider} is known here, so no worker would ever take this refund: return the money by hand and close it with resolve. If a worker of yours makes the call, declare the provider first: \`providers\` of createBookonce, --refunds-by-api on the command line.`,
  );
}

async function list(
  engine: Engine,
  store: Store,
  filter: { readonly state?: RefundView["state"]; readonly paymentId?: string },
): Promise<readonly RefundView[]> {
  const [result] = await engine.transaction((tx) => tx.send([store.lookups.refunds(filter)], { last: true }));
  return (JSON.parse(result ?? "[]") as RefundRow[]).map((row) => viewRefund(toRefund(row)));
}
