import type { BotAccount } from "./bot-account.ts";
import { badRequest } from "./bot-api-error.ts";
import { starAmount } from "./star-ledger.ts";
import type { World } from "./world.ts";

/** How a refund that the bot did not ask for shows itself. */
export interface ExternalRefund {
  chargeId: string;
  /** Whether the bot gets a `refunded_payment` message. Default true. */
  notice?: boolean | undefined;
  /** Whether `getStarTransactions` shows it; without, only the balance falls. Default true. */
  ledgerEntry?: boolean | undefined;
}

/** `refundStarPayment`: whole charges in Stars, once each. */
export function refundByBot(world: World, bot: BotAccount, userId: number, chargeId: string): true {
  if (!world.people.find(userId)) throw badRequest("user not found");
  const charge = world.ledger.charge(chargeId);
  const mine = charge?.bot === bot.id && charge.userId === userId && charge.currency === "XTR";
  if (!charge || !mine) throw badRequest("CHARGE_NOT_FOUND");
  if (world.ledger.refund(chargeId)) throw badRequest("CHARGE_ALREADY_REFUNDED");
  const net = world.ledger.incoming(bot.id, chargeId);
  if (world.ledger.balance(bot.id) < net) throw badRequest("BALANCE_TOO_LOW");
  giveBack(world, chargeId, "bot", { notice: true, ledgerEntry: true });
  return true;
}

/** A refund by support or a chargeback. The bot's balance may fall below zero. */
export function refundExternally(world: World, refund: ExternalRefund): void {
  if (!world.ledger.charge(refund.chargeId)) throw new Error(`There is no charge ${refund.chargeId}.`);
  if (world.ledger.refund(refund.chargeId)) throw new Error(`Charge ${refund.chargeId} is refunded already.`);
  giveBack(world, refund.chargeId, "external", {
    notice: refund.notice ?? true,
    ledgerEntry: refund.ledgerEntry ?? true,
  });
}

function giveBack(
  world: World,
  chargeId: string,
  by: "bot" | "external",
  shown: { notice: boolean; ledgerEntry: boolean },
): void {
  const charge = world.ledger.charge(chargeId);
  if (!charge) return;
  const { bot: botId, userId, currency, amount, payload } = charge;
  const bot = world.bot(botId);
  const person = world.people.get(userId);
  const date = world.clock.unix();
  world.ledger.recordRefund({ chargeId, bot: botId, userId, currency, amount, date, by });
  if (currency === "XTR") {
    const net = world.ledger.incoming(botId, chargeId);
    person.stars += amount;
    const receiver = {
      type: "user",
      transaction_type: "invoice_payment",
      user: person.user,
      invoice_payload: payload,
    };
    const transaction = { id: chargeId, ...starAmount(net), date, receiver };
    world.ledger.move(botId, -net, shown.ledgerEntry ? transaction : undefined);
  }
  // Sent by the bot itself into the buyer's chat, and still delivered to the bot as an update.
  const content = {
    refunded_payment: {
      currency,
      total_amount: amount,
      invoice_payload: payload,
      telegram_payment_charge_id: chargeId,
      provider_payment_charge_id: charge.providerChargeId,
    },
  };
  if (!shown.notice) return;
  const message = world.post({ bot: botId, chat: world.privateChat(bot, person), from: "bot", fromId: botId, content });
  world.queueMessage(bot, message);
}
