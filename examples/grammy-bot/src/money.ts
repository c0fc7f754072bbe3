import type { Bookonce, BookonceEvent, PaymentView, RefundView } from "bookonce";

/** The payment that an event is about, and where it is now. */
export interface Money {
  readonly payment: PaymentView;
  /** Null: nothing of it goes back. */
  readonly refund: RefundView | null;
}

/** Looked up when the event is told: what was true when it was written may be so no longer. */
export async function moneyOf<Caller>(bookonce: Bookonce<Caller>, event: BookonceEvent): Promise<Money | null> {
  const payment = await paymentOf(bookonce, event);
  if (payment === undefined) return null;
  const [refund = null] = await bookonce.refunds.ofPayment(payment.id);
  return { payment, refund };
}

async function paymentOf<Caller>(
  bookonce: Bookonce<Caller>,
  { type, bookingId, data }: BookonceEvent,
): Promise<PaymentView | undefined> {
  if (type === "booking_cancelled" && bookingId !== null) {
    const payments = await bookonce.payments.find({ bookingId });
    return payments.find(({ disposition }) => disposition === "booked");
  }
  const { paymentId } = data;
  if (typeof paymentId !== "string") return undefined;
  return (await bookonce.payments.find({ paymentId }))[0];
}
