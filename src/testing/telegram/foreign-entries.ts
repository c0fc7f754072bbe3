import type { JsonObject } from "./json.ts";
import { randomStarsChargeId } from "./random-ids.ts";
import { NANO, type StarLedger, starAmount } from "./star-ledger.ts";

/**
 * A kind of ledger entry that has nothing to do with the bot's invoices: a gift it sent, a withdrawal to Fragment, a
 * withdrawal that failed and came back, paid media somebody bought, ads, paid broadcasts, or something unknown.
 */
export type ForeignEntryKind =
  | "gift"
  | "withdrawal"
  | "withdrawal_failed"
  | "paid_media"
  | "telegram_ads"
  | "telegram_api"
  | "other_incoming"
  | "other_outgoing";

/** A foreign entry to add to a bot's Stars history. */
export interface ForeignEntry {
  kind: ForeignEntryKind;
  /** Whole Stars. */
  amount: number;
  bot?: number | undefined;
  /** The person in the entry, for `gift` and `paid_media`. */
  user?: number | undefined;
}

const INCOMING: ReadonlySet<ForeignEntryKind> = new Set(["withdrawal_failed", "paid_media", "other_incoming"]);

/** Writes the entry and moves the balance; the balance of a fake may go below zero. */
export function addForeignEntry(
  ledger: StarLedger,
  bot: number,
  entry: { kind: ForeignEntryKind; amount: number },
  user: JsonObject,
  date: number,
): JsonObject {
  const incoming = INCOMING.has(entry.kind);
  const nano = BigInt(entry.amount) * NANO;
  const transaction: JsonObject = {
    id: randomStarsChargeId(),
    ...starAmount(nano),
    date,
    [incoming ? "source" : "receiver"]: partner(entry.kind, user, date),
  };
  ledger.move(bot, incoming ? nano : -nano, transaction);
  return transaction;
}

function partner(kind: ForeignEntryKind, user: JsonObject, date: number): JsonObject {
  switch (kind) {
    case "gift":
      return { type: "user", transaction_type: "gift_purchase", user, gift: { id: "1", star_count: 15 } };
    case "paid_media":
      return { type: "user", transaction_type: "paid_media_payment", user, paid_media_payload: "video" };
    case "withdrawal":
      return {
        type: "fragment",
        withdrawal_state: { type: "succeeded", date, url: "https://fragment.com/fake" },
      };
    case "withdrawal_failed":
      return { type: "fragment" };
    case "telegram_ads":
      return { type: "telegram_ads" };
    case "telegram_api":
      return { type: "telegram_api", request_count: 1000 };
    case "other_incoming":
    case "other_outgoing":
      return { type: "other" };
  }
}
