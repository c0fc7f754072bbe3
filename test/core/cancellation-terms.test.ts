import { expect, test } from "vitest";
import { cancellationTerms } from "../../src/core/cancellation-terms.ts";
import { defaultPolicies, freeze } from "../../src/core/policies.ts";
import { knownProviders } from "../../src/core/providers.ts";
import { aKey, aPayment, bookingIn, hour, now } from "../support/worlds.ts";

function terms(percent: number, amount: number, provider: string, over: object = {}) {
  const policy = freeze(defaultPolicies);
  const tiers = [{ untilMsBeforeStart: 24 * hour, percent }];
  const booking = bookingIn.confirmed({
    policy: { ...policy, cancellation: { ...policy.cancellation, tiers, ...over } },
  });
  const facts = { token: booking.token, payer: "ivan", money: { amount, currency: "XTR" } };
  const payment = aPayment(booking, { key: aKey("c", { provider }), facts });
  return cancellationTerms(booking, payment, 0, false, knownProviders, now);
}

test.each([
  [29, 100, 29],
  [33.33, 10_000, 3333],
  [50, 1, null],
  [100, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [0, 100, null],
])("B9: %d percent of %d is %s, in whole numbers and rounded down", (percent, amount, refund) => {
  expect(terms(percent, amount, "telegram_payments").refund?.amount ?? null).toBe(refund);
});

test("B9: a provider that nobody declared, and Stars, return all or nothing", () => {
  for (const provider of ["telegram_stars", "unheard of"]) {
    expect(terms(50, 100, provider)).toMatchObject({ percent: 50, rounded: true, refund: null });
    expect(terms(50, 100, provider, { wholeInsteadOfPart: "all" })).toMatchObject({ refund: { amount: 100 } });
    for (const whole of [0, 100]) expect(terms(whole, 100, provider).rounded).toBe(false);
  }
});

test("B9: the quote is another one when the sum, the permission or the booking is", () => {
  const booking = bookingIn.confirmed();
  const quote = (over: object, administrator = false) =>
    cancellationTerms({ ...booking, ...over }, aPayment(booking), 0, administrator, knownProviders, now).quote;
  const soon = { interval: { start: now + hour, end: now + 2 * hour } };
  expect(new Set([quote({}), quote({ version: 2 }), quote(soon)]).size).toBe(3);
  expect(quote({})).toBe(quote({}, true));
});

test("B9: who was there gets nothing back and may not cancel, unless the policy says so; an administrator may", () => {
  const policy = freeze(defaultPolicies);
  const of = (refundAttended: boolean, administrator: boolean) => {
    const booking = bookingIn.confirmed({
      attendance: "attended",
      policy: { ...policy, cancellation: { ...policy.cancellation, refundAttended } },
    });
    const { allowed, percent } = cancellationTerms(booking, aPayment(booking), 0, administrator, knownProviders, now);
    return { allowed, percent };
  };
  expect(of(false, false)).toEqual({ allowed: false, percent: 0 });
  expect(of(true, false)).toEqual({ allowed: true, percent: 100 });
  expect(of(false, true)).toEqual({ allowed: true, percent: 100 });
});

test("B9: the first tier that is kept applies, at its last instant too; after all of them the policy says what then", () => {
  const policy = freeze(defaultPolicies);
  const tiers = [
    { untilMsBeforeStart: 48 * hour, percent: 100 },
    { untilMsBeforeStart: 2 * hour, percent: 50 },
  ];
  const inTime = (ms: number, afterwards: "noRefund" | "forbidden" = "noRefund") => {
    const booking = bookingIn.confirmed({
      interval: { start: now + ms, end: now + ms + hour },
      policy: { ...policy, cancellation: { ...policy.cancellation, tiers, afterwards } },
    });
    const { allowed, percent } = cancellationTerms(booking, undefined, 0, false, knownProviders, now);
    return [allowed, percent];
  };
  expect(inTime(48 * hour)).toEqual([true, 100]);
  expect(inTime(48 * hour - 1)).toEqual([true, 50]);
  expect(inTime(2 * hour)).toEqual([true, 50]);
  expect(inTime(2 * hour - 1)).toEqual([true, 0]);
  expect(inTime(2 * hour - 1, "forbidden")).toEqual([false, 0]);
});
