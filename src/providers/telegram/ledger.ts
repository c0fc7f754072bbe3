import { z } from "zod";
import { BookonceError } from "../../core/error.ts";
import { isOurToken } from "../../core/token.ts";
import { callTelegram, TelegramApiError } from "./api.ts";
import { telegramCustomer, userIdText } from "./identity.ts";
import type { Settings } from "./settings.ts";

const stars = z.number().int();
const affiliateSchema = z.looseObject({ amount: stars, nanostar_amount: stars.optional() });
const partnerSchema = z.looseObject({
  type: z.string(),
  transaction_type: z.string().optional(),
  user: z.looseObject({ id: z.unknown() }).optional(),
  invoice_payload: z.string().optional(),
  subscription_period: z.number().optional(),
  affiliate: affiliateSchema.optional(),
});
const transactionSchema = z.looseObject({
  id: z.string().min(1),
  amount: stars,
  nanostar_amount: stars.optional(),
  date: z.number(),
  source: partnerSchema.optional(),
  receiver: partnerSchema.optional(),
});

/** A line of the bot's Stars ledger that has to do with an invoice of ours. A refund has the id of its charge and goes out (S12). */
export interface LedgerEntry {
  readonly direction: "in" | "out";
  readonly chargeId: string;
  readonly payload: string;
  /** Null when the entry names no user. */
  readonly payer: string | null;
  /** Whole Stars that moved; with an affiliate, what is left to the bot, rounded down. */
  readonly amount: number;
  /** What the buyer may have paid: with an affiliate Telegram shows the bot's part, so there is a second candidate. */
  readonly paid: readonly number[];
  readonly recurring: boolean;
  /** Unix time in seconds. */
  readonly date: number;
}

/** A page of the ledger as it came: how far it reaches, and what of it is ours. */
export interface LedgerPage {
  /** The offset after it. Telegram may drop lines from a page, so counting those received overlaps at worst and never leaves a gap. */
  readonly next: number;
  readonly received: number;
  readonly entries: readonly LedgerEntry[];
}

const callMs = 15_000;

/**
 * The bot's Stars ledger from an offset on, oldest first, page by page. Ends at an empty page: a short one proves nothing. An entry that
 * was seen is not given again.
 */
export async function* ledgerPages(
  { api }: Pick<Settings, "api">,
  from: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<LedgerPage> {
  const seen = new Set<string>();
  for (let offset = from; ; ) {
    const transactions = await fetchPage(api, offset, signal);
    if (transactions.length === 0) return;
    offset += transactions.length;
    const entries = transactions.flatMap(entryOf).filter((entry) => {
      const key = `${entry.direction} ${entry.chargeId}`;
      return !seen.has(key) && seen.add(key);
    });
    yield { next: offset, received: transactions.length, entries };
  }
}

async function fetchPage(
  api: Settings["api"],
  offset: number,
  signal: AbortSignal | undefined,
): Promise<readonly unknown[]> {
  const deadline = AbortSignal.timeout(callMs);
  const callSignal = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  let answer: unknown;
  try {
    answer = await callTelegram(api, "getStarTransactions", { offset, limit: 100 }, callSignal);
  } catch (error) {
    const retryable = !(error instanceof TelegramApiError) || error.errorCode >= 500 || error.errorCode === 429;
    throw new BookonceError("provider", "Telegram did not give its ledger; run it again.", { retryable, cause: error });
  }
  const parsed = z.looseObject({ transactions: z.array(z.unknown()) }).safeParse(answer);
  if (!parsed.success)
    throw new BookonceError("provider", "Telegram's ledger has no transactions field.", { cause: answer });
  return parsed.data.transactions;
}

/** Gifts, withdrawals, ads, other invoices and kinds that are not invented yet: none of ours, and no error. */
function entryOf(transaction: unknown): LedgerEntry[] {
  const parsed = transactionSchema.safeParse(transaction);
  if (!parsed.success) return [];
  const { id, amount, nanostar_amount = 0, date, source, receiver } = parsed.data;
  const partner = source ?? receiver;
  if (partner?.type !== "user" || partner.transaction_type !== "invoice_payment") return [];
  const { invoice_payload: payload = "", user, affiliate, subscription_period } = partner;
  if (!isOurToken(payload)) return [];
  const userId = userIdText(user?.id);
  return [
    {
      direction: source === undefined ? "out" : "in",
      chargeId: id,
      payload,
      payer: userId === null ? null : telegramCustomer(userId),
      amount,
      paid: affiliate === undefined ? [amount] : withAffiliate({ amount, nanostar_amount }, affiliate),
      recurring: subscription_period !== undefined,
      date,
    },
  ];
}

/** The sum of both parts when it is whole; and the amount as shown, should Telegram come to show the whole. */
function withAffiliate(
  bot: { readonly amount: number; readonly nanostar_amount: number },
  affiliate: z.output<typeof affiliateSchema>,
): number[] {
  const nano = bot.nanostar_amount + (affiliate.nanostar_amount ?? 0);
  const whole = bot.amount + affiliate.amount + Math.round(nano / 1e9);
  return [...new Set([whole, bot.amount])];
}
