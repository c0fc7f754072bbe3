import { describe, expect, test } from "vitest";
import { customerDayFull, liveHolds, resourceDayFull } from "../../src/core/limits.ts";
import type { Booking } from "../../src/core/model.ts";
import { aBooking, aRival, bookingIn, claimsFor, dayOf, hour, minute, now, world } from "../support/worlds.ts";

const day = dayOf(now + 2 * 24 * hour);
const at = (start: number, over: Partial<Booking> = {}) =>
  aBooking({ interval: { start, end: start + hour }, ...over });
const state = (...bookings: readonly Booking[]) => world({ bookings });

describe("B16: so many of one customer's bookings may start on a day", () => {
  const full = (bookings: readonly Booking[], perCustomer: number | null, without: readonly string[] = []) =>
    customerDayFull(
      state(...bookings),
      { customer: "ivan", day, limits: { perCustomer, perResource: null } },
      without,
      now,
    );
  const reached = { reason: "limit_reached", limit: 1, of: "ivan" };

  test.each([
    ["a hold, whatever it is of", at(day.start, { resources: ["room"], service: "another" }), reached],
    ["one that is pending", bookingIn.pending({ interval: at(day.start).interval }), reached],
    [
      "a confirmed one at the first instant of the day",
      bookingIn.confirmed({ interval: at(day.start).interval }),
      reached,
    ],
    ["one at its last millisecond", at(day.end - 1), reached],
    ["not one at the first of the next day", at(day.end), null],
    ["not one that only runs into the day", at(day.start - 1), null],
    ["not a hold that is over", bookingIn.lapsed(), null],
    ["not a cancelled one", bookingIn.cancelled(), null],
    ["not another customer's", at(day.start, { customer: "maria" }), null],
  ])("counted: %s", (_, booking, answer) => {
    expect(full([booking], 1)).toEqual(answer);
  });

  test("as many as the limit; no limit, and those that it stands for, count nothing", () => {
    const two = [at(day.start), at(day.start + hour, { id: "b2" })];
    expect(full(two, 3)).toBeNull();
    expect(full(two, 2)).toMatchObject({ limit: 2 });
    expect(full(two, 2, ["b2"])).toBeNull();
    expect(full(two, null)).toBeNull();
  });
});

describe("B16: so many bookings of a resource may start on a day", () => {
  const full = (world: ReturnType<typeof state>, perResource: number | null, without: readonly string[] = []) =>
    resourceDayFull(world, "anna", { day, limits: { perCustomer: null, perResource } }, without, now);
  const reached = { reason: "limit_reached", limit: 1, of: "anna" };

  test.each([
    ["a hold", at(day.start), reached],
    ["a confirmed one", bookingIn.confirmed({ interval: at(day.end - 1).interval }), reached],
    ["not one of the next day", at(day.end), null],
    ["not one of another resource", at(day.start, { resources: ["room"] }), null],
    ["not a hold that is over", bookingIn.lapsed(), null],
    ["not one that claims nothing yet", bookingIn.pending(), null],
  ])("counted: %s", (_, booking, answer) => {
    expect(full(state(booking), 1)).toEqual(answer);
  });

  test("the start counts, not the time kept free before it", () => {
    const buffers = { beforeMs: 30 * minute, afterMs: 0 };
    const early = { start: day.start - 30 * minute, end: day.start + hour };
    const booking = at(day.start, { buffers });
    const claims = claimsFor(booking).map((claim) => ({ ...claim, interval: early }));
    expect(full(world({ bookings: [booking], claims }), 1)).toEqual(reached);
  });

  test("a session counts once, however many have joined", () => {
    const session = { id: "yoga", capacity: 9 };
    const joined = [at(day.start, { session }), aRival({ session, interval: at(day.start).interval })];
    expect(full(state(...joined), 2)).toBeNull();
    expect(full(state(...joined, at(day.start + hour, { id: "b3" })), 2)).toMatchObject({ limit: 2 });
    expect(full(state(...joined), 1, ["b1"])).toEqual(reached);
    expect(full(state(...joined), 1, ["b1", "rival"])).toBeNull();
    expect(full(state(...joined), null)).toBeNull();
  });
});

test("B7: what freezes a schedule is a live hold of a time that has not ended", () => {
  const ended = { interval: { start: now - hour, end: now } };
  const running = at(now - minute, { id: "running" });
  const all = state(running, at(now, { ...ended, id: "ended" }), bookingIn.confirmed({ id: "confirmed" }));
  expect(liveHolds(all, "ivan", now).map(({ id }) => id)).toEqual(["running"]);
  expect(liveHolds(state(bookingIn.lapsed(), bookingIn.pending()), "ivan", now)).toEqual([]);
  expect(liveHolds(all, "maria", now)).toEqual([]);
});
