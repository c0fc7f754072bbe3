import { z } from "zod";
import type { RefundAnswer } from "../../core/refund.ts";
import type { Refunder, RefundTask } from "../../verbs/refund-run.ts";
import { callTelegram, type TelegramApi, TelegramApiError } from "./api.ts";
import { check, having } from "./check.ts";
import { accountOf, starsProvider, telegramUserId } from "./identity.ts";

export interface StarsRefunderOptions {
  /** The bot's own id. When several bots share a database, refunds of the others are left to their own workers. */
  readonly botId?: number | string;
}

type Answer = Awaited<ReturnType<Refunder["refund"]>>;

const apiSchema = having<TelegramApi>("an API port: grammyApi(…), telegrafApi(…), fetchApi(…)", "call");
const optionsSchema = z.strictObject({ botId: z.union([z.number(), z.string()]).optional() });

/**
 * Returns Stars through `refundStarPayment`, for `bookonce.refunds.run`. The charge id makes the call idempotent, so after a time-out
 * it is simply sent again: `CHARGE_ALREADY_REFUNDED` is success (S12, B28).
 *
 * @example
 * ```ts
 * import type { Bookonce } from "bookonce";
 * import { fetchApi, starsRefunder } from "bookonce/telegram";
 *
 * export async function work(bookonce: Bookonce, token: string) {
 *   const report = await bookonce.refunds.run(starsRefunder(fetchApi({ token })));
 *   if (report.paused !== null) console.error(`refunds are paused: ${report.paused}`);
 * }
 * ```
 *
 * Answers: `refunded` (now or earlier); `retry_later` on 429; `refused` for a charge or a payer that Telegram does not know, and for
 * what cannot be sent at all; `unknown` on 5xx, network errors and time-outs; `unrecognised` for any other refusal (a low balance, a
 * user who is gone), which is tried again slowly before a person is asked; `pause` when the token is revoked.
 */
export function starsRefunder(api: TelegramApi, options: StarsRefunderOptions = {}): Refunder {
  check("starsRefunder: api", apiSchema, api);
  const { botId } = check("starsRefunder", optionsSchema, options);
  return {
    provider: starsProvider,
    ...(botId === undefined ? {} : { account: accountOf(botId) }),
    async refund(task, { signal }) {
      const refused = checked(task);
      if (refused.answer !== null) return refused.answer;
      try {
        await callTelegram(api, "refundStarPayment", refused.params, signal);
        return { answer: "refunded", by: "telegram: refundStarPayment" };
      } catch (error) {
        return answerOf(error);
      }
    },
  };
}

type Params = { readonly user_id: number; readonly telegram_payment_charge_id: string };

/** What would be a mistake to send is not sent (B40). */
function checked(
  task: RefundTask,
): { readonly answer: RefundAnswer } | { readonly answer: null; readonly params: Params } {
  const { payment } = task;
  const userId = telegramUserId(payment.payer);
  if (userId === null) {
    return { answer: { answer: "refused", error: `the payer ${JSON.stringify(payment.payer)} is no Telegram user` } };
  }
  const problem = problemOf(task);
  if (problem !== null) return { answer: { answer: "refused", error: problem } };
  return { answer: null, params: { user_id: userId, telegram_payment_charge_id: payment.chargeId } };
}

function problemOf({ refund, payment }: RefundTask): string | null {
  if (payment.currency !== "XTR") return `this payment is in ${payment.currency}, not in Stars`;
  if (refund.amount !== payment.amount) return "Stars are returned as a whole only";
  return payment.chargeId === "" ? "the charge id is empty" : null;
}

const done = /CHARGE_ALREADY_REFUNDED/;
const final = /CHARGE_NOT_FOUND|CHARGE_ID_EMPTY|USER_ID_INVALID|invalid user_id specified|parameter ".*" is required/;
const noBot = /USER_BOT_REQUIRED/;

function answerOf(error: unknown): Answer {
  if (!(error instanceof TelegramApiError)) {
    return { answer: "unknown", error: error instanceof Error ? error.message : String(error) };
  }
  const { errorCode, description, message } = error;
  if (done.test(description)) return { answer: "refunded", by: "telegram: CHARGE_ALREADY_REFUNDED" };
  if (errorCode === 429) return { answer: "retry_later", afterMs: error.retryAfterMs ?? 5_000, error: message };
  // 404 is what a malformed token gets.
  if (errorCode === 401 || errorCode === 404 || noBot.test(description)) return { answer: "pause", error: message };
  if (errorCode >= 500) return { answer: "unknown", error: message };
  return final.test(description) ? { answer: "refused", error: message } : { answer: "unrecognised", error: message };
}
