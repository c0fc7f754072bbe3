import type { Providers } from "../core/providers.ts";
import type { Engine } from "../engine/engine.ts";
import { type AuditProblem, type AuditRows, auditStatement, type PaymentPlace } from "../store/audit.ts";
import type { Store } from "../store/store.ts";
import { read } from "./reader.ts";

/**
 * Where every payment is (O2), and what must not be. A booking with a price that an administrator confirmed without a payment is in order:
 * it is paid at the place, and its history names who confirmed it. One that was confirmed by nobody is `confirmed_without_payment`.
 */
export interface AuditReport {
  /** Payments by place: `bought`, `returned`, `returning`, `review`, `kept`; `unaccounted` must be 0. */
  readonly payments: Readonly<Record<PaymentPlace, number>>;
  /** The same by currency, in minor units. */
  readonly amounts: Readonly<Record<string, Readonly<Record<PaymentPlace, number>>>>;
  /** Payments in no place: the number that must be 0. */
  readonly unaccounted: number;
  /** Everything that must not be, 1 000 at most. Empty is good. */
  readonly problems: readonly AuditProblem[];
  readonly ok: boolean;
}

export async function audit(engine: Engine, store: Store, providers: Providers): Promise<AuditReport> {
  // Only those that are known to have none: another process may have a worker for a provider that nobody declared to this one.
  const byPerson = Object.keys(providers).filter((name) => providers[name]?.refund === "person");
  const { payments, problems } = await read<AuditRows>(engine, auditStatement(store.queries, byPerson));
  const counts = nowhere();
  const amounts: Record<string, Record<PaymentPlace, number>> = {};
  for (const { place, currency, count, amount } of payments) {
    counts[place] += count;
    const inCurrency = amounts[currency] ?? nowhere();
    inCurrency[place] += amount;
    amounts[currency] = inCurrency;
  }
  const unaccounted = counts.unaccounted;
  return { payments: counts, amounts, unaccounted, problems, ok: problems.length === 0 };
}

function nowhere(): Record<PaymentPlace, number> {
  return { bought: 0, returned: 0, returning: 0, review: 0, kept: 0, unaccounted: 0 };
}
