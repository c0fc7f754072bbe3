import type { Bookonce, PaymentView, RefundView } from "bookonce";
import { telegramCustomer } from "bookonce/telegram";
import { Composer, type Context } from "grammy";
import type { Config } from "./config.ts";

/** What Telegram asks of everybody who sells: terms before the purchase, and a way to get help with a payment. */
export function support<Caller>(bookonce: Bookonce<Caller>, config: Config): Composer<Context> {
  const composer = new Composer<Context>();

  composer.command("terms", (ctx) =>
    ctx.reply(
      [
        `You buy one online consultation of ${config.minutes} minutes with ${config.consultant} for ${config.stars} Stars.`,
        "The time is yours once you have paid; if it was taken meanwhile, you are not charged, and if a payment comes too late, all Stars are returned.",
        "Up to 24 hours before the start you may move it to another free time, or cancel it and get all Stars back. After that it cannot be moved, and the Stars are kept.",
        "/paysupport helps with payments. Telegram's own support cannot help with purchases made here.",
      ].join("\n"),
    ),
  );

  // With the charge id from the receipt, or without: the buyer's own payments.
  composer.command("paysupport", async (ctx) => {
    if (ctx.from === undefined) return;
    const chargeId = ctx.match.trim();
    if (chargeId === "") {
      await ctx.reply(
        "Send /paysupport followed by the transaction id from your Telegram receipt, and I will tell where your Stars are.",
      );
      return;
    }
    const found = await bookonce.payments.find({ chargeId });
    const payment = found.find((one) => one.payer === telegramCustomer(ctx.from?.id ?? 0));
    if (payment === undefined) {
      await ctx.reply(
        "I have no payment of yours with this id. If your Stars were taken, it is found within minutes; ask again then.",
      );
      return;
    }
    const [refund] = await bookonce.refunds.ofPayment(payment.id);
    await ctx.reply(`${payment.amount} Stars. ${whereabouts(payment, refund)}`);
  });
  return composer;
}

function whereabouts({ disposition }: PaymentView, refund: RefundView | undefined): string {
  switch (refund?.state) {
    case undefined:
      return disposition === "booked" ? "It paid for your booking; /bookings shows it." : "A person is looking at it.";
    case "completed":
      return "All Stars were returned to you.";
    case "needs_attention":
      return "Returning your Stars takes longer than usual. A person is looking at it; nothing is lost.";
    default:
      return "Your Stars are on the way back to you.";
  }
}
