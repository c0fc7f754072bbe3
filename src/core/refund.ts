import type { Context } from "./context.ts";
import type { NewEvent, Payment, Refund } from "./model.ts";
import type { Money } from "./money.ts";
import { capabilitiesOf } from "./providers.ts";
import { type Decision, paymentById, type State, unchanged } from "./state.ts";
import type { Instant } from "./time.ts";

/**
 * What the provider answered to a refund call.
 *
 * - `refunded`: done, now or earlier ("already refunded" is success).
 * - `unknown`: a time-out, a network error or a 5xx. The money may have moved.
 * - `retry_later`: refused for the moment (429); nothing moved.
 * - `refused`: refused for good; a person must look at it.
 * - `unrecognised`: a refusal nobody knows; tried again slowly, then a person must look at it.
 */
export type RefundAnswer =
  | { readonly answer: "refunded"; readonly by: string }
  | { readonly answer: "unknown"; readonly error: string }
  | { readonly answer: "retry_later"; readonly afterMs: number; readonly error: string }
  | { readonly answer: "refused"; readonly error: string }
  | { readonly answer: "unrecognised"; readonly error: string };

export interface SettleRefund {
  readonly refundId: string;
  /** The token of the lease under which the call was made; null: not a worker's answer but the provider's ledger, or a person. */
  readonly leaseToken: string | null;
  readonly answer: RefundAnswer;
  readonly note: string | null;
  /** An earlier call had no answer: the money may have moved already, whatever this call was told. */
  readonly maybeDone: boolean;
}

export type SettleOutcome =
  | { readonly outcome: "settled"; readonly refund: Refund }
  | { readonly outcome: "ignored"; readonly refund: Refund | null };

/** Unrecognised refusals before a person is asked. */
const patience = 8;

/** Writes the refund task, in the same transaction as what caused it. Without a refund call it is a person's task at once (S16). */
export function queueRefund(
  payment: Payment,
  money: Money,
  reason: string,
  { now, newId, providers }: Context,
): { readonly refund: Refund; readonly events: readonly NewEvent[] } {
  const byPerson = capabilitiesOf(providers, payment.key.provider).refund === "person";
  const refund: Refund = {
    id: newId(),
    paymentId: payment.id,
    bookingId: payment.bookingId,
    money,
    reason,
    state: byPerson ? "needs_attention" : "pending",
    attempts: 0,
    requestedAt: now,
    dueAt: now,
    leaseToken: null,
    leaseUntil: null,
    lastError: null,
    completedAt: null,
    completedBy: null,
    note: byPerson ? `${payment.key.provider} has no refund call: return the money in the provider's cabinet` : null,
  };
  const events = [refundEvent("refund_requested", refund, now)];
  return { refund, events: byPerson ? [...events, refundEvent("refund_needs_attention", refund, now)] : events };
}

/** The table "Refund" of the decisions: what a provider's answer makes of a refund. */
export function settleRefund(state: State, command: SettleRefund, { now }: Context): Decision<SettleOutcome> {
  const refund = state.refunds.get(command.refundId);
  if (refund === undefined || refund.state === "completed") {
    return unchanged({ outcome: "ignored", refund: refund ?? null });
  }
  // Fencing: an answer under a lease that somebody else has taken over says nothing about the call in flight. That the money
  // came back is a fact, though, whoever reports it.
  const fenced = command.leaseToken !== null && command.leaseToken !== refund.leaseToken;
  if (fenced && command.answer.answer !== "refunded") return unchanged({ outcome: "ignored", refund });

  const settled = settle(refund, command, now);
  const events: NewEvent[] = [];
  if (settled.state === "completed") events.push(refundEvent("refund_completed", settled, now));
  if (settled.state === "needs_attention" && refund.state !== "needs_attention") {
    events.push(refundEvent("refund_needs_attention", settled, now));
  }
  return { outcome: { outcome: "settled", refund: settled }, changes: { refunds: [settled], events } };
}

function settle(refund: Refund, { answer, note, maybeDone }: SettleRefund, now: Instant): Refund {
  // A look-up that was told to come later has not found out what became of the call before it.
  const again = maybeDone ? "unconfirmed" : "pending";
  const free = { ...refund, leaseToken: null, leaseUntil: null, note: note ?? refund.note };
  switch (answer.answer) {
    case "refunded":
      return { ...free, state: "completed", completedAt: now, completedBy: answer.by, lastError: null };
    case "unknown":
      return { ...free, state: "unconfirmed", dueAt: now + backOff(refund.attempts), lastError: answer.error };
    case "retry_later":
      return { ...free, state: again, dueAt: now + answer.afterMs, lastError: answer.error };
    case "refused":
      return { ...free, state: "needs_attention", lastError: answer.error };
    case "unrecognised":
      return refund.attempts >= patience
        ? { ...free, state: "needs_attention", lastError: answer.error }
        : { ...free, state: again, dueAt: now + backOff(refund.attempts), lastError: answer.error };
  }
}

/** 5 s, 10 s, 20 s … at most an hour. `attempts` counts the call that has just failed. */
function backOff(attempts: number): number {
  return Math.min(5_000 * 2 ** Math.max(0, attempts - 1), 3_600_000);
}

/** `by_hand`: no worker would ever take it, so it stays with the person. */
export type RetryOutcome =
  | SettleOutcome
  | { readonly outcome: "by_hand"; readonly refund: Refund; readonly provider: string };

/** A person gives a refund that needs attention back to the workers, if there can be one. */
export function retryRefund(
  state: State,
  command: { readonly refundId: string; readonly actor: string },
  { now, providers }: Context,
): Decision<RetryOutcome> {
  const refund = state.refunds.get(command.refundId);
  if (refund === undefined || refund.state !== "needs_attention") {
    return unchanged({ outcome: "ignored", refund: refund ?? null });
  }
  const provider = paymentById(state, refund.paymentId)?.key.provider;
  if (provider !== undefined && capabilitiesOf(providers, provider).refund === "person") {
    return unchanged({ outcome: "by_hand", refund, provider });
  }
  // Of the calls that were made, one may have moved the money: only a look-up can tell.
  const retried: Refund = {
    ...refund,
    state: refund.attempts > 0 ? "unconfirmed" : "pending",
    attempts: 0,
    dueAt: now,
  };
  return {
    outcome: { outcome: "settled", refund: retried },
    changes: {
      refunds: [retried],
      events: [{ ...refundEvent("refund_requested", retried, now), actor: command.actor }],
    },
  };
}

function refundEvent(type: NewEvent["type"], refund: Refund, at: Instant): NewEvent {
  return {
    bookingId: refund.bookingId,
    type,
    at,
    actor: refund.completedBy ?? "bookonce",
    version: null,
    data: { refundId: refund.id, paymentId: refund.paymentId, ...refund.money, reason: refund.reason },
  };
}
