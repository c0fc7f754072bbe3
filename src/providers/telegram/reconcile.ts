import { z } from "zod";
import { BookonceError, isBookonceError } from "../../core/error.ts";
import type { ConfirmPaymentOutcome } from "../../verbs/confirm-payment.ts";
import type { Cursors } from "../../verbs/cursors.ts";
import { check, having, signal } from "./check.ts";
import { ownPayment, starsProvider } from "./identity.ts";
import { type LedgerEntry, ledgerPages } from "./ledger.ts";
import type { ExternalRefund } from "./outcomes.ts";
import { recordRefund } from "./receipt.ts";
import type { Settings } from "./settings.ts";

export interface ReconcileOptions {
  readonly signal?: AbortSignal;
  /** Where the position is kept. Default: `bookonce.cursors`. */
  readonly cursors?: Cursors;
  /** Reads the ledger from its beginning, whatever the stored position. Harmless: what is known stays as it is. Default false. */
  readonly fromStart?: boolean;
}

/** What {@link Telegram.reconcile} found and did. */
export interface ReconcileReport {
  /** Lines read. */
  readonly read: number;
  /** Charges and refunds of ours among them. */
  readonly ours: number;
  /** Charges that Telegram has and we had not: recorded now, each with what it came to. */
  readonly recovered: readonly { readonly chargeId: string; readonly outcome: ConfirmPaymentOutcome["outcome"] }[];
  /** Refunds of ours that were completed by what the ledger shows, by charge id. */
  readonly refundsSeen: readonly string[];
  /** Money that went back without a refund of ours; also given to `onExternalRefund`. */
  readonly externalRefunds: readonly ExternalRefund[];
  /** Charges that we have with another payer, payload or amount than Telegram, by charge id: incidents; nothing was changed (S10). */
  readonly conflicts: readonly string[];
  /** Subscription charges with a payload of ours, by charge id: left alone (S17). */
  readonly recurring: readonly string[];
  /** Charges of ours that name no payer, or that cannot be stored as they are, by charge id: a person must look at them. */
  readonly unreadable: readonly string[];
  /** The position after this run. */
  readonly offset: number;
}

/** Under which name the position in a bot's ledger is kept. */
function cursorName(account: string): string {
  return `${starsProvider}:${account}`;
}

const optionsSchema = z.strictObject({
  signal: signal.optional(),
  cursors: having<Cursors>("a store of cursors", "get", "set").optional(),
  fromStart: z.boolean().default(false),
});

/** See {@link Telegram.reconcile}. The position moves on only when the whole of a page is stored. */
export async function reconcile(settings: Settings, options: ReconcileOptions): Promise<ReconcileReport> {
  const { signal, cursors = settings.bookonce.cursors, fromStart } = check("reconcile", optionsSchema, options);
  const name = cursorName(settings.account);
  let offset = fromStart ? 0 : position(await cursors.get(name));
  let read = 0;
  const findings: Finding[] = [];
  for await (const page of ledgerPages(settings, offset, signal)) {
    for (const entry of page.entries) findings.push(await settle(settings, entry));
    read += page.received;
    offset = page.next;
    await cursors.set(name, offset);
  }
  return { read, ...summary(findings), offset };
}

function position(stored: unknown): number {
  if (stored === null || stored === undefined) return 0;
  if (typeof stored === "number" && Number.isSafeInteger(stored) && stored >= 0) return stored;
  throw new BookonceError(
    "internal",
    "The stored position in the Stars ledger is no whole number; reconcile with fromStart.",
  );
}

type Finding =
  | { readonly kind: "known" }
  | { readonly kind: "recovered"; readonly chargeId: string; readonly outcome: ConfirmPaymentOutcome["outcome"] }
  | { readonly kind: "conflict" | "recurring" | "unreadable" | "refund_seen"; readonly chargeId: string }
  | { readonly kind: "external"; readonly refund: ExternalRefund };

async function settle(settings: Settings, entry: LedgerEntry): Promise<Finding> {
  return entry.direction === "in" ? settleCharge(settings, entry) : settleRefund(settings, entry);
}

async function settleCharge({ bookonce, account }: Settings, entry: LedgerEntry): Promise<Finding> {
  const { chargeId, payer, payload, date } = entry;
  if (entry.recurring) return { kind: "recurring", chargeId };
  if (payer === null) return { kind: "unreadable", chargeId };
  const charge = {
    provider: starsProvider,
    account,
    chargeId,
    payload,
    payer,
    amount: await amountPaid(bookonce, account, entry),
    currency: "XTR",
    details: { recovered_from: "getStarTransactions", date, ledger_amount: entry.amount },
  };
  const confirmed = await bookonce.confirmPayment(charge).catch(unlessUnreadable);
  if (confirmed === null) return { kind: "unreadable", chargeId };
  const { outcome } = confirmed;
  if (outcome === "conflict") return { kind: "conflict", chargeId };
  const known = "repeated" in confirmed && confirmed.repeated;
  return known ? { kind: "known" } : { kind: "recovered", chargeId, outcome };
}

/** A line that could never be stored must not keep those behind it waiting for ever: it is reported, and a person looks at it. */
function unlessUnreadable(error: unknown): null {
  if (isBookonceError(error) && error.code === "invalid_input") return null;
  throw error;
}

/** With an affiliate the ledger leaves a choice: what the receipt said, else the price, else the sum of both parts. */
async function amountPaid(bookonce: Settings["bookonce"], account: string, entry: LedgerEntry): Promise<number> {
  const { chargeId, payload, paid, amount } = entry;
  const [likely = amount, ...others] = paid;
  if (others.length === 0) return likely;
  const receipt = ownPayment(await bookonce.payments.find({ chargeId }), { account, provider: starsProvider });
  const expected = receipt?.amount ?? (await bookonce.bookings.byPayload(payload))?.price?.amount;
  return paid.find((candidate) => candidate === expected) ?? likely;
}

async function settleRefund(settings: Settings, entry: LedgerEntry): Promise<Finding> {
  const { chargeId, payload, amount } = entry;
  const seen = { provider: starsProvider, account: settings.account, chargeId, payload, amount, currency: "XTR" };
  const result = await recordRefund(settings, { ...seen, seenIn: "ledger" }, "telegram: getStarTransactions");
  if (result.outcome === "refund_seen") {
    return result.repeated ? { kind: "known" } : { kind: "refund_seen", chargeId };
  }
  await settings.onExternalRefund(result.refund);
  return { kind: "external", refund: result.refund };
}

function summary(findings: readonly Finding[]): Omit<ReconcileReport, "read" | "offset"> {
  const ids = (kind: "conflict" | "recurring" | "unreadable" | "refund_seen"): string[] =>
    findings.flatMap((finding) => (finding.kind === kind ? [finding.chargeId] : []));
  return {
    ours: findings.length,
    recovered: findings.flatMap((finding) =>
      finding.kind === "recovered" ? [{ chargeId: finding.chargeId, outcome: finding.outcome }] : [],
    ),
    refundsSeen: ids("refund_seen"),
    externalRefunds: findings.flatMap((finding) => (finding.kind === "external" ? [finding.refund] : [])),
    conflicts: ids("conflict"),
    recurring: ids("recurring"),
    unreadable: ids("unreadable"),
  };
}
