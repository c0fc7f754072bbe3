import { setTimeout as sleep } from "node:timers/promises";
import { callTelegram, type TelegramApi, TelegramApiError, type TelegramCallError } from "./api.ts";

/** What is said about a pre-checkout query. */
export interface Answer {
  readonly queryId: string;
  /** Null approves. */
  readonly errorMessage: string | null;
}

export type AnswerResult =
  | { readonly state: "sent" }
  /** Telegram no longer waits; `heardBefore`: an earlier call of ours may have been heard, and this refusal is about the second one. */
  | { readonly state: "expired"; readonly heardBefore: boolean }
  | { readonly state: "unknown" | "refused"; readonly error: TelegramApiError | TelegramCallError };

const attempts = 2;
const pauseMs = 100;

/**
 * Answers a pre-checkout query within its own deadline, whatever retry plugin the bot has installed, with one retry at most. A retry
 * follows only when the first call failed before its time was over (S3).
 */
export async function answerPreCheckout(api: TelegramApi, answer: Answer, budgetMs: number): Promise<AnswerResult> {
  const { queryId, errorMessage } = answer;
  const params =
    errorMessage === null
      ? { pre_checkout_query_id: queryId, ok: true }
      : { pre_checkout_query_id: queryId, ok: false, error_message: errorMessage };
  const deadline = performance.now() + budgetMs;
  const signal = AbortSignal.timeout(budgetMs);
  let heardBefore = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await callTelegram(api, "answerPreCheckoutQuery", params, signal);
      return { state: "sent" };
    } catch (caught) {
      // callTelegram rejects with nothing else.
      const error = caught as TelegramApiError | TelegramCallError;
      if (isTooOld(error)) return { state: "expired", heardBefore };
      const retry = retryOf(error);
      if (retry === null) return { state: "refused", error };
      heardBefore ||= retry.mayHaveBeenHeard;
      const over = signal.aborted || performance.now() + retry.afterMs >= deadline;
      if (attempt === attempts || over) return { state: heardBefore ? "unknown" : "refused", error };
      await sleep(retry.afterMs);
    }
  }
}

/** The one text for late, unknown and already answered queries. */
function isTooOld(error: TelegramApiError | TelegramCallError): boolean {
  return (
    error instanceof TelegramApiError &&
    error.errorCode === 400 &&
    /query is too old|query.?id.{0,4}invalid/i.test(error.description)
  );
}

/** Whether trying again makes sense, when, and whether Telegram may have heard the call that failed; null: it said a plain no. */
function retryOf(
  error: TelegramApiError | TelegramCallError,
): { readonly afterMs: number; readonly mayHaveBeenHeard: boolean } | null {
  if (!(error instanceof TelegramApiError)) return { afterMs: pauseMs, mayHaveBeenHeard: true };
  if (error.errorCode === 429) return { afterMs: error.retryAfterMs ?? 1_000, mayHaveBeenHeard: false };
  return error.errorCode >= 500 ? { afterMs: pauseMs, mayHaveBeenHeard: true } : null;
}
