import { toMilliseconds } from "./duration.ts";
import type { JsonObject } from "./json.ts";
import { orderDetails } from "./order-details.ts";
import type { PaymentAttempt } from "./payments.ts";
import { randomProviderChargeIds, randomStarsChargeId } from "./random-ids.ts";
import { type Charge, NANO, starAmount } from "./star-ledger.ts";
import type { World } from "./world.ts";

/** Circumstances of one charge. */
export interface ChargeContext {
  /** Told when the bot has been given the receipt. */
  handedOver?: (() => void) | undefined;
  /** Set for a renewal: the subscription exists already. */
  renewal?: boolean | undefined;
}

/** Takes the money, writes the books and sends the receipt. Returns the charge id. */
export function chargeBuyer(world: World, attempt: PaymentAttempt, context: ChargeContext): string {
  const { invoice, person, bot } = attempt;
  const stars = invoice.currency === "XTR";
  const ids = stars
    ? { telegram: randomStarsChargeId(), provider: `${person.id}_${world.ledger.charges().length + 1}` }
    : randomProviderChargeIds();
  const charge: Charge = {
    chargeId: ids.telegram,
    providerChargeId: ids.provider,
    bot: bot.id,
    userId: person.id,
    currency: invoice.currency,
    amount: attempt.total,
    payload: invoice.payload,
    date: world.clock.unix(),
    recurring: invoice.subscriptionPeriod > 0,
  };
  world.ledger.recordCharge(charge);
  invoice.paidBy.push(person.id);
  if (stars) moveStars(world, attempt, charge);
  const expires = invoice.subscriptionPeriod > 0 ? world.subscriptions.paid(attempt, charge, context) : undefined;
  const receipt: JsonObject = {
    currency: charge.currency,
    total_amount: charge.amount,
    invoice_payload: charge.payload,
    ...(expires === undefined ? {} : { subscription_expiration_date: expires, is_recurring: true }),
    ...(expires === undefined || context.renewal ? {} : { is_first_recurring: true }),
    ...orderDetails(invoice.needs, person, attempt.shippingOption),
    telegram_payment_charge_id: charge.chargeId,
    provider_payment_charge_id: charge.providerChargeId,
  };
  const { receiptDelay } = attempt.faults;
  if (!receiptDelay) sendReceipt(world, attempt, receipt, context);
  else world.clock.schedule(toMilliseconds(receiptDelay), () => sendReceipt(world, attempt, receipt, context));
  return charge.chargeId;
}

function moveStars(world: World, attempt: PaymentAttempt, charge: Charge): void {
  const { person, invoice, bot } = attempt;
  person.stars -= charge.amount;
  const perMille = attempt.options.affiliate?.commissionPerMille;
  const share = (BigInt(charge.amount) * NANO * BigInt(perMille ?? 0)) / 1000n;
  const net = BigInt(charge.amount) * NANO - share;
  world.ledger.move(bot.id, net, {
    id: charge.chargeId,
    ...starAmount(net),
    date: charge.date,
    source: {
      type: "user",
      transaction_type: "invoice_payment",
      user: person.user,
      ...(perMille === undefined ? {} : { affiliate: { commission_per_mille: perMille, ...starAmount(share) } }),
      invoice_payload: charge.payload,
      ...(invoice.subscriptionPeriod > 0 ? { subscription_period: invoice.subscriptionPeriod } : {}),
    },
  });
}

/** The service message in the chat of the invoice; a paid link has none, so there it is the chat with the bot. */
function sendReceipt(world: World, attempt: PaymentAttempt, receipt: JsonObject, context: ChargeContext): void {
  const { invoice, bot, person, faults } = attempt;
  const group = invoice.chat && invoice.chat.bot === undefined ? invoice.chat : undefined;
  const message = world.post({
    bot: bot.id,
    chat: group ?? world.privateChat(bot, person),
    from: "user",
    fromId: person.id,
    content: { successful_payment: receipt },
  });
  if (faults.receipt === "lost") return;
  world.queueMessage(bot, message, {
    copies: faults.receipt === "twice-same-update-id" ? 2 : 1,
    ...(context.handedOver ? { handedOver: context.handedOver } : {}),
  });
  if (faults.receipt === "twice-new-update-id") world.queueMessage(bot, message);
}
