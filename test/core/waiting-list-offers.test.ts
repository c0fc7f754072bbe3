import { describe, expect, test } from "vitest";
import { offerPlace } from "../../src/core/offer-place.ts";
import { isFree, planOffers } from "../../src/core/plan-offers.ts";
import { applyChanges, type State } from "../../src/core/state.ts";
import type { WaitingEntry } from "../../src/core/waiting-entry.ts";
import {
  anEntry,
  anOffer,
  aRoom,
  candidate,
  context,
  hour,
  minute,
  now,
  start,
  world,
} from "../support/waiting-world.ts";

const w1 = anEntry("w1");
const offer = (state: State, over: Parameters<typeof context>[0] = {}, what = candidate()) =>
  offerPlace(state, { entryId: "w1", candidate: what }, context(over));

describe("B12: one offer", () => {
  test("is a hold for the waiter, and the first thing in its history", () => {
    const { outcome, changes } = offer(world([w1]));
    expect(outcome).toMatchObject({
      outcome: "offered",
      booking: { state: "held", customer: "w1", payer: "w1", waitlistEntryId: "w1", holdExpiresAt: now + 15 * minute },
    });
    expect(changes.claims).toMatchObject([{ resource: "room", liveFrom: now, liveUntil: now + 15 * minute }]);
    expect(changes.events).toMatchObject([{ type: "waitlist_offered", data: { entryId: "w1", customer: "w1" } }]);
  });

  test("never outlives the start", () => {
    expect(offer(world([w1]), { offerMs: 72 * hour }).outcome).toMatchObject({ booking: { holdExpiresAt: start } });
  });

  test.each([
    ["somebody left", world([anEntry("w1", { state: "left" })]), {}, "not_waiting"],
    ["the service is off", world([anEntry("w1", { state: "unservable" })]), {}, "not_waiting"],
    ["an offer is live", world([w1], [anOffer(w1)]), {}, "not_waiting"],
    ["one was accepted", world([w1], [anOffer(w1, { state: "confirmed", confirmedAt: now })]), {}, "not_waiting"],
    [
      "it lies outside the window",
      world([anEntry("w1", { window: { start, end: start + hour - 1 } })]),
      {},
      "outside_window",
    ],
    ["the room is taken", world([w1], [anOffer(anEntry("w2"))]), {}, "slot_taken"],
    [
      "it was declined",
      world([w1], [anOffer(w1, { state: "cancelled", holdExpiresAt: null })], aRoom({ kind: "counted", capacity: 9 })),
      {},
      "passed",
    ],
    ["it lapsed", world([w1], [anOffer(w1, { holdExpiresAt: now })]), {}, "passed"],
    [
      "she has moved away from it, and let that lapse",
      world([w1], [anOffer(w1, { holdExpiresAt: now, interval: { start: start - hour, end: start } })]),
      {},
      "passed",
    ],
    [
      "she has booked it herself",
      world(
        [w1],
        [anOffer(w1, { waitlistEntryId: null, state: "confirmed" })],
        aRoom({ kind: "counted", capacity: 9 }),
      ),
      {},
      "passed",
    ],
  ] as const)("is not made when %s", (_, state, over, reason) => {
    expect(offer(state, over).outcome).toMatchObject({ outcome: "refused", reason });
  });

  test("is not made to one who holds as much as one may", () => {
    const holds = [1, 2, 3, 4, 5].map((n) =>
      anOffer(w1, {
        id: `h${n}`,
        waitlistEntryId: null,
        interval: { start: start + n * 24 * hour, end: start + n * 25 * hour },
      }),
    );
    expect(offer(world([w1], holds)).outcome).toMatchObject({ reason: "too_many_holds" });
  });

  test("is made again where the policy says so; the lapsed one is written down in the same step", () => {
    const { outcome, changes } = offer(world([w1], [anOffer(w1, { holdExpiresAt: now })]), { offerAgain: true });
    expect(outcome.outcome).toBe("offered");
    expect(changes.bookings?.map((booking) => booking.state)).toEqual(["expired", "held"]);
    expect(changes.events?.map((event) => event.type)).toEqual(["waitlist_lapsed", "waitlist_offered"]);
  });

  test("R63: what is sold above the capacity is not free when it comes back down to it", () => {
    const full = aRoom({ kind: "counted", capacity: 3 });
    const taken = (quantity: number) => anOffer(anEntry("x", { quantity }), { waitlistEntryId: null });
    expect(offer(world([w1], [taken(3)], full)).outcome).toMatchObject({ reason: "no_capacity", left: 0 });
    expect(offer(world([w1], [taken(5)], full)).outcome).toMatchObject({ reason: "no_capacity", left: 0 });
  });
});

