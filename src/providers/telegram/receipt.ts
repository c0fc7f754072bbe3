import type { ConfirmPaymentInput } from "../../verbs/confirm-payment.ts";
import type { RefundNotice } from "./decode.ts";
import { ownPayment } from "./identity.ts";
import { type ExternalRefund, type HandledUpdate, handled, passedOn, type TelegramOutcome } from "./outcomes.ts";
import { type Patience, persist } from "./persist.ts";
import type { Settings } from "./settings.ts";

interface Delivery {
  readonly patience: Patience;
  readonly signal: AbortSignal | undefined;
}

/** The money has moved: acknowledged only when it is stored, whatever it bought (S9–S13). */
export async function handleReceipt(
  settings: Settings,
  input: ConfirmPaymentInput,
  { patience, signal }: Delivery,
): Promise<HandledUpdate> {
  const { bookonce, report, recordMs: budgetMs } = settings;
  const of = "successful_payment";
  const work = () => bookonce.confirmPayment(input, signal === undefined ? { budgetMs } : { budgetMs, signal });
  const persisted = await persist(work, { patience, signal, report: (error) => report(error, of) });
  if (!persisted.stored) {
    // A receipt that can never be stored must not block the chat's later messages for a day (facts 1.8); reconciliation finds Stars.
    if (persisted.permanent) return handled({ outcome: "malformed", of, problems: persisted.error.problems });
    return { outcome: "not_stored", of, error: persisted.error, handled: true, ack: "retry" };
  }
  const confirmed = persisted.result;
  if ("payment" in confirmed) return handled(confirmed);
  // A subscription's: reported by the verb, and left to the bot's own code (S17).
  const { outcome } = confirmed;
  return passedOn(outcome === "recurring" ? { outcome, chargeId: input.chargeId } : { outcome });
}

/** Telegram says that money went back: our refund is completed, or somebody else's is reported. */
export async function handleRefundNotice(
  settings: Settings,
  notice: RefundNotice,
  { patience, signal }: Delivery,
): Promise<HandledUpdate> {
  const of = "refunded_payment";
  const report = (error: unknown) => settings.report(error, of);
  const work = () => recordRefund(settings, { ...notice, seenIn: "message" }, "telegram: refunded_payment");
  const persisted = await persist(work, { patience, signal, report });
  if (!persisted.stored) {
    if (persisted.permanent) return handled({ outcome: "malformed", of, problems: persisted.error.problems });
    return { outcome: "not_stored", of, error: persisted.error, handled: true, ack: "retry" };
  }
  if (persisted.result.outcome === "external_refund") await settings.onExternalRefund(persisted.result.refund);
  return handled(persisted.result);
}

type RecordedRefund = Extract<TelegramOutcome, { outcome: "refund_seen" | "external_refund" }>;

/** Finds the refund by the charge; what came back without a refund of ours is external. The same news again changes nothing. */
export async function recordRefund(
  { bookonce }: Pick<Settings, "bookonce">,
  seen: Omit<ExternalRefund, "payment">,
  by: string,
): Promise<RecordedRefund> {
  const payment = ownPayment(await bookonce.payments.find({ chargeId: seen.chargeId }), seen);
  if (payment === undefined) return { outcome: "external_refund", refund: { ...seen, payment: null } };
  const [refund] = await bookonce.refunds.ofPayment(payment.id);
  if (refund === undefined) {
    // A fact, and recorded as one; what becomes of the booking is policy `externalRefund`.
    await bookonce.refunds.recordExternal({ paymentId: payment.id, by });
    return { outcome: "external_refund", refund: { ...seen, payment } };
  }
  if (refund.state === "completed") return { outcome: "refund_seen", refund, payment, repeated: true };
  return {
    outcome: "refund_seen",
    refund: await bookonce.refunds.seen({ refundId: refund.id, by }),
    payment,
    repeated: false,
  };
}
