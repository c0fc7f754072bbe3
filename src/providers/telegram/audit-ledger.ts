import { z } from "zod";
import { signal as aSignal, check } from "./check.ts";
import { ownPayment, starsProvider } from "./identity.ts";
import { type LedgerEntry, ledgerPages } from "./ledger.ts";
import type { Settings } from "./settings.ts";

export interface LedgerAuditOptions {
  readonly signal?: AbortSignal;
}

/** Charges with payloads of ours, and what they sum to. */
export interface LedgerTotals {
  readonly charges: number;
  /** Whole Stars, as the buyers paid them. */
  readonly stars: number;
  readonly refunds: number;
  readonly refundedStars: number;
}

/** Telegram's ledger beside our payments (O2). */
export interface LedgerAudit {
  readonly telegram: LedgerTotals;
  /** The same charges and refunds, where we have them. */
  readonly recorded: LedgerTotals;
  /** Charges that Telegram has and we have not: run `reconcile({ fromStart: true })`. */
  readonly missing: readonly string[];
  /** Charges that we have with another payer, payload or amount than Telegram. Must be empty. */
  readonly differing: readonly string[];
  /** Charges that Telegram returned and for which we have no completed refund. */
  readonly refundsMissing: readonly string[];
  /** Charges for which we have a completed refund that Telegram's ledger does not show. */
  readonly refundsUnproven: readonly string[];
  /**
   * Stars in our payments beyond those found in this ledger: forged receipts, or other bots on the same database (sum up their audits
   * to tell). Negative when charges are missing.
   */
  readonly starsOnlyHere: number;
  /** Nothing is missing, differs or is unproven. */
  readonly ok: boolean;
}

const optionsSchema = z.strictObject({ signal: aSignal.optional() });

/** See {@link Telegram.auditLedger}. */
export async function auditLedger(settings: Settings, options: LedgerAuditOptions): Promise<LedgerAudit> {
  const { signal } = check("auditLedger", optionsSchema, options);
  const charges = new Map<string, LedgerEntry>();
  const returned = new Set<string>();
  for await (const { entries } of ledgerPages(settings, 0, signal)) {
    for (const entry of entries) {
      if (entry.recurring) continue;
      if (entry.direction === "in") charges.set(entry.chargeId, entry);
      else if (charges.has(entry.chargeId)) returned.add(entry.chargeId);
    }
  }
  const audit = emptyAudit();
  for (const entry of charges.values()) await compare(settings, audit, entry, returned.has(entry.chargeId));
  const { amounts } = await settings.bookonce.audit();
  const here = Object.values(amounts["XTR"] ?? {}).reduce((sum, amount) => sum + amount, 0);
  const lists = [audit.missing, audit.differing, audit.refundsMissing, audit.refundsUnproven];
  return {
    ...audit,
    starsOnlyHere: here - audit.recorded.stars,
    ok: lists.every((list) => list.length === 0),
  };
}

interface Tally {
  telegram: { charges: number; stars: number; refunds: number; refundedStars: number };
  recorded: { charges: number; stars: number; refunds: number; refundedStars: number };
  missing: string[];
  differing: string[];
  refundsMissing: string[];
  refundsUnproven: string[];
}

function emptyAudit(): Tally {
  const nothing = { charges: 0, stars: 0, refunds: 0, refundedStars: 0 };
  return {
    telegram: { ...nothing },
    recorded: { ...nothing },
    missing: [],
    differing: [],
    refundsMissing: [],
    refundsUnproven: [],
  };
}

async function compare(
  { bookonce, account }: Settings,
  audit: Tally,
  entry: LedgerEntry,
  returned: boolean,
): Promise<void> {
  const { chargeId } = entry;
  const payment = ownPayment(await bookonce.payments.find({ chargeId }), { account, provider: starsProvider });
  // With an affiliate, what we recorded from the receipt is the one amount that is certain.
  const paid = entry.paid.find((candidate) => candidate === payment?.amount) ?? entry.paid[0] ?? entry.amount;
  count(audit.telegram, paid, returned);
  if (payment === undefined) {
    audit.missing.push(chargeId);
    return;
  }
  const [refund] = await bookonce.refunds.ofPayment(payment.id);
  const refunded = refund?.state === "completed";
  count(audit.recorded, payment.amount, refunded);
  const same = payment.amount === paid && payment.payer === entry.payer && payment.payload === entry.payload;
  if (!same) audit.differing.push(chargeId);
  if (returned && !refunded) audit.refundsMissing.push(chargeId);
  if (refunded && !returned) audit.refundsUnproven.push(chargeId);
}

function count(totals: Tally["telegram"], stars: number, refunded: boolean): void {
  totals.charges += 1;
  totals.stars += stars;
  totals.refunds += refunded ? 1 : 0;
  totals.refundedStars += refunded ? stars : 0;
}
