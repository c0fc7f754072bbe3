import type { BookonceEvent } from "bookonce";
import type { Api } from "grammy";
import type { Config } from "./config.ts";
import { isUnreachable } from "./errors.ts";
import { timeLabel } from "./schedule.ts";

/** Tells the customer what happened: once per event, from the outbox, in order. */
export function notifications(api: Api, config: Config): (event: BookonceEvent) => Promise<void> {
  return async (event) => {
    const text = textOf(event, config);
    const chatId = event.booking?.data["chatId"];
    if (text === null || typeof chatId !== "number") return;
    try {
      await api.sendMessage(chatId, text);
    } catch (error) {
      // Anything else is tried again later, by the outbox.
      if (!isUnreachable(error)) throw error;
    }
  };
}

function textOf({ type, booking, data }: BookonceEvent, config: Config): string | null {
  if (booking === null) return null;
  const time = timeLabel(config, booking.start);
  switch (type) {
    case "booking_confirmed":
      return `Booked: ${time}, ${config.minutes} minutes with ${config.consultant}. To cancel, use /bookings; until 24 hours before the start all Stars are returned.`;
    case "booking_cancelled":
      return data["refund"] === null
        ? `Your booking for ${time} is cancelled. By the /terms the Stars are kept.`
        : `Your booking for ${time} is cancelled. Your Stars are on the way back.`;
    case "booking_expired":
      // An invoice that was never paid: nobody waits for news of it.
      return data["was"] === "held" ? `The time for paying ${time} is over. /start shows what is free.` : null;
    case "payment_late":
      return `Your payment for ${time} came too late, the time was no longer yours. Your Stars are on the way back.`;
    case "payment_surplus":
      return `You paid twice for ${time}. The second payment is on the way back.`;
    case "refund_completed":
      return `Your ${String(data["amount"])} Stars were returned.`;
    default:
      return null;
  }
}
