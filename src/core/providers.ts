/** What a payment provider can do, as far as decisions depend on it (P4). */
export interface ProviderCapabilities {
  /** `api`: a worker returns the money by a call. `person`: somebody must do it in the provider's cabinet. */
  readonly refund: "api" | "person";
}

export type Providers = Readonly<Record<string, ProviderCapabilities>>;

export const knownProviders: Providers = {
  telegram_stars: { refund: "api" },
  // A Telegram provider token has no Bot API refund (S16).
  telegram_payments: { refund: "person" },
};

/** A provider that nobody declared is treated as one without a refund call: a person looks at it, and nothing is lost. */
export function capabilitiesOf(providers: Providers, provider: string): ProviderCapabilities {
  return (Object.hasOwn(providers, provider) ? providers[provider] : undefined) ?? { refund: "person" };
}
