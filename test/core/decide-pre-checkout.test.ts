import { describe, expect, test } from "vitest";
import { type DecidePreCheckout, decidePreCheckout } from "../../src/core/decide-pre-checkout.ts";
import type { Booking, Checkout } from "../../src/core/model.ts";
import { defaultPolicies, freeze } from "../../src/core/policies.ts";
import type { State } from "../../src/core/state.ts";
import {
  aBooking,
  aCheckout,
  aKey,
  aPayment,
  aRival,
  bookingIn,
  changesNothing,
  context,
  eventTypes,
  factsOf,
  hour,
  minute,
  now,
  world,
} from "../support/worlds.ts";

const booking = aBooking();
const retaking = { ...freeze(defaultPolicies), retakeLapsedHold: true };

function query(over: Partial<DecidePreCheckout> = {}): DecidePreCheckout {
  return { key: aKey("q2"), facts: factsOf(booking), ...over };
}

interface Row {
  readonly when: string;
  readonly state: State;
  readonly command?: Partial<DecidePreCheckout>;
  readonly reason: string;
}

// In the order of the table: each row would also fit a later one.
const declinedRows: readonly Row[] = [
  { when: "the booking is unknown", state: world(), reason: "unknown_booking" },
  {
    when: "the payer is another one, before the amount is compared",
    state: world({ bookings: [booking] }),
    command: { facts: factsOf(booking, { payer: "maria", money: { amount: 1, currency: "XTR" } }) },
    reason: "wrong_payer",
  },
  {
    when: "the amount differs, before the state is looked at",
    state: world({ bookings: [bookingIn.cancelled()] }),
    command: { facts: factsOf(booking, { money: { amount: 499, currency: "XTR" } }) },
    reason: "wrong_amount",
  },
  {
    when: "the currency differs",
    state: world({ bookings: [booking] }),
    command: { facts: factsOf(booking, { money: { amount: 500, currency: "USD" } }) },
    reason: "wrong_amount",
  },
  { when: "the booking is free", state: world({ bookings: [aBooking({ price: null })] }), reason: "wrong_amount" },
  {
    when: "the booking is cancelled, though its start has passed too",
    state: world({ bookings: [bookingIn.cancelled({ interval: { start: now - hour, end: now } })] }),
    reason: "cancelled",
  },
  {
    when: "the booking is confirmed, though its start has passed too",
    state: world({ bookings: [bookingIn.confirmed({ interval: { start: now - hour, end: now } })] }),
    reason: "already_paid",
  },
  {
    when: "a payment has bought it, whatever its state says",
    state: world({ bookings: [booking], payments: [aPayment(booking)] }),
    reason: "already_paid",
  },
  {
    when: "the hold is over at this very instant, though nobody swept it",
    state: world({ bookings: [bookingIn.lapsed()] }),
    reason: "hold_lapsed",
  },
  {
    when: "the hold is over, though its start has passed too",
    state: world({ bookings: [bookingIn.lapsed({ interval: { start: now, end: now + hour } })] }),
    reason: "hold_lapsed",
  },
  {
    when: "the hold is over and could be taken again, but it was an offer, which has been passed on",
    state: world({ bookings: [bookingIn.lapsed({ policy: retaking, waitlistEntryId: "e1" })] }),
    reason: "hold_lapsed",
  },
  { when: "the hold was swept", state: world({ bookings: [bookingIn.swept()] }), reason: "hold_lapsed" },
  {
    when: "the invoice's time is over at this very instant",
    state: world({ bookings: [bookingIn.unpayable()] }),
    reason: "hold_lapsed",
  },
  {
    when: "the invoice's time is over, which no policy revives, for it never held anything",
    state: world({ bookings: [bookingIn.unpayable({ policy: retaking })] }),
    reason: "hold_lapsed",
  },
  {
    when: "the hold lapsed after an approval, which no policy revives",
    state: world({ bookings: [bookingIn.lapsed({ policy: retaking })], checkouts: [aCheckout(booking)] }),
    reason: "hold_lapsed",
  },
  {
    when: "the hold lapsed after an approval that is void by now, which no policy revives either",
    state: world({
      bookings: [bookingIn.lapsed({ policy: retaking })],
      checkouts: [aCheckout(booking, { voidedAt: now })],
    }),
    reason: "hold_lapsed",
  },
  {
    when: "the time begins at this very instant, before the standing approval is looked at",
    state: world({
      bookings: [aBooking({ interval: { start: now, end: now + hour } })],
      checkouts: [aCheckout(booking)],
    }),
    reason: "in_past",
  },
  {
    when: "the time of an unclaimed booking has begun, before the rival is looked at",
    state: world({ bookings: [bookingIn.pending({ interval: { start: now, end: now + hour } }), aRival()] }),
    reason: "in_past",
  },
  {
    when: "another approval of it stands",
    state: world({ bookings: [booking], checkouts: [aCheckout(booking)] }),
    reason: "payment_in_progress",
  },
  {
    when: "nothing was claimed and somebody else has the slot",
    state: world({ bookings: [bookingIn.pending(), aRival()] }),
    reason: "slot_taken",
  },
  {
    when: "a lapsed hold might be taken again by policy, but somebody else has the slot",
    state: world({ bookings: [bookingIn.lapsed({ policy: retaking }), aRival()] }),
    reason: "slot_taken",
  },
];

describe("decidePreCheckout says no, and stores it, when", () => {
  test.each(declinedRows)("$when: $reason", ({ state, command = {}, reason }) => {
    const asked = query(command);
    const decision = decidePreCheckout(state, asked, context());
    expect(decision.outcome).toMatchObject({ outcome: "declined", reason, repeated: false });
    const stored = state.bookings.get("b1");
    expect(decision.changes).toEqual({
      checkouts: [
        {
          key: asked.key,
          facts: asked.facts,
          bookingId: stored?.id ?? null,
          decision: "declined",
          reason,
          decidedAt: now,
          voidedAt: null,
          voidReason: null,
        },
      ],
    });
  });
});

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
