import { refundByBot } from "../refunds.ts";
import { starAmount } from "../star-ledger.ts";
import type { Method } from "./method.ts";

const refundStarPayment: Method = {
  name: "refundStarPayment",
  parameters: ["user_id", "telegram_payment_charge_id"],
  run: ({ world, bot, params }) => {
    const userId = params.userId();
    return refundByBot(world, bot, userId, params.requiredString("telegram_payment_charge_id"));
  },
};

const getStarTransactions: Method = {
  name: "getStarTransactions",
  parameters: ["offset", "limit"],
  run: ({ world, bot, params }) => {
    const offset = params.integer("offset", 0, 0, Number.MAX_SAFE_INTEGER);
    const limit = Math.min(params.integer("limit", 100, 1, 100), world.faults.pageLimit());
    return { transactions: world.ledger.history(bot.id).slice(offset, offset + limit) };
  },
};

const getMyStarBalance: Method = {
  name: "getMyStarBalance",
  parameters: [],
  run: ({ world, bot }) => {
    const nano = world.ledger.balance(bot.id);
    return nano < 0n ? { amount: -starAmount(-nano).amount } : starAmount(nano);
  },
};

const editUserStarSubscription: Method = {
  name: "editUserStarSubscription",
  parameters: ["user_id", "telegram_payment_charge_id", "is_canceled"],
  required: ["is_canceled"],
  run: ({ world, bot, params }) => {
    const chargeId = params.requiredString("telegram_payment_charge_id");
    return world.subscriptions.edit(bot, params.userId(), chargeId, params.boolean("is_canceled"));
  },
};

/** The bot's Stars: history, balance, refunds, subscriptions. */
export const starMethods: readonly Method[] = [
  refundStarPayment,
  getStarTransactions,
  getMyStarBalance,
  editUserStarSubscription,
];
