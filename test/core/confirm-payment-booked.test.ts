import { describe, expect, test } from "vitest";
import { confirmPayment } from "../../src/core/confirm-payment.ts";
import type { State } from "../../src/core/state.ts";
import { charge, rebooking } from "../support/charges.ts";
import {
  aBooking,
  aCheckout,
  aPayment,
  aRival,
  bookingIn,
  context,
  eventTypes,
  hour,
  now,
  world,
} from "../support/worlds.ts";

const booking = aBooking();

const bookedRows: readonly { readonly when: string; readonly state: State }[] = [
  { when: "the hold lives and nobody asked before", state: world({ bookings: [booking] }) },
  { when: "the hold lives and was approved", state: world({ bookings: [booking], checkouts: [aCheckout(booking)] }) },
  {
    when: "the hold lives and its approval is void: the money came after all",
    state: world({ bookings: [booking], checkouts: [aCheckout(booking, { voidedAt: now })] }),
  },
  {
    when: "the hold lives for one more millisecond",
    state: world({ bookings: [aBooking({ holdExpiresAt: now + 1 })] }),
  },
  { when: "whoever has the invoice may pay", state: world({ bookings: [aBooking({ payer: null })] }) },
  {
    when: "another booking of the customer was paid",
    state: world({ bookings: [booking, aRival({ customer: "ivan" })], payments: [aPayment(aRival())] }),
  },
  {
    when: "an earlier charge for it came back as late",
    state: world({ bookings: [booking], payments: [aPayment(booking, { disposition: "late" })] }),
  },
  ...(["lapsed", "swept", "pending", "unpayable"] as const).map((kind) => ({
    when: `the booking is ${kind}, the slot free, and the policy re-books`,
    state: world({ bookings: [bookingIn[kind]({ policy: rebooking })] }),
  })),
  {
    when: "the policy re-books a millisecond before the start",
    state: world({
      bookings: [bookingIn.lapsed({ policy: rebooking, interval: { start: now + 1, end: now + hour } })],
    }),
  },
];

describe("confirmPayment books when", () => {
  test.each(bookedRows)("$when", ({ state }) => {
    const decision = confirmPayment(state, charge(), context());
    expect(decision.outcome).toMatchObject({ outcome: "booked", repeated: false });
    expect(decision.changes.bookings).toMatchObject([
      { id: "b1", state: "confirmed", confirmedAt: now, holdExpiresAt: null, payableUntil: null, version: 2 },
    ]);
    expect(decision.changes.payments).toMatchObject([
      { bookingId: "b1", disposition: "booked", reason: null, review: null, receivedAt: now, details: { shown: 1 } },
    ]);
    expect(decision.changes.claims?.map((claim) => [claim.resource, claim.liveUntil])).toEqual([["anna", null]]);
    expect(decision.changes.refunds).toBeUndefined();
    expect(eventTypes(decision)).toEqual(["booking_confirmed"]);
  });

  test("re-booking opens a new claim and leaves the lapsed one as it was", () => {
    const state = world({ bookings: [bookingIn.lapsed({ policy: rebooking })] });
    const decision = confirmPayment(state, charge(), context());
    expect(decision.changes.claims).toMatchObject([{ number: 2, liveFrom: now, liveUntil: null }]);
  });
});
