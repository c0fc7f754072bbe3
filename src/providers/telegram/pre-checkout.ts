import { setTimeout as sleep } from "node:timers/promises";
import type { DeclineReason } from "../../core/model.ts";
import { textFor } from "../../texts/index.ts";
import type { PreCheckoutInput, PreCheckoutOutcome } from "../../verbs/decide-pre-checkout.ts";
import { type AnswerResult, answerPreCheckout } from "./answer.ts";
import { type HandledUpdate, handled, passedOn } from "./outcomes.ts";
import type { Settings } from "./settings.ts";

type Decision = Exclude<PreCheckoutOutcome, { readonly outcome: "not_ours" }>;

/** Decides, commits, and only then answers; always answers, and never yes without a committed hold (S3, S8). */
export async function handlePreCheckout(
  settings: Settings,
  input: PreCheckoutInput,
  language: string | null,
  signal: AbortSignal | undefined,
): Promise<HandledUpdate> {
  const decision = await decide(settings, input, signal);
  if (decision.outcome === "not_ours") return passedOn({ outcome: "not_ours" });
  const reason = decision.outcome === "declined" ? decision.reason : null;
  const answered = await answer(settings, input.checkoutId, reason, language);
  if (answered.state === "expired") return expired(settings, input, decision, answered.heardBefore);
  return handled({ ...decision, answer: answered.state });
}

/** A query of ours in which something that a decision needs cannot be read: the payer need not wait ten seconds for a no. */
export async function declineMalformed(settings: Settings, queryId: string, language: string | null): Promise<void> {
  await answer(settings, queryId, "conflict", language);
}

async function decide(
  { bookonce, decideMs, report }: Settings,
  input: PreCheckoutInput,
  signal: AbortSignal | undefined,
): Promise<PreCheckoutOutcome> {
  const unavailable = { outcome: "declined", reason: "unavailable", booking: null, repeated: false } as const;
  const options = signal === undefined ? { budgetMs: decideMs } : { budgetMs: decideMs, signal };
  const over = new AbortController();
  try {
    // The verb keeps its budget by itself; the second clock is for a verb that hangs all the same (B27).
    return await Promise.race([
      bookonce.decidePreCheckout(input, options),
      sleep(decideMs + 250, unavailable, { signal: over.signal }),
    ]);
  } catch (error) {
    report(error, "pre_checkout_query");
    return unavailable;
  } finally {
    over.abort();
  }
}

async function answer(
  { api, texts, language, answerMs, report }: Settings,
  queryId: string,
  reason: DeclineReason | null,
  payerLanguage: string | null,
): Promise<AnswerResult> {
  const errorMessage = reason === null ? null : textFor(texts, payerLanguage, language).reasons[reason];
  const answered = await answerPreCheckout(api, { queryId, errorMessage }, answerMs);
  if ("error" in answered) report(answered.error, "pre_checkout_query");
  return answered;
}

/**
 * Telegram said that nobody waits any more. If no call of ours can have been heard, an approval can lead to no charge: it is void, and
 * the buyer may press Pay again while the hold lives. A stored answer that is repeated here was given before, and may have been heard.
 */
async function expired(
  settings: Settings,
  input: PreCheckoutInput,
  decision: Decision,
  heardBefore: boolean,
): Promise<HandledUpdate> {
  const { outcome, booking } = decision;
  const sure = outcome === "approved" && !heardBefore && !decision.repeated;
  const voided = sure && (await takeBack(settings, input));
  return handled({ outcome: "answer_expired", decision: outcome, booking, voided });
}

async function takeBack({ bookonce, report }: Settings, input: PreCheckoutInput): Promise<boolean> {
  const { provider, account, checkoutId, payload } = input;
  const approval = { provider, account, checkoutId, payload, reason: "answer_expired" };
  try {
    const { outcome } = await bookonce.voidApproval(approval, { budgetMs: 2_000 });
    return outcome === "voided";
  } catch (error) {
    // The hold still lapses by itself; only the next attempt has to wait for that.
    report(error, "pre_checkout_query");
    return false;
  }
}
