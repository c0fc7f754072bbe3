import { describe, expect, test } from "vitest";
import type { Wanted } from "../../src/core/admit.ts";
import { noLimits } from "../../src/core/limits.ts";
import { look } from "../../src/core/look.ts";
import type { Booking, Resource } from "../../src/core/model.ts";
import type { State } from "../../src/core/state.ts";
import {
  aBooking,
  aResource,
  aRival,
  bookingIn,
  claimsFor,
  context,
  day,
  dayOf,
  hour,
  minute,
  noBuffers,
  now,
  wantsOf,
  world,
} from "../support/worlds.ts";

const start = now + 2 * day;

/** An hour of anna for ivan, so many hours later, unless told otherwise. */
function wanted(hours = 0, over: Partial<Wanted> = {}): Wanted {
  const begin = start + hours * hour;
  const time = { interval: { start: begin, end: begin + hour }, buffers: noBuffers, day: dayOf(begin) };
  return { customer: "ivan", wants: wantsOf(["anna"]), ...time, session: null, limits: noLimits, rules: null, ...over };
}

function having(bookings: readonly Booking[], resources: readonly Resource[] = []): State {
  const counted = resources.filter(({ kind }) => kind === "counted").map(({ id }) => id);
  const claims = bookings.flatMap(claimsFor).map((one) => ({ ...one, exclusive: !counted.includes(one.resource) }));
  const state = world({ bookings, claims });
  return { ...state, resources: new Map([...state.resources, ...resources.map((row) => [row.id, row] as const)]) };
}

const oneADay = { perCustomer: 1, perResource: null };
const held = aBooking();
const taken = { refused: { reason: "slot_taken", resource: "anna" } };

describe("a booking that the time would take the place of is in nobody's way", () => {
  test("nor does it fill up her day", () => {
    const state = having([held]);
    const other = wanted(3, { limits: oneADay });
    expect(look(state, other, context())).toMatchObject({ refused: { reason: "limit_reached" } });
    expect(look(state, other, context(), held)).toEqual({ left: 1, own: false });
    expect(look(having([bookingIn.confirmed()]), wanted(0.5), context(), held)).toEqual({ left: 1, own: false });
  });

  test("others still are", () => {
    const rival = aRival({ interval: { start: start + hour, end: start + 2 * hour } });
    expect(look(having([held, rival]), wanted(0.5), context(), held)).toEqual(taken);
  });
});

describe("R27: her own hold is shown as hers", () => {
  test.each([
    ["its own time", 0],
    ["a time that begins before it ends", 0.5],
    ["a time that ends after it begins", -0.5],
  ])("%s is hers, with the room that there would be without it", (_, hours) => {
    expect(look(having([held]), wanted(hours), context())).toEqual({ left: 1, own: true });
  });

  test.each([
    ["another customer asks", wanted(0, { customer: "maria" })],
    ["nobody in particular asks", wanted(0, { customer: null })],
  ])("it is taken when %s", (_, asked) => {
    expect(look(having([held]), asked, context())).toEqual(taken);
  });

  test("what touches it is free and not hers, and so is what it held until it lapsed", () => {
    expect(look(having([held]), wanted(1), context())).toEqual({ left: 1, own: false });
    expect(look(having([bookingIn.lapsed()]), wanted(), context())).toEqual({ left: 1, own: false });
  });

  test("what does not exist is not hers, whatever she holds", () => {
    expect(look(having([held]), wanted(0, { wants: wantsOf(["nobody"]) }), context())).toEqual({
      refused: { reason: "unknown_resource", resource: "nobody" },
    });
  });

  test("a confirmed booking of hers is no hold that she could exchange", () => {
    expect(look(having([bookingIn.confirmed()]), wanted(), context())).toEqual(taken);
  });

  test("where somebody else is in the way too, it is not hers", () => {
    const rival = aRival({ interval: { start: start + hour, end: start + 2 * hour } });
    expect(look(having([held, rival]), wanted(0.5), context())).toEqual(taken);
  });

  test("a buffer of hers that reaches into a time makes it hers as well", () => {
    const buffers = { beforeMs: 0, afterMs: 15 * minute };
    const state = world({
      bookings: [{ ...held, buffers }],
      claims: claimsFor(held).map((one) => ({ ...one, buffers, interval: { start, end: start + hour + 15 * minute } })),
    });
    expect(look(state, wanted(1), context())).toEqual({ left: 1, own: true });
  });

  test("a pool's time is hers by the member that she holds", () => {
    const pool = aResource("any", { kind: "pool", members: ["anna"] });
    expect(look(having([held], [pool]), wanted(0, { wants: wantsOf(["any"]) }), context())).toEqual({
      left: 1,
      own: true,
    });
  });

  test("where there is room for another, only the same again is hers: claiming it returns her hold", () => {
    const hall = aResource("hall", { kind: "counted", capacity: 3 });
    const state = having([aBooking({ resources: ["hall"] })], [hall]);
    const places = (quantity: number, hours: number) =>
      look(state, wanted(hours, { wants: [{ resource: "hall", quantity }] }), context());
    expect(places(1, 0)).toEqual({ left: 3, own: true });
    expect(places(1, 0.5)).toEqual({ left: 2, own: false });
    expect(places(2, 0)).toEqual({ left: 1, own: false });
    expect(places(3, 0)).toEqual({ left: 1, own: true });
  });
});

describe("R27, B16: a hold that fills her day makes no other time hers", () => {
  const asked = (hours: number, over: Partial<Wanted> = {}) => wanted(hours, { limits: oneADay, ...over });

  test("its own time is hers, the rest of her day is full, the next day is free", () => {
    expect(look(having([held]), asked(0), context())).toEqual({ left: 1, own: true });
    expect(look(having([held]), asked(3), context())).toEqual({
      refused: { reason: "limit_reached", limit: 1, of: "ivan" },
    });
    expect(look(having([held]), asked(24), context())).toEqual({ left: 1, own: false });
  });

  test("a hold of somebody else's time at the same hour is not here", () => {
    expect(look(having([held]), asked(0, { wants: wantsOf(["boris"]) }), context())).toEqual({
      refused: { reason: "limit_reached", limit: 1, of: "ivan" },
    });
  });

  test("the resource's day, too, is not made free by her hold elsewhere in it", () => {
    const limits = { perCustomer: null, perResource: 1 };
    expect(look(having([held]), wanted(3, { limits }), context())).toEqual({
      refused: { reason: "limit_reached", limit: 1, of: "anna" },
    });
    expect(look(having([held]), wanted(0, { limits }), context())).toEqual({ left: 1, own: true });
  });
});
