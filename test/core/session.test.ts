import { describe, expect, test } from "vitest";
import type { Wanted } from "../../src/core/admit.ts";
import { assign, placesLeft } from "../../src/core/assign.ts";
import { noLimits } from "../../src/core/limits.ts";
import type { Booking, Want } from "../../src/core/model.ts";
import { sessionPlacesLeft } from "../../src/core/occupancy.ts";
import type { State } from "../../src/core/state.ts";
import { aBooking, aResource, bookingIn, claimsFor, context, dayOf, noBuffers, now, world } from "../support/worlds.ts";

const session = { id: "session/yoga", capacity: 5 };
const alone = { without: [], preferred: [] };
const { interval } = aBooking();

/** What so many people need: the room, and two mats each. The mats come first, as ids are sorted. */
const needs = (people: number): Want[] => [
  { resource: "mats", quantity: 2 * people },
  { resource: "room", quantity: people },
];

function joined(id: string, people: number, over: Partial<Booking> = {}): Booking {
  return bookingIn.confirmed({ id, wants: needs(people), resources: ["mats", "room"], session, ...over });
}

function having(bookings: readonly Booking[], mats = 20): State {
  const claims = bookings.flatMap(claimsFor).map((one) => ({ ...one, exclusive: one.resource !== "mats" }));
  const state = world({ bookings, claims });
  const counted = aResource("mats", { kind: "counted", capacity: mats });
  return { ...state, resources: new Map([...state.resources, ["mats", counted]]) };
}

function wanted(people: number, wants = needs(people)): Wanted {
  const time = { interval, buffers: noBuffers, day: dayOf(interval.start) };
  return { customer: "maria", wants, ...time, session, limits: noLimits, rules: null };
}

const full = (left: number) => ({ refused: { reason: "no_capacity", resource: "mats", left } });

describe("B3: a session whose resources are needed in different quantities", () => {
  test("a person takes one place of it, however many mats", () => {
    const state = having([joined("b1", 1), joined("b2", 3)]);
    expect(sessionPlacesLeft(state, session, [], now)).toBe(1);
    expect(placesLeft(state, wanted(1), alone, context())).toBe(1);
    expect(assign(state, wanted(1), alone, context())).toMatchObject({ resources: ["mats", "room"] });
    expect(assign(state, wanted(2), alone, context())).toEqual(full(1));
  });

  test("in whatever order they are named", () => {
    const reversed = (booking: Booking) => ({
      ...booking,
      wants: booking.wants.toReversed(),
      resources: booking.resources.toReversed(),
    });
    const state = having([reversed(joined("b1", 1)), reversed(joined("b2", 3))]);
    expect(sessionPlacesLeft(state, session, [], now)).toBe(1);
    expect(placesLeft(state, wanted(1, needs(1).toReversed()), alone, context())).toBe(1);
  });

  test("what is counted is a limit of its own: places are left, and mats for one person only", () => {
    const state = having([joined("b1", 1)], 5);
    expect(sessionPlacesLeft(state, session, [], now)).toBe(4);
    expect(placesLeft(state, wanted(1), alone, context())).toBe(1);
    expect(assign(state, wanted(2), alone, context())).toEqual(full(3));
  });
});

describe("B3: places of a session", () => {
  test("holds that are over, other sessions and those that somebody stands for take none", () => {
    const state = having([
      joined("b1", 1),
      joined("b2", 1, { state: "held", holdExpiresAt: now }),
      joined("b3", 1, { session: { id: "session/other", capacity: 5 } }),
    ]);
    expect(sessionPlacesLeft(state, session, [], now)).toBe(4);
    expect(sessionPlacesLeft(state, session, ["b1"], now)).toBe(5);
  });

  test("never fewer than none, even when it was made smaller since", () => {
    expect(sessionPlacesLeft(having([joined("b1", 3)]), { ...session, capacity: 2 }, [], now)).toBe(0);
    expect(assign(having([joined("b1", 5)]), wanted(1), alone, context())).toEqual(full(0));
  });
});
