import type { BotAccount } from "./bot-account.ts";
import type { Person } from "./people.ts";
import { type LedgerSnapshot, NANO, type StarLedger } from "./star-ledger.ts";

/** The books as one value, with their own check. */
export function readLedger(
  ledger: StarLedger,
  bots: readonly BotAccount[],
  people: readonly Person[],
  bot?: number,
): LedgerSnapshot {
  const mine = (each: { bot: number }): boolean => bot === undefined || each.bot === bot;
  return {
    charges: ledger.charges().filter(mine),
    refunds: ledger.refunds().filter(mine),
    transactions: ledger.entries().filter(mine),
    balances: bots
      .map((account) => ({ bot: account.id, stars: Number(ledger.balance(account.id) / NANO) }))
      .filter(mine),
    wallets: people.map((person) => ({ userId: person.id, stars: person.stars })),
    problems: audit(ledger, people),
  };
}

function audit(ledger: StarLedger, people: readonly Person[]): string[] {
  const problems: string[] = [];
  for (const refund of ledger.refunds()) {
    const charge = ledger.charge(refund.chargeId);
    if (!charge) problems.push(`refund of an unknown charge ${refund.chargeId}`);
    else if (charge.amount !== refund.amount) problems.push(`refund of another amount for ${refund.chargeId}`);
  }
  const stars = ledger.charges().filter((charge) => charge.currency === "XTR");
  for (const charge of stars) {
    if (ledger.incoming(charge.bot, charge.chargeId) === 0n && charge.amount > 0) {
      problems.push(`charge ${charge.chargeId} has no incoming entry`);
    }
  }
  for (const person of people) {
    const spent = stars.filter((each) => each.userId === person.id).reduce((sum, each) => sum + each.amount, 0);
    const back = ledger
      .refunds()
      .filter((each) => each.userId === person.id && each.currency === "XTR")
      .reduce((sum, each) => sum + each.amount, 0);
    if (person.granted - spent + back !== person.stars) problems.push(`wallet of ${person.id} does not add up`);
  }
  return problems;
}
