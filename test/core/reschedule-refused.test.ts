import { describe, expect, test } from "vitest";
import { reschedule } from "../../src/core/reschedule.ts";
import type { State } from "../../src/core/state.ts";
import { closed, having, moving, olga, policy, start, startingIn } from "../support/moves.ts";
import {
  aBooking,
  aRival,
  bookingIn,
  changesNothing,
  context,
  day,
  hour,
  now,
  price,
  wantsOf,
  world,
} from "../support/worlds.ts";

describe("B10: refused, and the booking is as it was", () => {
  const rows: readonly {
    readonly when: string;
    readonly state: State;
    readonly command?: Parameters<typeof moving>[0];
    readonly reason: string;
  }[] = [
    { when: "there is no such booking", state: world(), reason: "unknown_booking" },
    {
      when: "a stranger asks, who learns nothing, not even that it was cancelled",
      state: having(bookingIn.cancelled()),
      command: { customer: "maria" },
      reason: "unknown_booking",
    },
    { when: "it was cancelled", state: having(bookingIn.cancelled()), reason: "cancelled" },
    {
      when: "an administrator moves a cancelled one",
      state: having(bookingIn.cancelled()),
      command: olga,
      reason: "cancelled",
    },
    { when: "its hold is over at this very instant", state: having(bookingIn.lapsed()), reason: "hold_lapsed" },
    { when: "its invoice can be paid no more", state: having(bookingIn.unpayable()), reason: "hold_lapsed" },
    {
      when: "the customer was there",
      state: having(bookingIn.confirmed({ attendance: "attended" })),
      command: olga,
      reason: "attended",
    },
    {
      when: "the customer stayed away",
      state: having(bookingIn.confirmed({ attendance: "no_show" })),
      reason: "attended",
    },
    {
      when: "it begins sooner than the policy allows",
      state: having(bookingIn.confirmed({ ...startingIn(day - 1), ...policy({ untilMsBeforeStart: day }) })),
      reason: "forbidden_by_policy",
    },
    { when: "it has begun", state: having(bookingIn.confirmed(startingIn(-1))), reason: "forbidden_by_policy" },
    {
      when: "the new time has begun",
      state: having(aBooking()),
      command: { wanted: { interval: { start: now, end: now + hour } } },
      reason: "in_past",
    },
    {
      when: "the new resource is switched off",
      state: having(aBooking()),
      command: { wanted: { wants: wantsOf(["off"]) } },
      reason: "unknown_resource",
    },
    {
      when: "somebody else has the new time",
      state: having(aBooking(), aRival({ interval: { start, end: start + hour } })),
      reason: "slot_taken",
    },
    {
      when: "her other booking fills the new day",
      state: having(aBooking(), aBooking({ id: "b2", interval: { start: start + 5 * hour, end: start + 6 * hour } })),
      command: { wanted: { limits: { perCustomer: 1, perResource: null } } },
      reason: "limit_reached",
    },
  ];
  test.each(rows)("$reason: $when", ({ state, command = {}, reason }) => {
    const decision = reschedule(state, moving(command), context());
    expect(decision.outcome).toMatchObject({ outcome: "refused", reason });
    expect(changesNothing(decision)).toBe(true);
  });

  test("closed: opening hours and notice hold for a move as for a new booking, whoever asks", () => {
    for (const who of [{}, olga]) {
      const decision = reschedule(having(aBooking()), moving({ ...who, wanted: { rules: {} } }), closed);
      expect(decision.outcome).toMatchObject({ outcome: "refused", reason: "too_soon" });
    }
  });

  test.each([
    ["another amount", price, { ...price, amount: 700 }],
    ["another currency", price, { ...price, currency: "UZS" }],
    ["a price where it was free", null, price],
    ["nothing where it had a price", price, null],
  ])("price_differs: the new time costs %s", (_, agreed, asked) => {
    const decision = reschedule(having(aBooking({ price: agreed })), moving({ price: asked }), context());
    expect(decision.outcome).toEqual({ outcome: "refused", reason: "price_differs", agreed, asked });
    expect(changesNothing(decision)).toBe(true);
  });
});
