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
  readonly rescheduling: ReschedulingPolicy;
  /** What becomes of a booking whose money went back without a refund of ours: support, a chargeback. */
  readonly externalRefund: "keepBooking" | "cancelBooking";
}

/** When a customer may cancel, and what is returned (B9). */
export interface CancellationPolicy {
  /** From the longest time before the start to the shortest; the first that is kept applies. */
  readonly tiers: readonly CancellationTier[];
  /** When no tier is kept any more: keep the money, or refuse to cancel. */
  readonly afterwards: "noRefund" | "forbidden";
  /** What a tier of less than 100 percent comes to where the provider cannot return a part: all of it or nothing. */
  readonly wholeInsteadOfPart: "all" | "nothing";
  /** Whether a booking that was attended may still be cancelled, with its refund. */
  readonly refundAttended: boolean;
}

export interface CancellationTier {
  readonly untilMsBeforeStart: number;
  /** How much of what was paid is returned: 0 to 100. */
  readonly percent: number;
}

/** When a customer may move a booking (B10). */
export interface ReschedulingPolicy {
  readonly untilMsBeforeStart: number;
  /** When the new time has another price: refuse, or keep the price that was agreed. */
  readonly priceDifference: "refuse" | "keep";
}

/** Policies of an instance: the frozen part, and what is judged only when a booking is made. */
export interface Policies extends FrozenPolicy {
  readonly holdMs: number;
  readonly maxHoldMs: number;
  /** How long the invoice of a booking that claims nothing may be paid. */
  readonly payableMs: number;
  /** Live holds one customer may have at a time (B7). */
  readonly maxLiveHoldsPerCustomer: number;
  readonly waitingList: WaitingListPolicy;
}

/** How freed places are passed on (B12). */
export interface WaitingListPolicy {
  readonly offerMs: number;
  /** `skip`: an entry that does not fit is passed over. `strict`: it blocks those behind it for the same service. */
  readonly order: "skip" | "strict";
  /** Whether a time that was declined, or let lapse, may be offered to the same entry again. */
  readonly offerAgain: boolean;
  readonly maxEntriesPerCustomer: number;
}

const minute = 60_000;
const hour = 60 * minute;

export const defaultPolicies: Policies = {
  holdMs: 15 * minute,
  maxHoldMs: 24 * hour,
  payableMs: 24 * hour,
  maxLiveHoldsPerCustomer: 5,
  waitingList: { offerMs: 15 * minute, order: "skip", offerAgain: false, maxEntriesPerCustomer: 20 },
  settlementGraceMs: 5 * minute,
  // A provider's own payment page, with 3-D Secure, takes longer than Stars.
  settlementGraceMsByProvider: { telegram_payments: 15 * minute },
  latePayment: "refund",
  retakeLapsedHold: false,
  cancellation: {
    tiers: [{ untilMsBeforeStart: 24 * hour, percent: 100 }],
    afterwards: "noRefund",
    wholeInsteadOfPart: "nothing",
    refundAttended: false,
  },
  rescheduling: { untilMsBeforeStart: 0, priceDifference: "refuse" },
  externalRefund: "keepBooking",
};

export function freeze(policies: Policies): FrozenPolicy {
  const {
    holdMs: _hold,
    maxHoldMs: _max,
    payableMs: _payable,
    maxLiveHoldsPerCustomer: _holds,
    waitingList: _waiting,
    ...frozen
  } = policies;
  return frozen;
}

export function settlementGrace(policy: FrozenPolicy, provider: string): number {
  const own = Object.hasOwn(policy.settlementGraceMsByProvider, provider);
  return (own ? policy.settlementGraceMsByProvider[provider] : undefined) ?? policy.settlementGraceMs;
}
