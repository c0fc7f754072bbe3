import type { JsonObject } from "./json.ts";

/** One real charge of one person. */
export interface Charge {
  /** `telegram_payment_charge_id`; for Stars also the id of the ledger's entry. */
  readonly chargeId: string;
  readonly providerChargeId: string;
  readonly bot: number;
  readonly userId: number;
  readonly currency: string;
  /** Minor units; whole Stars for XTR. */
  readonly amount: number;
  readonly payload: string;
  /** Unix time in seconds. */
  readonly date: number;
  readonly recurring: boolean;
}

/** One charge given back. */
export interface Refund {
  readonly chargeId: string;
  readonly bot: number;
  readonly userId: number;
  readonly currency: string;
  readonly amount: number;
  /** Unix time in seconds. */
  readonly date: number;
  /** `"external"`: by support or a chargeback, not by the bot's call. */
  readonly by: "bot" | "external";
}

/** One entry of a bot's Stars history, as `getStarTransactions` prints it. */
export interface StarEntry {
  readonly bot: number;
  readonly transaction: JsonObject;
}

/** Everything that happened to the money, for a test to compare with its database. */
export interface LedgerSnapshot {
  readonly charges: readonly Charge[];
  readonly refunds: readonly Refund[];
  readonly transactions: readonly StarEntry[];
  /** Whole Stars of each bot. */
  readonly balances: readonly { readonly bot: number; readonly stars: number }[];
  /** Whole Stars of each person. */
  readonly wallets: readonly { readonly userId: number; readonly stars: number }[];
  /** Sums that do not add up; empty unless the fake itself is wrong. */
  readonly problems: readonly string[];
}

/** Nanostars in a Star. Sums are kept in nanostars, because an affiliate's share need not be whole. */
export const NANO: bigint = 1_000_000_000n;

/** `amount` and, when there is one, `nanostar_amount`, of a non-negative sum. */
export function starAmount(nano: bigint): { amount: number; nanostar_amount?: number } {
  const rest = Number(nano % NANO);
  return { amount: Number(nano / NANO), ...(rest === 0 ? {} : { nanostar_amount: rest }) };
}

interface Movement {
  readonly bot: number;
  /** Signed: what it did to the bot's balance. */
  readonly nano: bigint;
  /** Undefined for a change of the balance that the history does not show. */
  readonly transaction: JsonObject | undefined;
}

/** The books: charges, refunds, and each bot's Stars history and balance. */
export class StarLedger {
  readonly #charges = new Map<string, Charge>();
  readonly #refunds = new Map<string, Refund>();
  readonly #movements: Movement[] = [];
  readonly #balances = new Map<number, bigint>();

  recordCharge(charge: Charge): void {
    this.#charges.set(charge.chargeId, charge);
  }

  recordRefund(refund: Refund): void {
    this.#refunds.set(refund.chargeId, refund);
  }

  charge(chargeId: string): Charge | undefined {
    return this.#charges.get(chargeId);
  }

  refund(chargeId: string): Refund | undefined {
    return this.#refunds.get(chargeId);
  }

  charges(): readonly Charge[] {
    return [...this.#charges.values()];
  }

  refunds(): readonly Refund[] {
    return [...this.#refunds.values()];
  }

  /** Moves Stars into (positive) or out of (negative) a bot's balance. */
  move(bot: number, nano: bigint, transaction: JsonObject | undefined): void {
    this.#movements.push({ bot, nano, transaction });
    this.#balances.set(bot, this.balance(bot) + nano);
  }

  /** In nanostars. */
  balance(bot: number): bigint {
    return this.#balances.get(bot) ?? 0n;
  }

  /** A bot's history, oldest first, as Telegram orders it for bots. */
  history(bot: number): readonly JsonObject[] {
    return this.#movements.flatMap((each) => (each.bot === bot && each.transaction ? [each.transaction] : []));
  }

  /** What came in for this entry, less an affiliate's share: what a refund takes back out. */
  incoming(bot: number, id: string): bigint {
    const found = this.#movements.find((each) => each.bot === bot && each.nano > 0n && each.transaction?.["id"] === id);
    return found?.nano ?? 0n;
  }

  entries(): readonly StarEntry[] {
    return this.#movements.flatMap(({ bot, transaction }) => (transaction ? [{ bot, transaction }] : []));
  }

  movements(): readonly Movement[] {
    return this.#movements;
  }
}
