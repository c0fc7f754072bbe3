import { describe, expect, test } from "vitest";
import { type Cancel, cancel, previewCancel } from "../../src/core/cancel.ts";
import { defaultPolicies, freeze } from "../../src/core/policies.ts";
import type { State } from "../../src/core/state.ts";
import {
  type aBooking,
  aCheckout,
  aKey,
  aPayment,
  aRefund,
  bookingIn,
  changesNothing,
  context,
  day,
  eventTypes,
  hour,
  now,
  price,
  world,
} from "../support/worlds.ts";

const strict = {
  ...freeze(defaultPolicies),
  cancellation: {
    ...defaultPolicies.cancellation,
    tiers: [{ untilMsBeforeStart: day, percent: 100 }],
    afterwards: "forbidden",
  },
} as const;
const startingIn = (ms: number) => ({ interval: { start: now + ms, end: now + ms + hour } });

function asked(over: Partial<Cancel> = {}): Cancel {
  return { bookingId: "b1", customer: "ivan", actor: "ivan", reason: "ill", quote: null, ...over };
}
const byAdministrator = { customer: null, actor: "admin:olga" };

const paid = (over: Parameters<typeof aBooking>[0] = {}) => {
  const booking = bookingIn.confirmed(over);
  return world({ bookings: [booking], payments: [aPayment(booking)] });
};

const nothingRows: readonly {
  readonly when: string;
  readonly state: State;
  readonly command?: Partial<Cancel>;
  readonly answer: object;
}[] = [
  { when: "there is no such booking", state: world(), answer: { outcome: "refused", reason: "unknown_booking" } },
  {
    when: "an administrator names no booking",
    state: world(),
    command: byAdministrator,
    answer: { outcome: "refused", reason: "unknown_booking" },
  },
  {
    when: "somebody else asks, who learns nothing, not even that it was cancelled",
    state: world({ bookings: [bookingIn.cancelled()] }),
    command: { customer: "maria", actor: "maria" },
    answer: { outcome: "refused", reason: "unknown_booking" },
  },
  {
    when: "it is cancelled already: the first facts are told",
    state: world({ bookings: [bookingIn.cancelled({ cancelReason: "rain" })] }),
    answer: { outcome: "already_cancelled", booking: { cancelReason: "rain", cancelledBy: "ivan" } },
  },
  {
    when: "its hold is over at this very instant",
    state: world({ bookings: [bookingIn.lapsed()] }),
    answer: { outcome: "already_expired" },
  },
  { when: "it was swept", state: world({ bookings: [bookingIn.swept()] }), answer: { outcome: "already_expired" } },
  {
    when: "its invoice's time is over",
    state: world({ bookings: [bookingIn.unpayable()] }),
    answer: { outcome: "already_expired" },
  },
  {
    when: "the policy forbids it a millisecond after the free time",
    state: paid({ policy: strict, ...startingIn(day - 1) }),
    answer: { outcome: "refused", reason: "forbidden_by_policy", booking: { id: "b1" } },
  },
];

describe("cancel changes nothing when", () => {
  test.each(nothingRows)("$when", ({ state, command = {}, answer }) => {
    const decision = cancel(state, asked(command), context());
    expect(decision.outcome).toMatchObject(answer);
    expect(changesNothing(decision)).toBe(true);
  });

  test("a stranger's refusal has nothing in it but the reason", () => {
    const { outcome } = cancel(world({ bookings: [bookingIn.held()] }), asked({ customer: "maria" }), context());
    expect(outcome).toEqual({ outcome: "refused", reason: "unknown_booking" });
  });
});

