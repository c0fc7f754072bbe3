import { expect, test } from "vitest";
import { reserveSlot } from "../../src/core/reserve-slot.ts";
import { applyChanges, liveClaimsOf } from "../../src/core/state.ts";
import { wanted } from "../support/requests.ts";
import {
  aBooking,
  aCheckout,
  aRival,
  bookingIn,
  context,
  day,
  dayOf,
  eventTypes,
  hour,
  now,
  wantsOf,
  world,
} from "../support/worlds.ts";

const start = now + 3 * day;
const instead = wanted({
  wants: wantsOf(["boris"]),
  interval: { start, end: start + hour },
  day: dayOf(start),
  replaces: "b1",
});

test("R27 a hold that is replaced while its payment is approved loses the approval: its charge will be late", () => {
  const held = aBooking();
  const state = world({ bookings: [held], checkouts: [aCheckout(held)] });
  const { outcome, changes } = reserveSlot(state, instead, context());
  expect(outcome).toMatchObject({ outcome: "reserved", replaced: { id: "b1" } });
  expect(changes.checkouts).toMatchObject([{ bookingId: "b1", voidedAt: now, voidReason: "replaced" }]);
});

test.each([
  ["a hold", bookingIn.held()],
  ["a booking that claims nothing yet", bookingIn.pending()],
])("R27 %s is released in the step that takes the other time", (_, replaced) => {
  const state = world({ bookings: [replaced] });
  const { outcome, changes } = reserveSlot(state, instead, context());
  const released = { id: "b1", state: "cancelled", cancelReason: "replaced", version: 2, holdExpiresAt: null };
  expect(outcome).toMatchObject({ outcome: "reserved", replaced: { ...released, payableUntil: null } });
  expect(changes.bookings).toMatchObject([released, { state: "held", resources: ["boris"] }]);
  expect(changes.checkouts).toEqual([]);
  expect(eventTypes({ changes })).toEqual(["booking_cancelled", "booking_reserved"]);
  const after = applyChanges(state, changes);
  expect(liveClaimsOf(after, "b1", now)).toEqual([]);
  expect(liveClaimsOf(after, "new1", now)).toHaveLength(1);
});

test("R27 the time of the hold that is replaced is not in the way, nor does it count against her limits", () => {
  const held = aBooking({ interval: { start: start + hour / 2, end: start + 2 * hour } });
  const command = { ...instead, wants: wantsOf(["anna"]), limits: { perCustomer: 1, perResource: 1 } };
  const { outcome } = reserveSlot(world({ bookings: [held] }), command, context(now, { maxLiveHoldsPerCustomer: 1 }));
  expect(outcome).toMatchObject({ outcome: "reserved" });
});

test("R27 a hold that lapsed meanwhile is nothing to release, and nothing to refuse", () => {
  const { outcome, changes } = reserveSlot(world({ bookings: [bookingIn.lapsed()] }), instead, context());
  expect(outcome).toMatchObject({ outcome: "reserved", replaced: null });
  expect(changes.bookings).toHaveLength(1);
});

test.each([
  ["unknown", world()],
  ["somebody else's", world({ bookings: [aBooking({ customer: "maria" })] })],
  ["confirmed", world({ bookings: [bookingIn.confirmed()] })],
  ["cancelled", world({ bookings: [bookingIn.cancelled()] })],
])("R27 what is %s is not replaced, and nothing is taken", (_, state) => {
  const decision = reserveSlot(state, instead, context());
  expect(decision).toEqual({ outcome: { outcome: "refused", reason: "unknown_booking" }, changes: {} });
});

test("R27 refused, the first hold is kept", () => {
  const rival = aRival({ resources: ["boris"], interval: instead.interval });
  const decision = reserveSlot(world({ bookings: [aBooking(), rival] }), instead, context());
  expect(decision).toEqual({ outcome: { outcome: "refused", reason: "slot_taken", resource: "boris" }, changes: {} });
});
