import { describe, expect, test } from "vitest";
import { type DecidePreCheckout, decidePreCheckout } from "../../src/core/decide-pre-checkout.ts";
import type { State } from "../../src/core/state.ts";
import { query, retaking } from "../support/charges.ts";
import {
  aBooking,
  aCheckout,
  aPayment,
  aRival,
  bookingIn,
  context,
  factsOf,
  hour,
  now,
  world,
} from "../support/worlds.ts";

const booking = aBooking();

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
