import { describe, expect, test } from "vitest";
import { decidePreCheckout } from "../../src/core/decide-pre-checkout.ts";
import type { Booking, Checkout } from "../../src/core/model.ts";
import { query } from "../support/charges.ts";
import {
  aBooking,
  aCheckout,
  aRival,
  bookingIn,
  changesNothing,
  context,
  factsOf,
  minute,
  now,
  world,
} from "../support/worlds.ts";

const booking = aBooking();
const stored = aCheckout(booking);
const repeatedRows: readonly {
  readonly when: string;
  readonly bookings: readonly Booking[];
  readonly decided?: Checkout;
  readonly answer: object;
}[] = [
  {
    when: "a yes whose hold lives is repeated, with the end it has",
    bookings: [booking],
    answer: { outcome: "approved", holdExpiresAt: now + 15 * minute },
  },
  {
    when: "a yes whose booking has been confirmed since becomes a no: another charge would buy nothing",
    bookings: [bookingIn.confirmed()],
    answer: { outcome: "declined", reason: "already_paid" },
  },
  {
    when: "a yes whose hold is over at this very instant becomes a no",
    bookings: [bookingIn.lapsed()],
    answer: { outcome: "declined", reason: "hold_lapsed" },
  },
  {
    when: "a yes whose hold was swept becomes a no",
    bookings: [bookingIn.swept()],
    answer: { outcome: "declined", reason: "hold_lapsed" },
  },
  {
    when: "a yes that is void becomes a no, though the hold lives",
    bookings: [booking],
    decided: aCheckout(booking, { voidedAt: now - 1 }),
    answer: { outcome: "declined", reason: "hold_lapsed" },
  },
  {
    when: "a yes whose booking was cancelled becomes a no that says so",
    bookings: [bookingIn.cancelled()],
    decided: aCheckout(booking, { voidedAt: now - 1 }),
    answer: { outcome: "declined", reason: "cancelled" },
  },
  {
    when: "a yes whose booking somebody removed becomes a no",
    bookings: [],
    answer: { outcome: "declined", reason: "unknown_booking", booking: null },
  },
  {
    when: "a no is repeated with its reason, even where a yes would be possible now",
    bookings: [booking],
    decided: aCheckout(booking, { decision: "declined", reason: "payment_in_progress" }),
    answer: { outcome: "declined", reason: "payment_in_progress" },
  },
  {
    when: "a no for an unknown booking is repeated",
    bookings: [],
    decided: aCheckout(booking, { bookingId: null, decision: "declined", reason: "unknown_booking" }),
    answer: { outcome: "declined", reason: "unknown_booking", booking: null },
  },
];

describe("the same query again", () => {
  test.each(repeatedRows)("$when", ({ bookings, decided = stored, answer }) => {
    const state = world({ bookings, checkouts: [decided] });
    const decision = decidePreCheckout(state, query({ key: stored.key }), context());
    expect(decision.outcome).toMatchObject({ ...answer, repeated: true });
    expect(changesNothing(decision)).toBe(true);
  });

  test.each([
    ["another payer", factsOf(booking, { payer: "maria" })],
    ["another amount", factsOf(booking, { money: { amount: 1, currency: "XTR" } })],
    ["another currency", factsOf(booking, { money: { amount: 500, currency: "USD" } })],
    ["another payload", factsOf(aRival(), { payer: "ivan" })],
  ])("with %s is an incident, and no", (_, facts) => {
    const state = world({ bookings: [booking, aRival()], checkouts: [stored] });
    const decision = decidePreCheckout(state, query({ key: stored.key, facts }), context());
    expect(decision.outcome).toMatchObject({ outcome: "declined", reason: "conflict", repeated: true });
    expect(Object.keys(decision.changes)).toEqual(["events"]);
    expect(decision.changes.events).toMatchObject([
      { type: "checkout_conflict", bookingId: "b1", data: { externalId: "q1", facts } },
    ]);
  });

  test("at another bot is another query", () => {
    const state = world({ bookings: [booking], checkouts: [stored] });
    const decision = decidePreCheckout(state, query({ key: { ...stored.key, account: "other" } }), context());
    expect(decision.outcome).toMatchObject({ outcome: "declined", reason: "payment_in_progress", repeated: false });
  });
});
