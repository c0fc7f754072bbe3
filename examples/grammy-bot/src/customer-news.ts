import type { BookonceEvent } from "bookonce";
import type { LabelLocale } from "bookonce/calendar";
import { fillText, type MessageCode } from "bookonce/telegram";
import type { Config } from "./config.ts";
import type { Money } from "./money.ts";
import { durationLabel, starsLabel, textsIn, timeLabel } from "./words.ts";

/** Whom an event concerns: of money, whoever paid it, who need not be the customer of the booking. */
export function concerned({ type, booking }: BookonceEvent, money: Money | null): string | null {
  const aboutMoney = type.startsWith("payment_") || type.startsWith("refund_");
  return (aboutMoney ? money?.payment.payer : booking?.customer) ?? null;
}

/** What is said of an event, in the words of the library; null: nothing. */
export function customerNews(
  { type, version, booking, data }: BookonceEvent,
  money: Money | null,
  config: Config,
  locale: LabelLocale,
): string | null {
  const { reasons, messages } = textsIn(locale);
  const values = {
    manage: "/bookings",
    ...(booking !== null && {
      when: timeLabel(config, booking.start, locale),
      duration: durationLabel(booking, locale),
    }),
    ...(money !== null && { amount: starsLabel(money.refund?.amount ?? money.payment.amount, locale) }),
  };
  const say = (code: MessageCode) => fillText(messages[code], values);
  // Money that waits for a person is not "on the way": what it waits for is said by an event of its own.
  const waits = money?.refund?.state === "needs_attention";
  switch (type) {
    case "booking_confirmed":
      return say("booked");
    case "booking_rescheduled":
      // Old news: it has been moved again, or cancelled, which is told next.
      return version === booking?.version ? say("moved") : null;
    case "booking_cancelled":
      if (data["refund"] === null) return say(money === null ? "cancelled" : "cancelled_no_refund");
      return say(waits ? "cancelled" : "cancelled_refund");
    case "booking_expired":
      // An invoice that was never paid: nobody waits for news of it.
      return data["was"] === "held" ? say("hold_expired") : null;
    case "payment_late":
      if (waits) return data["reason"] === "cancelled" ? reasons.cancelled : reasons.hold_lapsed;
      return say("payment_late");
    case "payment_surplus":
      return waits ? reasons.already_paid : say("payment_surplus");
    case "payment_review":
      return money?.payment.review === "open" ? say("payment_review") : null;
    case "refund_needs_attention":
      return waits ? say("refund_needs_attention") : null;
    case "refund_completed":
      return say("refunded");
    default:
      return null;
  }
}
