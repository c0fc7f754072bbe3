/** What a payment provider can do, as far as decisions depend on it (P4). */
export interface ProviderCapabilities {
  /** `api`: a worker returns the money by a call. `person`: somebody must do it in the provider's cabinet. */
  readonly refund: "api" | "person";
  /** Whether a part of a charge can be returned. Stars: only all of it. */
  readonly partialRefund: boolean;
}

export type Providers = Readonly<Record<string, ProviderCapabilities>>;

export const knownProviders: Providers = {
  telegram_stars: { refund: "api", partialRefund: false },
  // A Telegram provider token has no Bot API refund (S16).
  telegram_payments: { refund: "person", partialRefund: true },
};

/** A provider that nobody declared is treated as one without a refund call: a person looks at it, and nothing is lost. */
export function capabilitiesOf(providers: Providers, provider: string): ProviderCapabilities {
  const own = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  return own ?? { refund: "person", partialRefund: false };
}
