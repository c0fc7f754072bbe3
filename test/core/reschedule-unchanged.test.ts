import { describe, expect, test } from "vitest";
import { reschedule } from "../../src/core/reschedule.ts";
import { closed, having, moving, startingIn } from "../support/moves.ts";
import { aBooking, bookingIn, context, day, hour, minute, now, wantsOf } from "../support/worlds.ts";

describe("B10: nothing to do", () => {
  test("stale: the booking has changed since the move was made up", () => {
    const decision = reschedule(having(aBooking({ version: 2 })), moving(), context());
    expect(decision).toEqual({ outcome: { outcome: "stale" }, changes: {} });
  });

  test("unchanged: it is there already, even if somebody else could not have it any more", () => {
    const booking = bookingIn.confirmed(startingIn(minute));
    const here = moving({ wanted: { interval: booking.interval, rules: {} } });
    expect(reschedule(having(booking), here, closed)).toEqual({
      outcome: { outcome: "unchanged", booking },
      changes: {},
    });
  });

  test.each([
    ["another end", { interval: { start: now + 2 * day, end: now + 2 * day + 2 * hour } }],
    ["another buffer before", { buffers: { beforeMs: 1, afterMs: 0 } }],
    ["another buffer after", { buffers: { beforeMs: 0, afterMs: 1 } }],
    ["one resource more", { wants: wantsOf(["anna", "room"]) }],
    ["another resource", { wants: wantsOf(["boris"]) }],
    ["another quantity", { wants: [{ resource: "anna", quantity: 2 }] }],
  ])("not unchanged: %s", (_, over) => {
    const booking = aBooking();
    const decision = reschedule(
      having(booking),
      moving({ wanted: { interval: booking.interval, ...over } }),
      context(),
    );
    expect(decision.outcome.outcome).toBe("rescheduled");
  });
});
