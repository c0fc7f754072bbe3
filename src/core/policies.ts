/**
 * The part of the policies that is frozen into a booking when it is made, so that a later change of the settings does not change
 * what the customer agreed to. All lengths in milliseconds.
 */
export interface FrozenPolicy {
  /** How long an approved checkout keeps the slot while the charge is on its way (decisions: settlement grace). */
  readonly settlementGraceMs: number;
  /** Exceptions to it, by provider. */
  readonly settlementGraceMsByProvider: Readonly<Record<string, number>>;
  /** What becomes of money that arrives when the hold is over (S11). */
  readonly latePayment: "refund" | "rebookIfFree";
  /** Whether a lapsed hold that was never approved may be taken again at checkout if the slot is free. */
  readonly retakeLapsedHold: boolean;
  readonly cancellation: CancellationPolicy;
}

/** When a customer may cancel, and what is returned (B9). */
export interface CancellationPolicy {
  /** A full refund up to this long before the start. */
  readonly refundUntilMsBeforeStart: number;
  /** Afterwards: keep the money, or refuse to cancel. */
  readonly afterwards: "noRefund" | "forbidden";
}

/** Policies of an instance: the frozen part, and what is judged only when a booking is made. */
export interface Policies extends FrozenPolicy {
  readonly holdMs: number;
  readonly maxHoldMs: number;
  /** How long the invoice of a booking that claims nothing may be paid. */
  readonly payableMs: number;
  /** Live holds one customer may have at a time (B7). */
  readonly maxLiveHoldsPerCustomer: number;
}

const minute = 60_000;
const hour = 60 * minute;

export const defaultPolicies: Policies = {
  holdMs: 15 * minute,
  maxHoldMs: 24 * hour,
  payableMs: 24 * hour,
  maxLiveHoldsPerCustomer: 5,
  settlementGraceMs: 5 * minute,
  // A provider's own payment page, with 3-D Secure, takes longer than Stars.
  settlementGraceMsByProvider: { telegram_payments: 15 * minute },
  latePayment: "refund",
  retakeLapsedHold: false,
  cancellation: { refundUntilMsBeforeStart: 24 * hour, afterwards: "noRefund" },
};

export function freeze(policies: Policies): FrozenPolicy {
  const { settlementGraceMs, settlementGraceMsByProvider, latePayment, retakeLapsedHold, cancellation } = policies;
  return { settlementGraceMs, settlementGraceMsByProvider, latePayment, retakeLapsedHold, cancellation };
}

export function settlementGrace(policy: FrozenPolicy, provider: string): number {
  const own = Object.hasOwn(policy.settlementGraceMsByProvider, provider);
  return (own ? policy.settlementGraceMsByProvider[provider] : undefined) ?? policy.settlementGraceMs;
}
