import { z } from "zod";
import { type CancellationTier, defaultPolicies, type Policies } from "../core/policies.ts";
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
   * the slot again, never for a cancelled booking, never for an offer of the waiting list, and never after its start.
   */
  readonly latePayment?: "refund" | "rebookIfFree";
  /** Whether a lapsed hold that was never approved may be taken again at checkout. Default false. */
  readonly retakeLapsedHold?: boolean;
  readonly cancellation?: {
    /** Short for one tier of 100 percent. Default 24 hours. */
    readonly refundUntil?: Duration;
    /** How much goes back when a customer cancels: the first tier whose time is kept applies. */
    readonly tiers?: readonly { readonly until: Duration; readonly percent: number }[];
    /** When no tier is kept any more: cancel without a refund (default), or refuse. Administrators pass either. */
    readonly afterwards?: "noRefund" | "forbidden";
    /** Where the provider cannot return a part (Stars), a tier of less than 100 percent comes to `"nothing"` (default) or `"all"`. */
    readonly wholeInsteadOfPart?: "all" | "nothing";
    /** Whether a booking that was attended may still be cancelled by the customer, with its refund. Default false. */
    readonly refundAttended?: boolean;
  };
  readonly waitlist?: {
    /** How long an offer is held for the one who waits. Default 15 minutes; never longer than until the start. */
    readonly offer?: Duration;
    /**
     * Always first come, first served. `"skip"` (default): whoever cannot be served now (party too large, other window) is passed over and
     * keeps the place in line. `"strict"`: everybody behind waits too, for the same service.
     */
    readonly order?: "skip" | "strict";
    /** Whether a time that was declined, or let lapse, may be offered to the same entry again. Default false. */
    readonly offerAgain?: boolean;
    /** Entries in line that one customer may have. Default 20. */
    readonly maxEntriesPerCustomer?: number;
  };
  /** What becomes of a booking whose money went back without a refund of ours (support, a chargeback). Default `"keepBooking"`. */
  readonly externalRefund?: "keepBooking" | "cancelBooking";
  readonly rescheduling?: {
    /** A customer may move a confirmed booking up to this long before the start. Default: until it starts. */
    readonly until?: Duration;
    /** When the new time has another price: refuse (default), or keep the price that was agreed. */
    readonly priceDifference?: "refuse" | "keep";
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
      refundUntil: duration.optional(),
      tiers: z
        .array(z.strictObject({ until: duration, percent: z.number().min(0).max(100) }))
        .min(1)
        .max(20)
        .optional(),
      afterwards: z.enum(["noRefund", "forbidden"]).default(defaultPolicies.cancellation.afterwards),
      wholeInsteadOfPart: z.enum(["all", "nothing"]).default(defaultPolicies.cancellation.wholeInsteadOfPart),
      refundAttended: z.boolean().default(defaultPolicies.cancellation.refundAttended),
    })
    .refine((given) => given.refundUntil === undefined || given.tiers === undefined, "give either refundUntil or tiers")
    .prefault({}),
  waitlist: z
    .strictObject({
      offer: longDuration.default(defaultPolicies.waitingList.offerMs),
      order: z.enum(["skip", "strict"]).default(defaultPolicies.waitingList.order),
      offerAgain: z.boolean().default(defaultPolicies.waitingList.offerAgain),
      maxEntriesPerCustomer: z
        .number()
        .int()
        .min(1)
        .max(1000)
        .default(defaultPolicies.waitingList.maxEntriesPerCustomer),
    })
    .prefault({}),
  externalRefund: z.enum(["keepBooking", "cancelBooking"]).default(defaultPolicies.externalRefund),
  rescheduling: z
    .strictObject({
      until: duration.default(defaultPolicies.rescheduling.untilMsBeforeStart),
      priceDifference: z.enum(["refuse", "keep"]).default(defaultPolicies.rescheduling.priceDifference),
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
      tiers: tiersOf(given.cancellation),
      afterwards: given.cancellation.afterwards,
      wholeInsteadOfPart: given.cancellation.wholeInsteadOfPart,
      refundAttended: given.cancellation.refundAttended,
    },
    waitingList: {
      offerMs: given.waitlist.offer,
      order: given.waitlist.order,
      offerAgain: given.waitlist.offerAgain,
      maxEntriesPerCustomer: given.waitlist.maxEntriesPerCustomer,
    },
    externalRefund: given.externalRefund,
    rescheduling: {
      untilMsBeforeStart: given.rescheduling.until,
      priceDifference: given.rescheduling.priceDifference,
    },
  };
}

function tiersOf({ refundUntil, tiers }: z.output<typeof schema>["cancellation"]): readonly CancellationTier[] {
  if (refundUntil !== undefined) return [{ untilMsBeforeStart: refundUntil, percent: 100 }];
  if (tiers === undefined) return defaultPolicies.cancellation.tiers;
  return tiers
    .map(({ until, percent }) => ({ untilMsBeforeStart: until, percent }))
    .sort((left, right) => right.untilMsBeforeStart - left.untilMsBeforeStart);
}
