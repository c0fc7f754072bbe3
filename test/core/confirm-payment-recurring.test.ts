import { describe, expect, test } from "vitest";
import { confirmPayment } from "../../src/core/confirm-payment.ts";
import { charge } from "../support/charges.ts";
import { aBooking, aKey, aPayment, context, world } from "../support/worlds.ts";

const booking = aBooking();

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
