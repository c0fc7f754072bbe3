import { expect, test } from "vitest";
import { type Transfer, transfer } from "../../src/core/transfer.ts";
import { aPayment, bookingIn, changesNothing, context, now, world } from "../support/worlds.ts";

const giving = (over: Partial<Transfer> = {}): Transfer => ({
  bookingId: "b1",
  customer: "ivan",
  to: "maria",
  actor: "ivan",
  ...over,
});

test.each([
  ["there is no such booking", world(), {}, "unknown_booking"],
  [
    "a stranger asks, who learns nothing",
    world({ bookings: [bookingIn.confirmed()] }),
    { customer: "maria" },
    "unknown_booking",
  ],
  ["it waits for its payment", world({ bookings: [bookingIn.held()] }), {}, "not_confirmed"],
  ["it is pending", world({ bookings: [bookingIn.pending()] }), {}, "not_confirmed"],
  ["it was cancelled", world({ bookings: [bookingIn.cancelled()] }), { customer: null }, "not_confirmed"],
  ["she was there already", world({ bookings: [bookingIn.confirmed({ attendance: "attended" })] }), {}, "attended"],
  ["she did not come", world({ bookings: [bookingIn.confirmed({ attendance: "no_show" })] }), {}, "attended"],
] as const)("R36: nothing changes hands when %s", (_, state, over, reason) => {
  const decision = transfer(state, giving(over), context());
  expect(decision.outcome).toEqual({ outcome: "refused", reason });
  expect(changesNothing(decision)).toBe(true);
});

test("R36: it changes hands with no place taken or freed, and the payment stays where it is; the history has both names", () => {
  const booking = bookingIn.confirmed({ requestId: "r1" });
  const decision = transfer(world({ bookings: [booking], payments: [aPayment(booking)] }), giving(), context());
  const given = { ...booking, customer: "maria", requestId: null, version: 2 };
  expect(decision).toEqual({
    outcome: { outcome: "transferred", booking: given },
    changes: {
      bookings: [given],
      events: [
        {
          bookingId: "b1",
          type: "booking_transferred",
          at: now,
          actor: "ivan",
          version: 2,
          data: { from: "ivan", to: "maria" },
        },
      ],
    },
  });
});

test("R36: an administrator may give any customer's booking; to her who has it, nothing changes", () => {
  const booking = bookingIn.confirmed();
  const state = world({ bookings: [booking] });
  const olga = { customer: null, actor: "admin:olga" };
  expect(transfer(state, giving(olga), context()).outcome).toMatchObject({ outcome: "transferred" });
  expect(transfer(state, giving({ ...olga, to: "ivan" }), context())).toEqual({
    outcome: { outcome: "unchanged", booking },
    changes: {},
  });
});
