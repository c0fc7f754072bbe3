import { describe, expect, test } from "vitest";
import { admit, type Wanted } from "../../src/core/admit.ts";
import { assign, place, placesLeft } from "../../src/core/assign.ts";
import { noLimits } from "../../src/core/limits.ts";
import type { Claim, Resource } from "../../src/core/model.ts";
import type { State } from "../../src/core/state.ts";
import {
  aBooking,
  aResource,
  bookingIn,
  context,
  day,
  dayOf,
  hour,
  noBuffers,
  now,
  wantsOf,
  world,
} from "../support/worlds.ts";

const start = now + 2 * day;
const interval = { start, end: start + hour };

function having(resources: readonly Resource[], claims: readonly Claim[] = []): State {
  const state = world({ claims });
  return { ...state, resources: new Map(resources.map((row) => [row.id, row])) };
}

let claims = 0;
function claim(resource: string, over: Partial<Claim> = {}): Claim {
  claims += 1;
  const own = { bookingId: `other${claims}`, holder: `other${claims}` };
  const size = { exclusive: true, quantity: 1, sessionCapacity: null, buffers: noBuffers };
  return { ...own, number: 1, resource, ...size, interval, liveFrom: now - hour, liveUntil: null, ...over };
}

function wanted(resources: readonly string[], over: Partial<Wanted> = {}): Wanted {
  const time = { interval, buffers: noBuffers, day: dayOf(start) };
  return {
    customer: "ivan",
    wants: wantsOf(resources),
    ...time,
    session: null,
    limits: noLimits,
    rules: null,
    ...over,
  };
}

const alone = { without: [], preferred: [] };
const closed = { ...context(), admitTime: () => ({ reason: "closed", because: "day_off" }) as const };
const pool = (over: Partial<Resource> = {}) =>
  aResource("any", { kind: "pool", members: ["anna", "boris", "gone"], ...over });
const anna = aResource("anna");
const boris = aResource("boris");

describe("B3: a pool's choice", () => {
  test("free first, then rank; ties to the one named first; one who does not exist is passed over", () => {
    expect(assign(having([pool(), anna, boris]), wanted(["any"]), alone, context())).toMatchObject({
      resources: ["anna"],
    });
    const busy = having([pool(), anna, boris], [claim("anna")]);
    expect(assign(busy, wanted(["any"]), alone, context())).toMatchObject({
      resources: ["boris"],
      chosen: [{ id: "boris", lastChosenAt: now }],
    });
    const full = having([pool(), anna, boris], [claim("anna"), claim("boris")]);
    expect(assign(full, wanted(["any"]), alone, context())).toEqual({
      refused: { reason: "pool_full", resource: "any" },
    });
  });

  test("least recent: never chosen is before long ago, and long ago before just now", () => {
    const least = pool({ fairness: "least_recent" });
    const chosenAt = (one: number | null, two: number | null) =>
      having([least, { ...anna, lastChosenAt: one }, { ...boris, lastChosenAt: two }]);
    expect(assign(chosenAt(1, null), wanted(["any"]), alone, context())).toMatchObject({ resources: ["boris"] });
    expect(assign(chosenAt(1, 2), wanted(["any"]), alone, context())).toMatchObject({ resources: ["anna"] });
    expect(assign(chosenAt(2, 2), wanted(["any"]), alone, context())).toMatchObject({ resources: ["anna"] });
  });

  test("least loaded: what has lapsed and what is on another day does not count", () => {
    const elsewhere = { interval: { start: start + day, end: start + day + hour } };
    const lapsed = { interval: { start: start + 3 * hour, end: start + 4 * hour }, liveUntil: now };
    const state = having([pool(), anna, boris], [claim("anna", elsewhere), claim("anna", lapsed)]);
    expect(assign(state, wanted(["any"]), alone, context())).toMatchObject({ resources: ["anna"] });
    const loaded = having([pool(), anna, boris], [claim("anna", { ...lapsed, liveUntil: null })]);
    expect(assign(loaded, wanted(["any"]), alone, context())).toMatchObject({ resources: ["boris"] });
    expect(assign(loaded, wanted(["any"]), { ...alone, preferred: ["anna"] }, context())).toMatchObject({
      resources: ["anna"],
    });
  });

  test("a session's member is kept before a preferred one", () => {
    const session = { id: "session/yoga", capacity: 3 };
    const joined = claim("boris", { holder: session.id, sessionCapacity: 3 });
    const state = having([pool(), anna, boris], [joined]);
    const asked = wanted(["any"], { session });
    expect(assign(state, asked, { ...alone, preferred: ["anna"] }, context())).toMatchObject({ resources: ["boris"] });
    expect(placesLeft(state, asked, alone, context())).toBe(2);
  });
});

