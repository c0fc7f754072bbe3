import type { ConfirmPayment } from "../../src/core/confirm-payment.ts";
import type { DecidePreCheckout } from "../../src/core/decide-pre-checkout.ts";
import { defaultPolicies, freeze } from "../../src/core/policies.ts";
import { aBooking, aKey, factsOf } from "./worlds.ts";

/** The policy of a booking whose lapsed hold a buyer may take again, at pre-checkout. */
export const retaking = { ...freeze(defaultPolicies), retakeLapsedHold: true };

/** The policy of a booking that a late payment books, if the slot is free. */
export const rebooking = { ...freeze(defaultPolicies), latePayment: "rebookIfFree" } as const;

/** The query before a charge for `aBooking`. */
export function query(over: Partial<DecidePreCheckout> = {}): DecidePreCheckout {
  return { key: aKey("q2"), facts: factsOf(aBooking()), ...over };
}

/** A charge for `aBooking`. */
export function charge(over: Partial<ConfirmPayment> = {}): ConfirmPayment {
  return { key: aKey("charge2"), facts: factsOf(aBooking()), recurring: false, details: { shown: 1 }, ...over };
}
