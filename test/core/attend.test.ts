import { describe, expect, test } from "vitest";
import { type Attend, attend } from "../../src/core/attend.ts";
import { bookingIn, changesNothing, context, hour, now, world } from "../support/worlds.ts";

const marking = (attendance: Attend["attendance"]): Attend => ({ bookingId: "b1", attendance, actor: "door" });
const begun = { interval: { start: now, end: now + hour } };
const aheadOf = { interval: { start: now + 1, end: now + hour } };

describe("B6: attendance is a mark on a confirmed booking", () => {
  test.each([
    ["there is no such booking", world(), "unknown_booking"],
    ["it is only held", world({ bookings: [bookingIn.held(begun)] }), "not_confirmed"],
    ["it is pending", world({ bookings: [bookingIn.pending(begun)] }), "not_confirmed"],
    ["its hold is over", world({ bookings: [bookingIn.lapsed(begun)] }), "not_confirmed"],
    ["it was cancelled", world({ bookings: [bookingIn.cancelled(begun)] }), "not_confirmed"],
  ])("nobody is marked when %s", (_, state, reason) => {
    for (const attendance of ["attended", "no_show"] as const) {
      const decision = attend(state, marking(attendance), context());
      expect(decision.outcome).toEqual({ outcome: "refused", reason });
      expect(changesNothing(decision)).toBe(true);
    }
  });

  test.each([
    ["attended", "booking_attended"],
    ["no_show", "booking_no_show"],
  ] as const)(
    "%s: the mark, and an entry of the history; the booking's version and claims stay",
    (attendance, type) => {
      const booking = bookingIn.confirmed(begun);
      const marked = { ...booking, attendance };
      expect(attend(world({ bookings: [booking] }), marking(attendance), context())).toEqual({
        outcome: { outcome: "marked", booking: marked },
        changes: {
          bookings: [marked],
          events: [{ bookingId: "b1", type, at: now, actor: "door", version: 1, data: {} }],
        },
      });
    },
  );

  test("who comes early is let in; who is not there before the start is not late yet", () => {
    const state = world({ bookings: [bookingIn.confirmed(aheadOf)] });
    expect(attend(state, marking("attended"), context()).outcome.outcome).toBe("marked");
    expect(attend(state, marking("no_show"), context())).toEqual({
      outcome: { outcome: "refused", reason: "too_early" },
      changes: {},
    });
    expect(attend(state, marking("no_show"), context(now + 1)).outcome.outcome).toBe("marked");
  });

  test("marked twice is marked once, and a mistake can be put right either way", () => {
    const booking = bookingIn.confirmed({ ...begun, attendance: "no_show" });
    const state = world({ bookings: [booking] });
    expect(attend(state, marking("no_show"), context())).toEqual({
      outcome: { outcome: "already_marked", booking },
      changes: {},
    });
    expect(attend(state, marking("attended"), context()).outcome).toMatchObject({
      outcome: "marked",
      booking: { attendance: "attended" },
    });
  });
});
