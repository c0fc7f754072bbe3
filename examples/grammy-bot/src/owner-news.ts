import type { BookonceEvent } from "bookonce";
import type { Money } from "./money.ts";

/** What the owner must see to: money that no program can decide about. Null: nothing. */
export function ownerNews({ type }: BookonceEvent, money: Money | null): string | null {
  if (money === null) return null;
  const { payment, refund } = money;
  const what = `${payment.amount} ${payment.currency} of ${payment.payer}, charge ${payment.chargeId}`;
  // Seen to already, when it is told late.
  if (type === "payment_review" && payment.review === "open") {
    return `A payment waits for you (${payment.reason}): ${what}. Return it, or give it a booking: bookonce reviews --help`;
  }
  if (type === "refund_needs_attention" && refund?.state === "needs_attention") {
    const why = refund.lastError ?? refund.note ?? refund.reason;
    return `A refund waits for you (${why}): ${what}. bookonce refunds --help`;
  }
  return null;
}
