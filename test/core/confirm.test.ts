import { expect, test } from "vitest";
import { type Confirm, confirm } from "../../src/core/confirm.ts";
import { applyChanges, liveClaimsOf } from "../../src/core/state.ts";
import { aRival, bookingIn, changesNothing, context, eventTypes, now, price, world } from "../support/worlds.ts";

const confirming = (over: Partial<Confirm> = {}): Confirm => ({
  bookingId: "b1",
  customer: "ivan",
  actor: "ivan",
  ...over,
});
const olga = { customer: null, actor: "admin:olga" };
const free = { price: null };

test.each([
  ["unknown_booking", "there is no such booking", [], {}],
  ["unknown_booking", "a stranger asks, who learns nothing", [bookingIn.held(free)], { customer: "maria" }],
  ["cancelled", "it was cancelled", [bookingIn.cancelled(free)], {}],
  ["cancelled", "it was cancelled, even for an administrator", [bookingIn.cancelled()], olga],
  ["hold_lapsed", "its hold is over at this very instant", [bookingIn.lapsed(free)], {}],
  ["hold_lapsed", "an administrator comes too late", [bookingIn.swept()], olga],
  ["hold_lapsed", "its invoice can be paid no more", [bookingIn.unpayable()], olga],
  [
    "payment_required",
    "it has a price: abandoning the payment page does not make it free (R43)",
    [bookingIn.held()],
    {},
  ],
  ["payment_required", "it is pending, and has a price", [bookingIn.pending()], {}],
  ["not_held", "it claims nothing before it is paid, even for an administrator", [bookingIn.pending()], olga],
] as const)("%s: %s", (reason, _, bookings, over) => {
  const decision = confirm(world({ bookings }), confirming(over), context());
  expect(decision.outcome).toEqual({
    outcome: "refused",
    reason,
    ...(reason !== "unknown_booking" && { booking: bookings[0] }),
    ...(reason === "payment_required" && { due: price }),
  });
  expect(changesNothing(decision)).toBe(true);
});

test("a free hold is confirmed by its owner: its claims have no end any more, and the history says that nothing was paid", () => {
  const booking = bookingIn.held(free);
  const state = world({ bookings: [booking] });
  const decision = confirm(state, confirming(), context());
  const confirmed = { ...booking, state: "confirmed", holdExpiresAt: null, confirmedAt: now, version: 2 };
  expect(decision.outcome).toEqual({ outcome: "confirmed", booking: confirmed });
  expect(liveClaimsOf(applyChanges(state, decision.changes), "b1", now)).toMatchObject([
    { number: 1, liveUntil: null },
  ]);
  expect(decision.changes.events).toEqual([
    {
      bookingId: "b1",
      type: "booking_confirmed",
      at: now,
      actor: "ivan",
      version: 2,
      data: { paymentId: null, chargeId: null },
    },
  ]);
});

test("an administrator may confirm a booking with a price, which is paid at the place", () => {
  const decision = confirm(world({ bookings: [bookingIn.held()] }), confirming(olga), context());
  expect(decision.outcome).toMatchObject({ outcome: "confirmed", booking: { price } });
  // What the audit knows it by: confirmed with no payment, by somebody who may.
  expect(decision.changes.events).toMatchObject([{ actor: "admin:olga", data: { paymentId: null } }]);
});

test("R04: confirmed twice is confirmed once, whoever comes second", () => {
  const booking = bookingIn.confirmed();
  for (const over of [{}, olga]) {
    expect(
      confirm(
        world({ bookings: [booking, aRival({ interval: { start: now, end: now + 1 } })] }),
        confirming(over),
        context(),
      ),
    ).toEqual({
      outcome: { outcome: "already_confirmed", booking },
      changes: {},
    });
  }
});

test("B12: an offer that is confirmed uses up its entry of the waiting list", () => {
  const offer = bookingIn.held({ ...free, waitlistEntryId: "e1" });
  const decision = confirm(world({ bookings: [offer] }), confirming(), context());
  expect(eventTypes(decision)).toEqual(["booking_confirmed", "waitlist_used"]);
});
