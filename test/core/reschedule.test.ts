import { describe, expect, test } from "vitest";
import type { Booking } from "../../src/core/model.ts";
import { defaultPolicies, freeze } from "../../src/core/policies.ts";
import { type Reschedule, reschedule } from "../../src/core/reschedule.ts";
import { applyChanges, liveClaimsOf, type State, standingApproval } from "../../src/core/state.ts";
import {
  aBooking,
  aCheckout,
  aPayment,
  aResource,
  aRival,
  bookingIn,
  changesNothing,
  context,
  day,
  dayOf,
  eventTypes,
  hour,
  minute,
  noBuffers,
  now,
  price,
  wantsOf,
  world,
} from "../support/worlds.ts";

const start = now + 3 * day;
const olga = { customer: null, actor: "admin:olga" };

function moving(
  over: Partial<Omit<Reschedule, "wanted">> & { wanted?: Partial<Reschedule["wanted"]> } = {},
): Reschedule {
  const begin = over.wanted?.interval?.start ?? start;
  return {
    bookingId: "b1",
    version: 1,
    customer: "ivan",
    actor: "ivan",
    anchor: null,
    price: undefined,
    agreed: false,
    ...over,
    wanted: {
      wants: wantsOf(["anna"]),
      interval: { start: begin, end: begin + hour },
      buffers: noBuffers,
      day: dayOf(begin),
      session: null,
      rules: null,
      limits: { perResource: null, perCustomer: null },
      ...over.wanted,
    },
  };
}

const having = (booking: Booking, ...others: readonly Booking[]) => world({ bookings: [booking, ...others] });
const policy = (rescheduling: Partial<(typeof defaultPolicies)["rescheduling"]>) => ({
  policy: { ...freeze(defaultPolicies), rescheduling: { ...defaultPolicies.rescheduling, ...rescheduling } },
});
const startingIn = (ms: number) => ({ interval: { start: now + ms, end: now + ms + hour } });
const closed = { ...context(), admitTime: () => ({ reason: "too_soon", earliest: now + day }) as const };

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

describe("B15: a time on the wall that stays as it was agreed", () => {
  const limits = { perCustomer: null, perResource: 1 };
  const agreed = (over: Partial<Reschedule["wanted"]> = {}) =>
    moving({ ...olga, agreed: true, wanted: { rules: {}, limits, ...over } });

  test("neither notice nor hours nor limits, of the service or of the resource, are asked for again", () => {
    const sameDay = aRival({ interval: { start: start + 5 * hour, end: start + 6 * hour } });
    const state = having(bookingIn.confirmed(), sameDay);
    const anna = aResource("anna", { rules: {} });
    const withHours = { ...state, resources: new Map([...state.resources, ["anna", anna]]) };
    expect(reschedule(withHours, agreed(), closed).outcome.outcome).toBe("rescheduled");
  });

  test("somebody else's time stays hers, and what has begun is not moved to", () => {
    const rival = aRival({ interval: { start, end: start + hour } });
    expect(reschedule(having(bookingIn.confirmed(), rival), agreed(), closed).outcome).toMatchObject({
      reason: "slot_taken",
    });
    const past = agreed({ interval: { start: now, end: now + hour } });
    expect(reschedule(having(bookingIn.confirmed()), past, closed).outcome).toMatchObject({ reason: "in_past" });
  });
});
