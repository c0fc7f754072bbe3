import type { AdmissionRefusal } from "../core/admit.ts";

/**
 * Why a time cannot be had: said the same way by the claim, by the move and by `explainSlot` (B16).
 *
 * - `in_past`. `too_soon`: within the minimum notice; `earliest` can be booked. `too_far`: beyond the horizon; starts before `latest` can.
 * - `closed`: outside opening hours, a day off, a break, off the grid (`because`), of the service or of the `resource` named. Also
 *   `unreadable_rules`: what is stored about its times, this process cannot read, such as a zone that is newer than its zone data;
 *   `doctor()` finds it.
 * - `limit_reached`: the day of the customer or resource (`of`) is full.
 * - `slot_taken`: somebody has it. `no_capacity`: too few places, `left` of them. `pool_full`: no member is free.
 * - `unknown_resource`: unknown or switched off.
 */
export type TimeRefused =
  | { readonly reason: "in_past" }
  | { readonly reason: "too_soon"; readonly earliest: Date }
  | { readonly reason: "too_far"; readonly latest: Date }
  | { readonly reason: "closed"; readonly because: string; readonly resource: string | null }
  | { readonly reason: "limit_reached"; readonly limit: number; readonly of: string }
  | { readonly reason: "slot_taken" | "pool_full" | "unknown_resource"; readonly resource: string }
  | { readonly reason: "no_capacity"; readonly resource: string; readonly left: number };

export function viewTimeRefusal(refused: AdmissionRefusal): TimeRefused {
  switch (refused.reason) {
    case "in_past":
      return { reason: "in_past" };
    case "too_soon":
      return { reason: "too_soon", earliest: new Date(refused.earliest) };
    case "too_far":
      return { reason: "too_far", latest: new Date(refused.latest) };
    case "closed":
      return {
        reason: "closed",
        because: refused.because,
        resource: "resource" in refused ? refused.resource : null,
      };
    case "limit_reached":
      return { reason: "limit_reached", limit: refused.limit, of: refused.of };
    case "no_capacity":
      return { reason: "no_capacity", resource: refused.resource, left: refused.left };
    default:
      return { reason: refused.reason, resource: refused.resource };
  }
}
