import { type SettleOutcome, type SettleRefund, settleRefund } from "../core/refund.ts";
import { keys } from "../store/keys.ts";
import { command, type Runner } from "./runner.ts";

/** How long a refund's row may be fought over before the call that wants it gives up. */
export const settleBudgetMs = 30_000;

export const asIs = <Value>(value: Value): Value => value;

/** What became of a refund, written down: by a worker under its lease, by a person, or by the provider's ledger. */
export function settle(runner: Runner, asked: SettleRefund): Promise<SettleOutcome> {
  return runner.run(
    command(keys({ refundIds: [asked.refundId] }), (state, context) => settleRefund(state, asked, context), asIs),
    {},
    settleBudgetMs,
  );
}
