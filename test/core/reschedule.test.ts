import { describe, expect, test } from "vitest";
import { reschedule } from "../../src/core/reschedule.ts";
import { applyChanges, liveClaimsOf, standingApproval } from "../../src/core/state.ts";
import { having, moving, olga, policy, start, startingIn } from "../support/moves.ts";
import {
  aBooking,
  aCheckout,
  aPayment,
  aResource,
  bookingIn,
  context,
  day,
  dayOf,
  eventTypes,
  hour,
  minute,
  now,
  price,
  wantsOf,
  world,
} from "../support/worlds.ts";

describe("B10: moved in one step", () => {
  test("a paid booking: same id, payment and policy; new claims without end, old ones closed, one entry of its history", () => {
    const booking = bookingIn.confirmed();
    const state = world({ bookings: [booking], payments: [aPayment(booking)] });
    const anchor = { zone: "Asia/Tashkent", date: "2027-01-18", time: "15:00", zoneData: "2026a" };
    const decision = reschedule(state, moving({ anchor, wanted: { wants: wantsOf(["boris"]) } }), context());
    const moved = {
      ...booking,
      wants: wantsOf(["boris"]),
      resources: ["boris"],
      interval: { start, end: start + hour },
      day: dayOf(start),
      anchor,
      version: 2,
    };
    expect(decision.outcome).toEqual({ outcome: "rescheduled", booking: moved, before: booking });
    const after = applyChanges(state, decision.changes);
    expect(liveClaimsOf(after, "b1", now)).toMatchObject([
      { number: 2, resource: "boris", interval: moved.interval, liveFrom: now, liveUntil: null },
    ]);
    expect(decision.changes.claims).toMatchObject([{ number: 1, resource: "anna", liveUntil: now }, { number: 2 }]);
    expect(decision.changes.payments).toBeUndefined();
    expect(decision.changes.events).toEqual([
      {
        bookingId: "b1",
        type: "booking_rescheduled",
        at: now,
        actor: "ivan",
        version: 2,
        data: {
          from: { start: new Date(booking.interval.start).toISOString(), resources: ["anna"] },
          to: { start: new Date(start).toISOString(), resources: ["boris"] },
        },
      },
    ]);
  });

  test("a hold keeps its end, and the approval that stands for it", () => {
    const booking = aBooking();
    const state = world({ bookings: [booking], checkouts: [aCheckout(booking)] });
    const { outcome, changes } = reschedule(state, moving(), context());
    expect(outcome).toMatchObject({
      outcome: "rescheduled",
      booking: { state: "held", holdExpiresAt: booking.holdExpiresAt },
    });
    const after = applyChanges(state, changes);
    expect(liveClaimsOf(after, "b1", now)).toMatchObject([{ number: 2, liveUntil: booking.holdExpiresAt }]);
    expect(standingApproval(after, "b1")).toBeDefined();
  });

  test("a pending booking claims nothing at its new time either, and no member is chosen for it", () => {
    const pool = aResource("any", { kind: "pool", members: ["boris"] });
    const state = having(bookingIn.pending());
    const withPool = { ...state, resources: new Map([...state.resources, ["any", pool]]) };
    const { outcome, changes } = reschedule(withPool, moving({ wanted: { wants: wantsOf(["any"]) } }), context());
    expect(outcome).toMatchObject({ outcome: "rescheduled", booking: { state: "pending", resources: ["any"] } });
    expect(changes).toMatchObject({ claims: [], resources: [] });
  });

  test("it may overlap its own old time, and the last moment that the policy allows is in time", () => {
    const booking = bookingIn.confirmed({ ...startingIn(day), ...policy({ untilMsBeforeStart: day }) });
    const wanted = { interval: { start: now + day + 30 * minute, end: now + day + 90 * minute } };
    const decision = reschedule(having(booking), moving({ wanted }), context());
    expect(decision.outcome.outcome).toBe("rescheduled");
    expect(eventTypes(decision)).toEqual(["booking_rescheduled"]);
  });

  test("what is not confirmed yet may be moved whenever it is alive, and her own day's limit does not count it twice", () => {
    const booking = aBooking({ ...startingIn(minute), ...policy({ untilMsBeforeStart: day }) });
    const wanted = { interval: { start: now + hour, end: now + 2 * hour }, limits: { perCustomer: 1, perResource: 1 } };
    expect(reschedule(having(booking), moving({ wanted }), context()).outcome.outcome).toBe("rescheduled");
  });

  test("an administrator passes the policy and the customer's limits", () => {
    const booking = bookingIn.confirmed({ ...startingIn(minute), ...policy({ untilMsBeforeStart: day }) });
    const other = aBooking({ id: "b2", interval: { start: start + 5 * hour, end: start + 6 * hour } });
    const command = moving({ ...olga, wanted: { limits: { perCustomer: 1, perResource: null } } });
    const { outcome, changes } = reschedule(having(booking, other), command, context());
    expect(outcome.outcome).toBe("rescheduled");
    expect(changes.events).toMatchObject([{ actor: "admin:olga" }]);
  });

  test.each([
    ["the same price", price, {}],
    ["free as before", null, { price: null }],
  ])("%s is no other price", (_, asked, over) => {
    const { outcome } = reschedule(having(aBooking(over)), moving({ price: asked }), context());
    expect(outcome.outcome).toBe("rescheduled");
  });

  test("policy `keep`: another price changes nothing of what was agreed", () => {
    const booking = aBooking(policy({ priceDifference: "keep" }));
    const { outcome } = reschedule(having(booking), moving({ price: { ...price, amount: 700 } }), context());
    expect(outcome).toMatchObject({ outcome: "rescheduled", booking: { price } });
  });

  test("the pool's member is kept if she is free at the new time, whoever is less loaded", () => {
    const pool = aResource("any", { kind: "pool", members: ["anna", "boris"] });
    const booking = bookingIn.confirmed({ wants: wantsOf(["any"]), resources: ["boris"] });
    const state = having(booking);
    const withPool = { ...state, resources: new Map([...state.resources, ["any", pool]]) };
    const { outcome, changes } = reschedule(withPool, moving({ wanted: { wants: wantsOf(["any"]) } }), context());
    expect(outcome).toMatchObject({ booking: { resources: ["boris"] } });
    expect(changes.resources).toMatchObject([{ id: "boris", lastChosenAt: now }]);
  });
});
