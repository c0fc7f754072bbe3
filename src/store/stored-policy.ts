import { type CancellationTier, defaultPolicies, type FrozenPolicy } from "../core/policies.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The policy that a booking was made with. A row may come from another version, or from a hand in the table: what is missing in it or
 * is none is judged by the library's defaults, which give nothing away, so that no charge and no query stays undecided for it.
 */
export function storedPolicy(stored: unknown): FrozenPolicy {
  const policy = fieldsOf(stored);
  const cancellation = fieldsOf(policy["cancellation"]);
  const rescheduling = fieldsOf(policy["rescheduling"]);
  const otherwise = defaultPolicies;
  return {
    settlementGraceMs: lengthOr(policy["settlementGraceMs"], otherwise.settlementGraceMs),
    settlementGraceMsByProvider: lengthsOr(
      policy["settlementGraceMsByProvider"],
      otherwise.settlementGraceMsByProvider,
    ),
    latePayment: oneOf(policy["latePayment"], "refund", "rebookIfFree"),
    retakeLapsedHold: policy["retakeLapsedHold"] === true,
    cancellation: {
      tiers: tiersOr(cancellation["tiers"], otherwise.cancellation.tiers),
      afterwards: oneOf(cancellation["afterwards"], "noRefund", "forbidden"),
      wholeInsteadOfPart: oneOf(cancellation["wholeInsteadOfPart"], "nothing", "all"),
      refundAttended: cancellation["refundAttended"] === true,
    },
    rescheduling: {
      untilMsBeforeStart: lengthOr(rescheduling["untilMsBeforeStart"], otherwise.rescheduling.untilMsBeforeStart),
      priceDifference: oneOf(rescheduling["priceDifference"], "refuse", "keep"),
    },
    externalRefund: oneOf(policy["externalRefund"], "keepBooking", "cancelBooking"),
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The value if it is one of these, else the first. */
function oneOf<Value extends string>(value: unknown, ...known: readonly [Value, ...Value[]]): Value {
  return known.find((one) => one === value) ?? known[0];
}

function isLength(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function lengthOr(value: unknown, otherwise: number): number {
  return isLength(value) ? value : otherwise;
}

function lengthsOr(value: unknown, otherwise: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  if (!isFields(value)) return otherwise;
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, number] => isLength(entry[1])));
}

function isTier(value: unknown): value is CancellationTier {
  if (!isFields(value)) return false;
  const { untilMsBeforeStart, percent } = value;
  return isLength(untilMsBeforeStart) && isLength(percent) && percent <= 100;
}

/** All of them or none: half a table of tiers would be another policy. */
function tiersOr(value: unknown, otherwise: readonly CancellationTier[]): readonly CancellationTier[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTier) ? value : otherwise;
}