describe("B12: the plan", () => {
  const hall = (capacity: number) => aRoom({ kind: "counted", capacity });
  const plan = (
    line: readonly WaitingEntry[],
    state: State,
    order: "skip" | "strict" = "skip",
    candidatesOf = (entry: WaitingEntry) => [candidate(entry.quantity)],
  ) => {
    const made = planOffers(state, line, candidatesOf, context({ order }));
    return { to: made.offers.map((one) => one.entryId), blocked: made.blocked };
  };
  const [a, b, c] = [anEntry("a"), anEntry("b"), anEntry("c")];

  test("is first come, first served, as many as there are places", () => {
    expect(plan([a, b, c], world([a, b, c], [], hall(2)))).toEqual({ to: ["a", "b"], blocked: false });
    expect(plan([c, b, a], world([a, b, c], [], hall(2))).to).toEqual(["c", "b"]);
  });

  const party = anEntry("party", { quantity: 3 });
  test.each([
    ["skip", [party, a, b], { to: ["a", "b"], blocked: false }],
    ["strict", [party, a, b], { to: [], blocked: true }],
    ["strict", [a, party, b], { to: ["a"], blocked: true }],
  ] as const)("under %s, %#", (order, line, expected) => {
    expect(plan(line, world(line, [], hall(2)), order)).toEqual(expected);
  });

  test.each([
    ["has declined what is free", anOffer(a, { state: "cancelled", holdExpiresAt: null }), 1, ["b"]],
    ["has an offer", anOffer(a), 2, ["b"]],
    ["has used an offer", anOffer(a, { state: "confirmed", confirmedAt: now, holdExpiresAt: null }), 2, ["b"]],
  ] as const)("under strict, one who %s holds nobody up", (_, booking, capacity, to) => {
    expect(plan([a, b], world([a, b], [booking], hall(capacity)), "strict").to).toEqual(to);
  });

  test.each([
    ["there is something free for her", () => [candidate()]],
    ["there is nothing free for her", ({ id }: WaitingEntry) => (id === "a" ? [] : [candidate()])],
  ])("under strict, one who holds as much as one may holds nobody up, when %s", (_, candidatesOf) => {
    const holds = [1, 2, 3, 4, 5].map((n) =>
      anOffer(a, {
        id: `h${n}`,
        waitlistEntryId: null,
        interval: { start: start + n * 24 * hour, end: start + n * 25 * hour },
      }),
    );
    expect(plan([a, b], world([a, b], holds), "strict", candidatesOf)).toEqual({ to: ["b"], blocked: false });
  });

  test("a time is free if anybody at all could have it, whoever's limits say what", () => {
    expect(isFree(world([]), candidate(), context())).toBe(true);
    expect(isFree(world([], [anOffer(a)]), candidate(), context())).toBe(false);
  });

  test("under strict, an unservable entry holds nobody up (R65)", () => {
    const off = anEntry("off", { state: "unservable" });
    expect(plan([off, a], world([off, a]), "strict")).toEqual({ to: ["a"], blocked: false });
  });

  test("gives each the earliest time that fits", () => {
    const wide = anEntry("wide", { window: { start, end: start + 2 * hour } });
    const both = () => [candidate(1, 0), candidate(1, 1)];
    const made = planOffers(world([a, wide]), [a, wide], both, context());
    expect(made.offers.map((one) => [one.entryId, one.candidate.wanted.interval.start])).toEqual([
      ["a", start],
      ["wide", start + hour],
    ]);
  });

  test("however often it is made and carried out, nobody is offered twice and nothing beyond the capacity", () => {
    const line = [a, b, c];
    let state = world(line, [], hall(2));
    for (let time = 0; time < 3; time += 1) {
      for (const one of planOffers(state, line, () => [candidate()], context()).offers) {
        state = applyChanges(
          state,
          offerPlace(state, one, { ...context(), newId: () => `${one.entryId}-${time}` }).changes,
        );
      }
    }
    expect([...state.bookings.keys()]).toEqual(["a-0", "b-0"]);
  });
});
