import { expect, test } from "vitest";
import { recordExternalRefund } from "../../src/core/external-refund.ts";
import { defaultPolicies, freeze } from "../../src/core/policies.ts";
import {
  aCheckout,
  aPayment,
  aRefund,
  bookingIn,
  changesNothing,
  context,
  eventTypes,
  now,
  world,
} from "../support/worlds.ts";

const command = { paymentId: "p1", by: "ledger", note: null };
const cancelling = { policy: { ...freeze(defaultPolicies), externalRefund: "cancelBooking" } } as const;

test("O2: an unknown payment, and one that was returned in full, are known: nothing changes", () => {
  const booking = bookingIn.confirmed();
  const payments = [aPayment(booking)];
  const done = aRefund({ state: "completed", completedAt: 1 });
  for (const state of [world(), world({ bookings: [booking], payments, refunds: [done] })]) {
    const decision = recordExternalRefund(state, command, context());
    expect(decision.outcome).toEqual({ outcome: "known" });
    expect(changesNothing(decision)).toBe(true);
  }
});

test("O2: after a part was returned the rest of it is what went back outside", () => {
  const booking = bookingIn.confirmed();
  const part = aRefund({ state: "completed", money: { amount: 200, currency: "XTR" } });
  const state = world({ bookings: [booking], payments: [aPayment(booking)], refunds: [part] });
  expect(recordExternalRefund(state, command, context()).outcome).toMatchObject({
    outcome: "recorded",
    refund: { money: { amount: 300 }, reason: "external" },
  });
});

test("O2: an open refund is completed, keeping its own note; the booking is cancelled only where it was bought and still stands", () => {
  const booking = bookingIn.confirmed(cancelling);
  const state = world({ bookings: [booking], payments: [aPayment(booking)], refunds: [aRefund({ note: "mine" })] });
  const decision = recordExternalRefund(state, command, context());
  expect(decision.outcome).toMatchObject({
    refund: { id: "f1", note: "mine", state: "completed" },
    booking: { state: "cancelled" },
  });
  expect(eventTypes(decision)).toEqual(["refund_completed", "booking_cancelled"]);
  const late = aPayment(booking, { disposition: "late" });
  for (const other of [
    world({ bookings: [booking], payments: [late] }),
    world({ bookings: [bookingIn.cancelled(cancelling)], payments: [aPayment(booking)] }),
    world({ bookings: [bookingIn.confirmed()], payments: [aPayment(booking)] }),
  ]) {
    expect(eventTypes(recordExternalRefund(other, command, context()))).toEqual(["refund_completed"]);
  }
  expect(recordExternalRefund(world({ payments: [aPayment(null)] }), command, context()).outcome).toMatchObject({
    booking: null,
  });
});

test("O2: a payment that waited for a person waits no more when it went back outside", () => {
  const payment = aPayment(null, { disposition: "unmatched", review: "open" });
  const decision = recordExternalRefund(world({ payments: [payment] }), command, context());
  expect(decision.changes.payments).toEqual([
    { ...payment, review: "refunded", reviewedBy: "ledger", reviewedAt: now },
  ]);
});

test("O2: a booking that goes with its money goes as any cancelled one: its claims close, and its approval is void", () => {
  const booking = bookingIn.confirmed(cancelling);
  const state = world({ bookings: [booking], payments: [aPayment(booking)], checkouts: [aCheckout(booking)] });
  const { changes } = recordExternalRefund(state, command, context());
  expect(changes.bookings).toMatchObject([
    { cancelledBy: "ledger", cancelReason: "refunded outside", cancelledAt: now },
  ]);
  expect(changes.claims).toMatchObject([{ liveUntil: now }]);
  expect(changes.checkouts).toMatchObject([{ voidedAt: now, voidReason: "cancelled" }]);
});
