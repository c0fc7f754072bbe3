import { z } from "zod";
import { defaultPolicies, type Policies } from "../core/policies.ts";
import { type Duration, duration, longDuration, parseInput } from "./input.ts";

/**
 * Policies of an instance. What concerns a booking after it is made is frozen into it then: a later change does not change what its
 * customer agreed to.
 */
export interface PoliciesInput {
  /** How long a hold lasts. Default 15 minutes. */
  readonly hold?: Duration;
  /** The longest hold that may be asked for. Default 24 hours. */
  readonly maxHold?: Duration;
  /** How long the invoice of a booking that claims nothing may be paid. Default 24 hours. */
  readonly payable?: Duration;
  /** Live holds one customer may have at a time. Default 5. */
  readonly maxLiveHoldsPerCustomer?: number;
  /** How long an approved checkout keeps the slot while the charge is on its way. Default 5 minutes. */
  readonly settlementGrace?: Duration;
  /** Exceptions to it by provider. Default: `telegram_payments` 15 minutes. */
  readonly settlementGraceByProvider?: Readonly<Record<string, Duration>>;
  /**
   * What becomes of money that arrives when the hold is over. `"refund"` (default), even if the slot is free; `"rebookIfFree"` takes
   * the slot again, never for a cancelled booking and never after its start.
   */
  readonly latePayment?: "refund" | "rebookIfFree";
  /** Whether a lapsed hold that was never approved may be taken again at checkout. Default false. */
  readonly retakeLapsedHold?: boolean;
  readonly cancellation?: {
    /** A full refund up to this long before the start. Default 24 hours. */
    readonly refundUntil?: Duration;
    /** Afterwards: cancel without a refund (default), or refuse. Administrators pass either. */
    readonly afterwards?: "noRefund" | "forbidden";
  };
}

const schema = z.strictObject({
  hold: longDuration.default(defaultPolicies.holdMs),
  maxHold: longDuration.default(defaultPolicies.maxHoldMs),
  payable: longDuration.default(defaultPolicies.payableMs),
  maxLiveHoldsPerCustomer: z.number().int().min(1).max(1000).default(defaultPolicies.maxLiveHoldsPerCustomer),
  settlementGrace: longDuration.default(defaultPolicies.settlementGraceMs),
  settlementGraceByProvider: z.record(z.string(), longDuration).default({}),
  latePayment: z.enum(["refund", "rebookIfFree"]).default(defaultPolicies.latePayment),
  retakeLapsedHold: z.boolean().default(defaultPolicies.retakeLapsedHold),
  cancellation: z
    .strictObject({
      refundUntil: duration.default(defaultPolicies.cancellation.refundUntilMsBeforeStart),
      afterwards: z.enum(["noRefund", "forbidden"]).default(defaultPolicies.cancellation.afterwards),
    })
    .prefault({}),
});

export function parsePolicies(input: PoliciesInput): Policies {
  const given = parseInput("policies", schema, input);
  return {
    holdMs: given.hold,
    maxHoldMs: given.maxHold,
    payableMs: given.payable,
    maxLiveHoldsPerCustomer: given.maxLiveHoldsPerCustomer,
    settlementGraceMs: given.settlementGrace,
    settlementGraceMsByProvider: {
      ...defaultPolicies.settlementGraceMsByProvider,
      ...given.settlementGraceByProvider,
    },
    latePayment: given.latePayment,
    retakeLapsedHold: given.retakeLapsedHold,
    cancellation: {
      refundUntilMsBeforeStart: given.cancellation.refundUntil,
      afterwards: given.cancellation.afterwards,
    },
  };
}
