import type { Context } from "./context.ts";
import type { Checkout, ProviderKey } from "./model.ts";
import { type Decision, providerKey, type State, unchanged } from "./state.ts";

export type VoidOutcome =
  | { readonly outcome: "voided"; readonly checkout: Checkout }
  | { readonly outcome: "not_standing" };

/**
 * The provider itself said that the approval came too late to be used: it no longer stands in the way of another attempt while the
 * hold lives (S7). The hold is not shortened: should the charge come after all, it still finds its booking.
 */
export function voidApproval(
  state: State,
  command: { readonly key: ProviderKey; readonly reason: string },
  { now }: Context,
): Decision<VoidOutcome> {
  const checkout = state.checkouts.get(providerKey(command.key));
  if (checkout === undefined || checkout.decision !== "approved" || checkout.voidedAt !== null) {
    return unchanged({ outcome: "not_standing" });
  }
  const voided: Checkout = { ...checkout, voidedAt: now, voidReason: command.reason };
  return {
    outcome: { outcome: "voided", checkout: voided },
    changes: {
      checkouts: [voided],
      events: [
        {
          bookingId: checkout.bookingId,
          type: "checkout_voided",
          at: now,
          actor: command.key.provider,
          version: null,
          data: { checkoutId: command.key.externalId, reason: command.reason },
        },
      ],
    },
  };
}