describe("cancel releases the slot when", () => {
  test.each([
    ["it is held", bookingIn.held(), 1],
    ["it is held for one more millisecond", bookingIn.held({ holdExpiresAt: now + 1 }), 1],
    [
      "it is held, however late, for the policy is about paid bookings",
      bookingIn.held({ policy: strict, ...startingIn(hour) }),
      1,
    ],
    ["it is pending", bookingIn.pending(), 0],
    ["it is confirmed and free", bookingIn.confirmed({ price: null }), 1],
  ])("%s, and there is nothing to return", (_, booking, claims) => {
    const decision = cancel(world({ bookings: [booking] }), asked(), context());
    expect(decision.outcome).toMatchObject({ outcome: "cancelled", refund: null, terms: { refund: null } });
    expect(decision.changes.bookings).toMatchObject([
      {
        state: "cancelled",
        holdExpiresAt: null,
        payableUntil: null,
        version: 2,
        cancelledAt: now,
        cancelledBy: "ivan",
        cancelReason: "ill",
      },
    ]);
    expect(decision.changes.claims).toHaveLength(claims);
    for (const claim of decision.changes.claims ?? []) expect(claim.liveUntil).toBe(now);
    expect(decision.changes.refunds).toEqual([]);
    expect(eventTypes(decision)).toEqual(["booking_cancelled"]);
  });

  test("a standing approval becomes void, so that its charge will be late", () => {
    const booking = bookingIn.held();
    const checkouts = [
      aCheckout(booking),
      aCheckout(booking, { key: aKey("q0"), decision: "declined", reason: "in_past" }),
    ];
    const decision = cancel(world({ bookings: [booking], checkouts }), asked(), context());
    expect(decision.changes.checkouts).toMatchObject([{ key: aKey("q1"), voidedAt: now, voidReason: "cancelled" }]);
  });

  test("a void approval is left as it is", () => {
    const booking = bookingIn.held();
    const state = world({ bookings: [booking], checkouts: [aCheckout(booking, { voidedAt: now - 1 })] });
    expect(cancel(state, asked(), context()).changes.checkouts).toEqual([]);
  });
});

describe("cancelling a paid booking", () => {
  test.each([
    ["in time", {}, {}, true],
    ["at the last instant of the free time", startingIn(day), {}, true],
    ["a millisecond too late: the money is kept", startingIn(day - 1), {}, false],
    ["too late, by an administrator: the money goes back", startingIn(day - 1), byAdministrator, true],
    ["forbidden to the customer, by an administrator", { policy: strict, ...startingIn(hour) }, byAdministrator, true],
    ["under a strict policy, but in time", { policy: strict, ...startingIn(day) }, {}, true],
  ])("%s", (_, booking, command, refunded) => {
    const decision = cancel(paid(booking), asked(command), context());
    expect(decision.outcome).toMatchObject({
      outcome: "cancelled",
      refund: refunded ? { money: price, state: "pending", reason: "cancelled", paymentId: "p1" } : null,
      terms: { refund: refunded ? price : null },
    });
    expect(decision.changes.bookings).toMatchObject([{ cancelledBy: asked(command).actor }]);
    expect(eventTypes(decision)).toEqual(["booking_cancelled", ...(refunded ? ["refund_requested"] : [])]);
  });

  test("returns what was paid, not what it should have cost: a person may have attached another amount", () => {
    const booking = bookingIn.confirmed();
    const money = { amount: 300, currency: "XTR" };
    const payment = aPayment(booking, { facts: { token: "bko1_other", payer: "ivan", money }, review: "attached" });
    const decision = cancel(world({ bookings: [booking], payments: [payment] }), asked(), context());
    expect(decision.outcome).toMatchObject({ outcome: "cancelled", refund: { money }, terms: { refund: money } });
  });

  test("R50: returns what is left of it, when a part has gone back already", () => {
    const booking = bookingIn.confirmed();
    const part = aRefund({ state: "completed", money: { amount: 200, currency: "XTR" } });
    const other = aRefund({ id: "f2", paymentId: "p2" });
    const state = world({ bookings: [booking], payments: [aPayment(booking)], refunds: [part, other] });
    expect(cancel(state, asked(), context()).outcome).toMatchObject({ refund: { money: { amount: 300 } } });
    const all = { ...part, money: price };
    const returned = world({ bookings: [booking], payments: [aPayment(booking)], refunds: [all] });
    expect(cancel(returned, asked(), context()).outcome).toMatchObject({ outcome: "cancelled", refund: null });
  });

  test("a preview that is confirmed by its quote is done; when the answer has changed meanwhile it is refused with the new one", () => {
    const state = paid(startingIn(day));
    const preview = previewCancel(state, asked(), context());
    const quote = preview.outcome === "preview" ? preview.terms.quote : "";
    expect(cancel(state, asked({ quote }), context()).outcome).toMatchObject({
      outcome: "cancelled",
      refund: { money: price },
    });
    const later = cancel(state, asked({ quote }), context(now + 1));
    expect(later.outcome).toMatchObject({ outcome: "refused", reason: "quote_changed", terms: { refund: null } });
    expect(changesNothing(later)).toBe(true);
  });

  test("returns the money of a booking that had no price when a person attached a payment to it", () => {
    const booking = bookingIn.confirmed({ price: null });
    const decision = cancel(world({ bookings: [booking], payments: [aPayment(booking)] }), asked(), context());
    expect(decision.outcome).toMatchObject({ outcome: "cancelled", refund: { money: price } });
  });
});
