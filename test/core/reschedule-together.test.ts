import { expect, test } from "vitest";
import { noLimits } from "../../src/core/limits.ts";
import { type Reschedule, rescheduleTogether } from "../../src/core/reschedule.ts";
import { applyChanges, liveClaimsOf, type State } from "../../src/core/state.ts";
import {
  aBooking,
  aRival,
  bookingIn,
  context,
  dayOf,
  eventTypes,
  hour,
  minute,
  noBuffers,
  wantsOf,
  world,
} from "../support/worlds.ts";

// B15: a class whose zone has other rules now moves by half of its length.
const { interval } = aBooking();
const shift = 30 * minute;
const to = { start: interval.start + shift, end: interval.end + shift };
const session = { id: "session/yoga/old", capacity: 3 };
const joined = ["b1", "b2", "b3"].map((id) => bookingIn.confirmed({ id, session }));
const rival = aRival({ interval: { start: interval.end, end: interval.end + hour } });

function moving(bookingId: string, over: Partial<Reschedule> = {}): Reschedule {
  const capacity = 3;
  return {
    bookingId,
    version: 1,
    customer: null,
    actor: "admin:olga",
    anchor: null,
    price: undefined,
    agreed: true,
    wanted: {
      wants: wantsOf(["anna"]),
      interval: to,
      buffers: noBuffers,
      day: dayOf(to.start),
      session: { id: "session/yoga/new", capacity },
      rules: null,
      limits: noLimits,
    },
    ...over,
  };
}

const all = joined.map(({ id }) => moving(id));

test("all who share a place move in one step, though the new time overlaps the old one", () => {
  const state = world({ bookings: joined });
  const decision = rescheduleTogether(state, all, context());
  expect(decision.outcome.map(({ outcome }) => outcome)).toEqual(["rescheduled", "rescheduled", "rescheduled"]);
  expect(eventTypes({ changes: decision.changes })).toEqual(Array(3).fill("booking_rescheduled"));
  const after = applyChanges(state, decision.changes);
  for (const { id } of joined) {
    expect(liveClaimsOf(after, id, context().now)).toMatchObject([{ interval: to, holder: "session/yoga/new" }]);
  }
});

test("one who is there already stays, and the others come", () => {
  const there = { ...joined[0], id: "b0", interval: to, session: { id: "session/yoga/new", capacity: 3 } };
  const bookings = [bookingIn.confirmed(there), ...joined.slice(0, 2)];
  const commands = ["b0", "b1", "b2"].map((id) => moving(id));
  const { outcome } = rescheduleTogether(world({ bookings }), commands, context());
  expect(outcome.map((one) => one.outcome)).toEqual(["unchanged", "rescheduled", "rescheduled"]);
});

const pair = world({ bookings: joined.slice(0, 2) });
const refusals: readonly (readonly [when: string, state: State, commands: readonly Reschedule[], outcome: string])[] = [
  ["somebody else has a part of the new time", world({ bookings: [...joined, rival] }), all, "refused"],
  ["one was moved by her customer meanwhile", pair, [moving("b1"), moving("b2", { version: 7 })], "stale"],
  ["one does not exist", pair, [moving("b1"), moving("nobody")], "refused"],
];

test.each(refusals)("none moves when %s", (_, state, commands, outcome) => {
  const decision = rescheduleTogether(state, commands, context());
  expect(decision.outcome.map((one) => one.outcome)).toEqual(commands.map(() => outcome));
  expect(decision.changes).toEqual({});
});

test("more than the session has places for do not move", () => {
  const full = { ...moving("b1").wanted, session: { id: "session/yoga/new", capacity: 2 } };
  const commands = joined.map(({ id }) => moving(id, { wanted: full }));
  const { outcome, changes } = rescheduleTogether(world({ bookings: joined }), commands, context());
  expect(outcome).toMatchObject(Array(3).fill({ outcome: "refused", reason: "no_capacity" }));
  expect(changes).toEqual({});
});
