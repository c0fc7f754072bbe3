import { describe, expect, test } from "vitest";
import { type ConfirmPayment, confirmPayment } from "../../src/core/confirm-payment.ts";
import type { Booking } from "../../src/core/model.ts";
import { defaultPolicies, freeze } from "../../src/core/policies.ts";
import type { State } from "../../src/core/state.ts";
import {
  aBooking,
  aCheckout,
  aKey,
  aPayment,
  aRefund,
  aRival,
  bookingIn,
  changesNothing,
  context,
  eventTypes,
  factsOf,
  hour,
  now,
  world,
} from "../support/worlds.ts";

const booking = aBooking();
const rebooking = { ...freeze(defaultPolicies), latePayment: "rebookIfFree" } as const;

function charge(over: Partial<ConfirmPayment> = {}): ConfirmPayment {
  return { key: aKey("charge2"), facts: factsOf(booking), recurring: false, details: { shown: 1 }, ...over };
}

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

const refundedRows: readonly {
  readonly when: string;
  readonly state: State;
  readonly outcome: "late" | "surplus";
  readonly reason: string;
}[] = [
  {
    when: "the booking has its payment",
    state: world({ bookings: [bookingIn.confirmed()], payments: [aPayment(booking)] }),
    outcome: "surplus",
    reason: "already_paid",
  },
  {
    when: "the booking has its payment, though it was cancelled since",
    state: world({ bookings: [bookingIn.cancelled()], payments: [aPayment(booking)] }),
    outcome: "surplus",
    reason: "already_paid",
  },
  {
    when: "the booking was confirmed in some other way",
    state: world({ bookings: [bookingIn.confirmed()] }),
    outcome: "surplus",
    reason: "already_paid",
  },
  {
    when: "the hold is over at this very instant, even though the slot is free",
    state: world({ bookings: [bookingIn.lapsed()] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the hold was swept",
    state: world({ bookings: [bookingIn.swept()] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the booking never claimed its slot",
    state: world({ bookings: [bookingIn.pending()] }),
    outcome: "late",
    reason: "never_claimed",
  },
  {
    when: "the invoice's time is over",
    state: world({ bookings: [bookingIn.unpayable()] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the booking was cancelled, whatever the policy",
    state: world({ bookings: [bookingIn.cancelled({ policy: rebooking })] }),
    outcome: "late",
    reason: "cancelled",
  },
  {
    when: "the policy re-books, but somebody else has the slot",
    state: world({ bookings: [bookingIn.lapsed({ policy: rebooking }), aRival()] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the policy re-books, but one of two resources is taken",
    state: world({
      bookings: [bookingIn.lapsed({ policy: rebooking, resources: ["anna", "room"] }), aRival({ resources: ["room"] })],
    }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the policy re-books, but it was an offer of the waiting list, which has passed to the next",
    state: world({ bookings: [bookingIn.lapsed({ policy: rebooking, waitlistEntryId: "e1" })] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
  {
    when: "the policy re-books, but the time begins at this very instant",
    state: world({ bookings: [bookingIn.lapsed({ policy: rebooking, interval: { start: now, end: now + hour } })] }),
    outcome: "late",
    reason: "hold_lapsed",
  },
];

describe("confirmPayment records and returns the money when", () => {
  test.each(refundedRows)("$when: $outcome, $reason", ({ state, outcome, reason }) => {
    const decision = confirmPayment(state, charge(), context());
    expect(decision.outcome).toMatchObject({ outcome, repeated: false, refund: { state: "pending", dueAt: now } });
    expect(decision.changes.bookings).toBeUndefined();
    expect(decision.changes.claims).toBeUndefined();
    expect(decision.changes.payments).toMatchObject([{ bookingId: "b1", disposition: outcome, reason, review: null }]);
    const paymentId = decision.changes.payments?.[0]?.id;
    expect(decision.changes.refunds).toMatchObject([{ paymentId, bookingId: "b1", money: { amount: 500 }, reason }]);
    expect(eventTypes(decision)).toEqual([outcome === "late" ? "payment_late" : "payment_surplus", "refund_requested"]);
  });

  test.each(["telegram_payments", "cash", "constructor"])(
    "a charge of %s, which has no refund call, asks a person",
    (provider) => {
      const state = world({ bookings: [bookingIn.lapsed()] });
      const decision = confirmPayment(state, charge({ key: aKey("c", { provider }) }), context());
      expect(decision.changes.refunds).toMatchObject([
        { state: "needs_attention", note: expect.stringContaining(provider) },
      ]);
      expect(eventTypes(decision)).toEqual(["payment_late", "refund_requested", "refund_needs_attention"]);
    },
  );
});

const reviewRows: readonly {
  readonly when: string;
  readonly bookings?: readonly Booking[];
  readonly over?: Partial<ConfirmPayment["facts"]>;
  readonly outcome: string;
  readonly reason: string;
}[] = [
  { when: "the booking is unknown", bookings: [], outcome: "unmatched", reason: "unknown_booking" },
  { when: "the payer differs", over: { payer: "maria" }, outcome: "mismatch", reason: "wrong_payer" },
  {
    when: "payer and amount differ",
    over: { payer: "maria", money: { amount: 1, currency: "XTR" } },
    outcome: "mismatch",
    reason: "wrong_payer",
  },
  {
    when: "the amount is one less",
    over: { money: { amount: 499, currency: "XTR" } },
    outcome: "mismatch",
    reason: "wrong_amount",
  },
  {
    when: "the currency differs",
    over: { money: { amount: 500, currency: "USD" } },
    outcome: "mismatch",
    reason: "wrong_amount",
  },
  { when: "the booking is free", bookings: [aBooking({ price: null })], outcome: "mismatch", reason: "wrong_amount" },
  {
    when: "the amount differs and the booking is paid already",
    bookings: [bookingIn.confirmed()],
    over: { money: { amount: 1, currency: "XTR" } },
    outcome: "mismatch",
    reason: "wrong_amount",
  },
];

describe("confirmPayment leaves it to a person, and the booking alone, when", () => {
  test.each(reviewRows)("$when: $outcome, $reason", ({ bookings = [booking], over = {}, outcome, reason }) => {
    const state = world({ bookings });
    const decision = confirmPayment(state, charge({ facts: factsOf(booking, over) }), context());
    expect(decision.outcome).toMatchObject({ outcome, repeated: false });
    expect(Object.keys(decision.changes).sort()).toEqual(["events", "payments"]);
    const bookingId = bookings[0]?.id ?? null;
    expect(decision.changes.payments).toMatchObject([{ bookingId, disposition: outcome, reason, review: "open" }]);
    expect(eventTypes(decision)).toEqual(["payment_review"]);
  });
});

describe("a recurring charge", () => {
  test.each([
    ["of a booking", world({ bookings: [booking] }), "b1"],
    ["of nothing we know", world(), null],
    [
      "whose id is known as a payment",
      world({ bookings: [booking], payments: [aPayment(booking, { key: aKey("charge2") })] }),
      "b1",
    ],
  ])("%s is reported and left alone", (_, state, bookingId) => {
    const decision = confirmPayment(state, charge({ recurring: true }), context());
    expect(decision.outcome).toEqual({ outcome: "recurring" });
    expect(Object.keys(decision.changes)).toEqual(["events"]);
    expect(decision.changes.events).toMatchObject([{ type: "payment_recurring", bookingId }]);
  });
});

describe("the same charge again", () => {
  const again = (state: State, over: Partial<ConfirmPayment> = {}) =>
    confirmPayment(state, charge({ key: aKey("charge1"), ...over }), context());

  test.each([
    ["booked", world({ bookings: [bookingIn.confirmed()], payments: [aPayment(booking)] }), { outcome: "booked" }],
    [
      "booked, although the booking was cancelled since",
      world({ bookings: [bookingIn.cancelled()], payments: [aPayment(booking)] }),
      { outcome: "booked", booking: { state: "cancelled" } },
    ],
    [
      "late, with its refund",
      world({
        bookings: [bookingIn.swept()],
        payments: [aPayment(booking, { disposition: "late" })],
        refunds: [aRefund()],
      }),
      { outcome: "late", refund: { id: "f1" } },
    ],
    [
      "surplus, though its refund is not at hand",
      world({
        bookings: [bookingIn.confirmed()],
        payments: [aPayment(booking, { disposition: "surplus" })],
        refunds: [aRefund({ paymentId: "another" })],
      }),
      { outcome: "surplus", refund: null },
    ],
    [
      "mismatch",
      world({ bookings: [booking], payments: [aPayment(booking, { disposition: "mismatch", review: "open" })] }),
      { outcome: "mismatch", booking: { id: "b1" } },
    ],
    [
      "unmatched",
      world({ payments: [aPayment(booking, { bookingId: null, disposition: "unmatched", review: "open" })] }),
      { outcome: "unmatched", booking: null },
    ],
  ])("is answered as stored: %s", (_, state, answer) => {
    const decision = again(state);
    expect(decision.outcome).toMatchObject({ ...answer, payment: { id: "p1" }, repeated: true });
    expect(changesNothing(decision)).toBe(true);
  });

  test.each([
    ["payer", { payer: "maria" }],
    ["amount", { money: { amount: 1, currency: "XTR" } }],
    ["currency", { money: { amount: 500, currency: "USD" } }],
    ["payload", { token: "bko1_rival" }],
  ])("with another %s is an incident and never applied", (_, over) => {
    const state = world({ bookings: [booking, aRival()], payments: [aPayment(booking)] });
    const decision = again(state, { facts: factsOf(booking, over) });
    expect(decision.outcome).toMatchObject({ outcome: "conflict", payment: { id: "p1" } });
    expect(Object.keys(decision.changes)).toEqual(["events"]);
    expect(decision.changes.events).toMatchObject([
      { type: "payment_conflict", bookingId: "b1", data: { externalId: "charge1" } },
    ]);
  });

  test("at another bot or another provider is another charge", () => {
    const state = world({ bookings: [bookingIn.confirmed()], payments: [aPayment(booking)] });
    for (const over of [{ account: "other" }, { provider: "telegram_payments" }]) {
      const decision = again(state, { key: aKey("charge1", over) });
      expect(decision.outcome).toMatchObject({ outcome: "surplus", repeated: false });
    }
  });
});
