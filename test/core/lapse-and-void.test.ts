import { describe, expect, test } from "vitest";
import { BookonceError, isBookonceError } from "../../src/core/error.ts";
import { expire } from "../../src/core/expire.ts";
import { applyChanges, emptyState } from "../../src/core/state.ts";
import { isStanding, stateAt } from "../../src/core/states.ts";
import { isOurToken } from "../../src/core/token.ts";
import { voidApproval } from "../../src/core/void-approval.ts";
import {
  aBooking,
  aCheckout,
  aKey,
  aPayment,
  aRefund,
  bookingIn,
  changesNothing,
  claimsFor,
  context,
  eventTypes,
  hour,
  now,
  world,
} from "../support/worlds.ts";

describe("what a booking is, whether or not a sweeper has run", () => {
  test.each([
    ["held until the next millisecond", bookingIn.held({ holdExpiresAt: now + 1 }), "held", true],
    ["held until this very instant", bookingIn.lapsed(), "expired", false],
    ["held until before", bookingIn.held({ holdExpiresAt: now - 1 }), "expired", false],
    ["payable until the next millisecond", bookingIn.pending({ payableUntil: now + 1 }), "pending", true],
    ["payable until this very instant", bookingIn.unpayable(), "expired", false],
    ["confirmed", bookingIn.confirmed(), "confirmed", true],
    ["cancelled", bookingIn.cancelled(), "cancelled", false],
    ["swept", bookingIn.swept(), "expired", false],
    ["held without an end, which no row can be: over", bookingIn.held({ holdExpiresAt: null }), "expired", false],
    ["payable without an end, which no row can be: over", bookingIn.pending({ payableUntil: null }), "expired", false],
  ] as const)("%s", (_, booking, state, standing) => {
    expect(stateAt(booking, now)).toBe(state);
    expect(isStanding(booking, now)).toBe(standing);
  });
});

describe("sweeping", () => {
  test.each([
    ["held", bookingIn.lapsed()],
    ["pending", bookingIn.unpayable()],
  ])("writes down that what was %s is over", (was, booking) => {
    const decision = expire(world({ bookings: [booking] }), { bookingId: "b1" }, context());
    expect(decision.outcome).toMatchObject({ outcome: "expired", booking: { state: "expired", version: 2 } });
    expect(decision.changes.events).toMatchObject([{ type: "booking_expired", actor: "bookonce", data: { was } }]);
  });

  test.each(["held", "pending", "confirmed", "cancelled", "swept"] as const)(
    "leaves a booking alone that is %s",
    (kind) => {
      const decision = expire(world({ bookings: [bookingIn[kind]()] }), { bookingId: "b1" }, context());
      expect(decision).toEqual({ outcome: { outcome: "kept" }, changes: {} });
    },
  );

  test("a booking that is not there is nothing", () => {
    expect(expire(world(), { bookingId: "b1" }, context()).outcome).toEqual({ outcome: "kept" });
  });
});

describe("voiding an approval that came too late to be used", () => {
  const voiding = { key: aKey("q1"), reason: "query is too old" };

  test("lets another attempt be approved, and does not shorten the hold", () => {
    const state = world({ bookings: [aBooking()], checkouts: [aCheckout(aBooking())] });
    const decision = voidApproval(state, voiding, context());
    expect(decision.outcome).toMatchObject({
      outcome: "voided",
      checkout: { voidedAt: now, voidReason: "query is too old" },
    });
    expect(Object.keys(decision.changes).sort()).toEqual(["checkouts", "events"]);
    expect(eventTypes(decision)).toEqual(["checkout_voided"]);
  });

  test.each([
    ["there is none", []],
    ["it was a no", [aCheckout(aBooking(), { decision: "declined", reason: "in_past" })]],
    ["it is void", [aCheckout(aBooking(), { voidedAt: now - hour })]],
    ["it is another bot's", [aCheckout(aBooking(), { key: aKey("q1", { account: "other" }) })]],
  ])("does nothing when %s", (_, checkouts) => {
    const decision = voidApproval(world({ checkouts }), voiding, context());
    expect(decision.outcome).toEqual({ outcome: "not_standing" });
    expect(changesNothing(decision)).toBe(true);
  });
});

describe("small things", () => {
  test("changes are carried to the next command of a batch, and the state before is untouched", () => {
    const state = world({ bookings: [aBooking()] });
    const next = applyChanges(state, { bookings: [aBooking({ version: 9 })], claims: [] });
    expect(next.bookings.get("b1")?.version).toBe(9);
    expect(state.bookings.get("b1")?.version).toBe(1);
    expect(next.claims).toEqual(state.claims);
    expect(applyChanges(emptyState, {})).toEqual(emptyState);
  });

  test("every kind of row is carried on under its own key", () => {
    const next = applyChanges(emptyState, {
      bookings: [aBooking()],
      claims: claimsFor(aBooking()),
      checkouts: [aCheckout(aBooking())],
      payments: [aPayment(aBooking())],
      refunds: [aRefund()],
    });
    expect(next).toEqual({
      ...world({
        bookings: [aBooking()],
        checkouts: [aCheckout(aBooking())],
        payments: [aPayment(aBooking())],
        refunds: [aRefund()],
      }),
      resources: new Map(),
    });
  });

  test("an error of ours is recognised by its brand, and by nothing else", () => {
    const error = new BookonceError("unavailable", "away", { retryable: true, cause: "net" });
    expect(error).toMatchObject({ code: "unavailable", retryable: true, cause: "net", problems: [] });
    expect(new BookonceError("internal", "a bug")).toMatchObject({ retryable: false });
    expect(isBookonceError(error)).toBe(true);
    // As another copy of the package would make it.
    expect(isBookonceError(Object.assign(new Error("x"), { [Symbol.for("bookonce.error")]: true }))).toBe(true);
    for (const other of [new Error("x"), { code: "unavailable" }, "unavailable", null]) {
      expect(isBookonceError(other)).toBe(false);
    }
  });

  test("our invoice payloads are known by their prefix", () => {
    expect(isOurToken("bko1_abc")).toBe(true);
    expect(isOurToken("order-17")).toBe(false);
  });
});
