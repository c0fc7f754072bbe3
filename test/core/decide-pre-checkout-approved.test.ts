import { describe, expect, test } from "vitest";
import { decidePreCheckout } from "../../src/core/decide-pre-checkout.ts";
import type { Booking, Checkout } from "../../src/core/model.ts";
import { query, retaking } from "../support/charges.ts";
import {
  aBooking,
  aCheckout,
  aKey,
  aRival,
  bookingIn,
  context,
  eventTypes,
  factsOf,
  minute,
  now,
  world,
} from "../support/worlds.ts";

const booking = aBooking();

const approvedRows: readonly {
  readonly when: string;
  readonly bookings: readonly Booking[];
  readonly checkouts?: readonly Checkout[];
  readonly provider?: string;
  readonly payer?: string;
  readonly until: number;
  readonly taken: boolean;
}[] = [
  {
    when: "the hold lives longer than the grace: its end stays",
    bookings: [booking],
    until: now + 15 * minute,
    taken: false,
  },
  {
    when: "the hold lives for one more millisecond: it is kept for the settlement grace",
    bookings: [aBooking({ holdExpiresAt: now + 1 })],
    until: now + 5 * minute,
    taken: false,
  },
  {
    when: "the provider's payment page takes longer: its own grace",
    bookings: [aBooking({ holdExpiresAt: now + 1 })],
    provider: "telegram_payments",
    until: now + 15 * minute,
    taken: false,
  },
  {
    when: "the provider's name is that of an inherited property: the ordinary grace",
    bookings: [aBooking({ holdExpiresAt: now + 1 })],
    provider: "constructor",
    until: now + 5 * minute,
    taken: false,
  },
  {
    when: "whoever has the invoice may pay",
    bookings: [aBooking({ payer: null })],
    payer: "maria",
    until: now + 15 * minute,
    taken: false,
  },
  {
    when: "an earlier approval is void",
    bookings: [booking],
    checkouts: [aCheckout(booking, { voidedAt: now - 1, voidReason: "too late" })],
    until: now + 15 * minute,
    taken: false,
  },
  {
    when: "an earlier query was declined",
    bookings: [booking],
    checkouts: [aCheckout(booking, { decision: "declined", reason: "in_past" })],
    until: now + 15 * minute,
    taken: false,
  },
  {
    when: "another booking's approval stands",
    bookings: [booking],
    checkouts: [aCheckout(aRival())],
    until: now + 15 * minute,
    taken: false,
  },
  {
    when: "nothing was claimed and the slot is free: it is taken for the grace only",
    bookings: [bookingIn.pending()],
    until: now + 5 * minute,
    taken: true,
  },
  {
    when: "nothing was claimed and the rival's hold is over at this very instant",
    bookings: [bookingIn.pending(), bookingIn.lapsed({ id: "rival", token: "bko1_rival", customer: "maria" })],
    until: now + 5 * minute,
    taken: true,
  },
  {
    when: "a lapsed hold was never approved and the policy lets it be taken again",
    bookings: [bookingIn.lapsed({ policy: retaking })],
    until: now + 5 * minute,
    taken: true,
  },
  {
    when: "a swept hold was never approved and the policy lets it be taken again",
    bookings: [bookingIn.swept({ policy: retaking })],
    checkouts: [
      aCheckout(booking, { decision: "declined", reason: "wrong_payer" }),
      aCheckout(aRival(), { key: aKey("q0") }),
    ],
    until: now + 5 * minute,
    taken: true,
  },
];

describe("decidePreCheckout says yes when", () => {
  test.each(approvedRows)(
    "$when",
    ({ bookings, checkouts = [], provider = "telegram_stars", payer = "ivan", until, taken }) => {
      const state = world({ bookings, checkouts });
      const before = state.bookings.get("b1");
      const key = aKey("q2", { provider });
      const decision = decidePreCheckout(state, query({ key, facts: factsOf(booking, { payer }) }), context());
      expect(decision.outcome).toMatchObject({ outcome: "approved", holdExpiresAt: until, repeated: false });
      expect(decision.changes.bookings).toMatchObject([
        { state: "held", holdExpiresAt: until, payableUntil: null, version: (before?.version ?? 0) + (taken ? 1 : 0) },
      ]);
      const live = decision.changes.claims?.map(({ resource, liveUntil }) => ({ resource, liveUntil }));
      expect(live).toEqual([{ resource: "anna", liveUntil: until }]);
      expect(decision.changes.checkouts).toMatchObject([{ key, bookingId: "b1", decision: "approved", reason: null }]);
      expect(eventTypes(decision)).toEqual(taken ? ["booking_held"] : []);
    },
  );

  test("a slot taken again gets claims with numbers of their own, beside the lapsed ones", () => {
    const state = world({ bookings: [bookingIn.lapsed({ policy: retaking, resources: ["anna", "room"] })] });
    const decision = decidePreCheckout(state, query(), context());
    expect(decision.changes.claims?.map((claim) => [claim.number, claim.liveFrom])).toEqual([
      [3, now],
      [4, now],
    ]);
  });
});