describe("B16: admit tries the reasons in one order", () => {
  const off = aResource("off", { active: false });
  const state = having([anna, off]);
  test.each([
    [
      "unknown before past",
      wanted(["nobody"], { interval: { start: now, end: now + hour } }),
      context(),
      "unknown_resource",
    ],
    ["switched off is unknown", wanted(["off"]), context(), "unknown_resource"],
    [
      "past before closed",
      wanted(["anna"], { rules: {}, interval: { start: now, end: now + hour } }),
      closed,
      "in_past",
    ],
    ["closed before taken", wanted(["anna"], { rules: {} }), closed, "closed"],
  ] as const)("%s", (_, asked, deciding, reason) => {
    expect(admit(having([anna, off], [claim("anna")]), asked, alone, deciding)).toMatchObject({ refused: { reason } });
  });

  test("nobody in particular has no limit, and what fits is assigned", () => {
    const limits = { perCustomer: 1, perResource: null };
    expect(admit(state, wanted(["anna"], { customer: null, limits }), alone, context())).toMatchObject({
      resources: ["anna"],
    });
    const hers = aBooking({ interval: { start: start + 5 * hour, end: start + 6 * hour } });
    const booked = { ...world({ bookings: [hers] }), resources: state.resources };
    expect(admit(booked, wanted(["anna"], { limits }), alone, context())).toEqual({
      refused: { reason: "limit_reached", limit: 1, of: "ivan" },
    });
    expect(admit(booked, wanted(["anna"], { limits }), { ...alone, without: [hers.id] }, context())).toMatchObject({
      resources: ["anna"],
    });
  });

  test("a resource's own hours: the reason has its name, also where it is no closing", () => {
    const own = having([aResource("anna", { rules: {} })]);
    expect(admit(own, wanted(["anna"]), alone, closed)).toEqual({
      refused: { reason: "closed", resource: "anna", because: "day_off" },
    });
    const soon = { ...context(), admitTime: () => ({ reason: "too_soon", earliest: now }) as const };
    expect(admit(own, wanted(["anna"]), alone, soon)).toMatchObject({
      refused: { reason: "closed", because: "too_soon" },
    });
    expect(admit(own, wanted(["anna"]), alone, context())).toMatchObject({ resources: ["anna"] });
  });

  test("a limit per resource counts starts of the day without their buffers, and live ones only", () => {
    const limits = { perCustomer: null, perResource: 1 };
    const midnight = dayOf(start).start;
    const buffers = { beforeMs: hour, afterMs: 0 };
    const atMidnight = claim("anna", { buffers, interval: { start: midnight - hour, end: midnight + hour } });
    expect(admit(having([anna], [atMidnight]), wanted(["anna"], { limits }), alone, context())).toMatchObject({
      refused: { reason: "limit_reached", of: "anna" },
    });
    const lapsed = { ...atMidnight, liveUntil: now };
    expect(admit(having([anna], [lapsed]), wanted(["anna"], { limits }), alone, context())).toMatchObject({
      resources: ["anna"],
    });
  });
});

test("B16: places left are bookings of this kind: of two places each, of seats, of members, or none", () => {
  const hall = aResource("hall", { kind: "counted", capacity: 7 });
  const pairs = wanted([], { wants: [{ resource: "hall", quantity: 2 }] });
  expect(placesLeft(having([hall]), pairs, alone, context())).toBe(3);
  expect(placesLeft(having([pool(), anna, boris]), wanted(["any"]), alone, context())).toBe(2);
  expect(placesLeft(having([anna]), wanted(["anna"]), alone, context())).toBe(1);
  expect(placesLeft(having([anna], [claim("anna")]), wanted(["anna"]), alone, context())).toBe(0);
  const session = { id: "s", capacity: 5 };
  expect(placesLeft(having([anna, hall]), wanted(["anna", "hall"], { session }), alone, context())).toBe(5);
});

test("S11: a place is found for a booking that pays: her own claims are not in the way, a day that has filled up is no reason", () => {
  const booking = bookingIn.held();
  const state = world({ bookings: [booking] });
  expect(place(state, booking, null, context())).toMatchObject({
    booking: { resources: ["anna"] },
    claims: [{ number: 2, liveUntil: null }],
  });
  const off = { ...booking, wants: wantsOf(["off"]), resources: ["off"] };
  expect(place(state, off, null, context())).toEqual({ refused: { reason: "unknown_resource", resource: "off" } });
  const gone = { ...booking, wants: wantsOf(["gone"]), resources: ["gone"] };
  expect(place(state, gone, null, context())).toEqual({ refused: { reason: "unknown_resource", resource: "gone" } });
});
