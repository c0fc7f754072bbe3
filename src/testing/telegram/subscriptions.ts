import type { BotAccount } from "./bot-account.ts";
import { badRequest } from "./bot-api-error.ts";
import { type ChargeContext, chargeBuyer } from "./charges.ts";
import type { PaymentAttempt } from "./payments.ts";
import type { Charge } from "./star-ledger.ts";
import { RETENTION } from "./update-queue.ts";
import type { World } from "./world.ts";

interface Subscription {
  readonly attempt: PaymentAttempt;
  readonly chargeIds: string[];
  /** Unix time in seconds. */
  expiresAt: number;
  canceledByBot: boolean;
  canceledByUser: boolean;
}

/** Monthly Star subscriptions, found by any of their charge ids. */
export class SubscriptionBook {
  readonly #world: World;
  readonly #subscriptions: Subscription[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** Notes a charge of a subscription; returns until when it is paid, in Unix seconds. */
  paid(attempt: PaymentAttempt, charge: Charge, context: ChargeContext): number {
    const period = attempt.invoice.subscriptionPeriod;
    const running = context.renewal ? this.#subscriptions.find((each) => each.attempt === attempt) : undefined;
    if (running) {
      running.chargeIds.push(charge.chargeId);
      running.expiresAt += period;
      return running.expiresAt;
    }
    const expiresAt = charge.date + period;
    const chargeIds = [charge.chargeId];
    this.#subscriptions.push({ attempt, chargeIds, expiresAt, canceledByBot: false, canceledByUser: false });
    return expiresAt;
  }

  /** Charges the next month: a new charge id, the same payload, and no pre-checkout. */
  renew(chargeId: string): string {
    const subscription = this.#find(chargeId);
    if (!subscription) throw new Error(`There is no subscription with charge ${chargeId}.`);
    const { attempt } = subscription;
    if (subscription.canceledByBot || subscription.canceledByUser) throw new Error("The subscription is cancelled.");
    if (attempt.person.stars < attempt.total) {
      this.#notify(subscription, "failed");
      throw new Error("The subscriber has too few Stars: the bot was sent a failed subscription update.");
    }
    return chargeBuyer(this.#world, attempt, { renewal: true });
  }

  /** The subscriber switches renewal off, or on again; the bot gets a `subscription` update. */
  cancelByUser(chargeId: string, canceled: boolean): void {
    const subscription = this.#find(chargeId);
    if (!subscription) throw new Error(`There is no subscription with charge ${chargeId}.`);
    if (!canceled && subscription.canceledByBot) throw new Error("The bot cancelled this subscription.");
    subscription.canceledByUser = canceled;
    this.#notify(subscription, canceled ? "canceled" : "active");
  }

  /** `editUserStarSubscription`. */
  edit(bot: BotAccount, userId: number, chargeId: string, canceled: boolean): true {
    const subscription = this.#find(chargeId);
    const mine = subscription?.attempt.bot === bot && subscription.attempt.person.id === userId;
    if (!subscription || !mine) throw badRequest("CHARGE_NOT_FOUND");
    subscription.canceledByBot = canceled;
    return true;
  }

  #find(chargeId: string): Subscription | undefined {
    return this.#subscriptions.find((each) => each.chargeIds.includes(chargeId));
  }

  #notify({ attempt }: Subscription, state: "canceled" | "active" | "failed"): void {
    this.#world.queue(attempt.bot, {
      type: "subscription",
      content: { user: attempt.person.user, invoice_payload: attempt.invoice.payload, state },
      lane: `chat ${attempt.person.id}`,
      expiresAt: this.#world.clock.now() + RETENTION.message,
    });
  }
}
