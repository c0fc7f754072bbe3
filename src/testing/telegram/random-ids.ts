import { randomBytes, randomInt } from "node:crypto";

/** A positive 64-bit integer printed as a string, as query ids are: too large for `Number`. */
export function randomQueryId(): string {
  return ((randomBytes(8).readBigUInt64BE() >> 2n) | (1n << 62n)).toString();
}

/** A charge id of Telegram Stars: long, opaque, safe in URLs. */
export function randomStarsChargeId(): string {
  return `stx${randomBytes(48).toString("base64url")}`;
}

/** A charge id of a payment through a provider token. */
export function randomProviderChargeIds(): { telegram: string; provider: string } {
  return { telegram: `${randomInt(1e9, 1e10)}_${randomQueryId()}`, provider: `pi_${randomBytes(12).toString("hex")}` };
}

/** The last part of an invoice link, after `https://t.me/$`. */
export function randomSlug(): string {
  return randomBytes(12).toString("base64url");
}

/** A bot token of the usual form, `<bot id>:<35 characters>`. */
export function randomBotToken(botId: number): string {
  return `${botId}:${randomBytes(27).toString("base64url").slice(0, 35)}`;
}

/** Where a fresh update queue starts counting. */
export function randomUpdateId(): number {
  return randomInt(100_000_000, 900_000_000);
}
