// ISO 4217 keeps codes beginning with X for what is no country's money: metals, funds, tests (XTS), "no currency" (XXX). Four are real.
const realX: ReadonlySet<string> = new Set(["XAF", "XCD", "XOF", "XPF"]);

const known: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/**
 * Whether a provider can charge in it, as far as can be known offline: Telegram's own list is shorter, and changes. A mistyped XTR
 * (XTS, TXR) is not in it; Telegram would answer it with a misleading PAYMENT_PROVIDER_INVALID.
 */
export function isProviderCurrency(code: string): boolean {
  return known.has(code) && (!code.startsWith("X") || realX.has(code));
}
