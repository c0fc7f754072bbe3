import type { Booking, Payment } from "./model.ts";
import type { Money } from "./money.ts";
import { capabilitiesOf, type Providers } from "./providers.ts";
import type { Instant } from "./time.ts";

/** What cancelling at this instant would do: shown in the preview and applied by the act, by the same function (B9). */
export interface CancellationTerms {
  readonly allowed: boolean;
  /** Null: nothing goes back, because nothing was paid or the policy keeps it. */
  readonly refund: Money | null;
  /** What the policy would return, in percent of what was paid. */
  readonly percent: number;
  /** True where the provider cannot return a part, so that `refund` is all or nothing instead of `percent`. */
  readonly rounded: boolean;
  /** Changes when the terms change: a confirmation of other terms is refused. */
  readonly quote: string;
}

export function cancellationTerms(
  booking: Booking,
  payment: Payment | undefined,
  /** What has gone back of it already, by whatever way. */
  returned: number,
  administrator: boolean,
  providers: Providers,
  now: Instant,
): CancellationTerms {
  const { tiers, afterwards, refundAttended, wholeInsteadOfPart } = booking.policy.cancellation;
  const attended = booking.attendance === "attended" && !refundAttended;
  const tier = tiers.find(({ untilMsBeforeStart }) => now <= booking.interval.start - untilMsBeforeStart);
  const percent = administrator ? 100 : attended ? 0 : (tier?.percent ?? 0);
  const allowed = administrator || (!attended && (tier !== undefined || afterwards === "noRefund"));
  const rounded =
    payment !== undefined &&
    percent > 0 &&
    percent < 100 &&
    !capabilitiesOf(providers, payment.key.provider).partialRefund;
  const share = rounded ? (wholeInsteadOfPart === "all" ? 100 : 0) : percent;
  const refund = payment === undefined || !allowed ? null : shareOf(payment.facts.money, share, returned);
  const quote = [booking.version, allowed ? "yes" : "no", refund?.amount ?? 0].join(":");
  return { allowed, refund, percent, rounded, quote };
}

/** Rounded down to the minor unit, and never more than is still here; null when nothing is left of it. */
function shareOf(money: Money, percent: number, returned: number): Money | null {
  // In whole numbers: 29 percent of 100 must not become 28.
  const share = Number((BigInt(money.amount) * BigInt(Math.round(percent * 100))) / 10_000n);
  const amount = Math.min(share, money.amount - returned);
  return amount > 0 ? { amount, currency: money.currency } : null;
}
