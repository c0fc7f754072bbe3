import { describe, expect, test } from "vitest";
import { defaultPolicies } from "../../src/core/policies.ts";
import { reserveSlot } from "../../src/core/reserve-slot.ts";
import { manyHolds, type SlotCase, wanted } from "../support/requests.ts";
import {
  aBooking,
  aRival,
  bookingIn,
  claimsFor,
  context,
  eventTypes,
  hour,
  minute,
  noBuffers,
  now,
  wantsOf,
  world,
} from "../support/worlds.ts";

const { start } = wanted().interval;

const freeRows: readonly SlotCase[] = [
  { when: "nothing is there", answer: {} },
  {
    when: "another customer used the same request id",
    state: world({ bookings: [aBooking({ customer: "maria", requestId: "r1", resources: ["boris"] })] }),
    command: { requestId: "r1" },
    answer: { booking: { requestId: "r1" } },
  },
  {
    when: "the customer's same booking has lapsed at this very instant",
    state: world({ bookings: [bookingIn.lapsed()] }),
    answer: {},
  },
  {
    when: "the customer's same booking was cancelled",
    state: world({ bookings: [bookingIn.cancelled()] }),
    answer: {},
  },
  {
    when: "somebody else's hold is over at this very instant, though nobody swept it",
    state: world({ bookings: [bookingIn.lapsed({ customer: "maria" })] }),
    answer: {},
  },
  {
    when: "the neighbours touch it on both sides",
    state: world({
      bookings: [
        aRival({ interval: { start: start - hour, end: start } }),
        aRival({ id: "after", token: "bko1_after", interval: { start: start + hour, end: start + 2 * hour } }),
      ],
    }),
    answer: {},
  },
  {
    when: "the other resource is taken at this time",
    state: world({ bookings: [aRival({ resources: ["boris"] })] }),
    answer: {},
  },
  {
    when: "an invoice of another customer for the same time claims nothing yet",
    state: world({ bookings: [bookingIn.pending({ customer: "maria" })] }),
    answer: {},
  },
  {
    when: "the customer has one hold fewer than the limit, and one that has lapsed",
    state: world({ bookings: [...manyHolds(4), bookingIn.lapsed({ resources: ["room"] })] }),
    answer: {},
  },
  {
    when: "the customer has many live holds of times that have ended at this very instant",
    state: world({ bookings: manyHolds(5, { interval: { start: now - hour, end: now } }) }),
    answer: {},
  },
  {
    when: "others have many holds",
    state: world({ bookings: manyHolds(9, { customer: "maria" }) }),
    answer: {},
  },
  {
    when: "the start is a millisecond ahead",
    command: { interval: { start: now + 1, end: now + hour } },
    answer: {},
  },
  {
    when: "the hold is exactly as long as allowed",
    command: { holdMs: defaultPolicies.maxHoldMs },
    answer: { booking: { holdExpiresAt: now + defaultPolicies.maxHoldMs } },
  },
  {
    when: "the same time was asked for with another end",
    state: world({ bookings: [bookingIn.pending()] }),
    command: { interval: { start, end: start + 2 * hour } },
    answer: {},
  },
  {
    when: "the same time was asked for with another start",
    state: world({ bookings: [bookingIn.pending()] }),
    command: { interval: { start: start + minute, end: start + hour } },
    answer: {},
  },
  {
    when: "the same time was asked for at one more resource",
    state: world({ bookings: [bookingIn.pending()] }),
    command: { wants: wantsOf(["anna", "room"]) },
    answer: {},
  },
  {
    when: "the same time was asked for at another resource",
    state: world({ bookings: [bookingIn.pending()] }),
    command: { wants: wantsOf(["boris"]) },
    answer: {},
  },
];

describe("reserveSlot holds the slot when", () => {
  test.each(freeRows)("$when", ({ state = world(), command = {}, answer }) => {
    const decision = reserveSlot(state, wanted(command), context());
    expect(decision.outcome).toMatchObject({ outcome: "reserved", booking: { state: "held" }, ...answer });
    expect(decision.changes.claims).toHaveLength((command.wants ?? ["anna"]).length);
    expect(eventTypes(decision)).toEqual(["booking_reserved"]);
  });
});

describe("what reserveSlot makes", () => {
  test("a hold of the default length, with the policy frozen into it and a claim that lives as long", () => {
    const decision = reserveSlot(
      world(),
      wanted({ title: "Cut", data: { seat: 1 } }),
      context(now, { holdMs: 7 * minute }),
    );
    const booking = decision.changes.bookings?.[0];
    expect(booking).toMatchObject({
      customer: "ivan",
      version: 1,
      holdExpiresAt: now + 7 * minute,
      payableUntil: null,
      createdAt: now,
      confirmedAt: null,
      title: "Cut",
      data: { seat: 1 },
      policy: { latePayment: "refund", retakeLapsedHold: false, settlementGraceMs: 5 * minute },
    });
    expect(booking?.policy).not.toHaveProperty("holdMs");
    expect(decision.changes.claims).toEqual([
      {
        bookingId: booking?.id,
        holder: booking?.id,
        exclusive: true,
        quantity: 1,
        sessionCapacity: null,
        buffers: noBuffers,
        number: 1,
        resource: "anna",
        interval: { start, end: start + hour },
        liveFrom: now,
        liveUntil: now + 7 * minute,
      },
    ]);
  });

  test("an invoice to be claimed at checkout takes nothing, has an end, and does not count as a hold", () => {
    const state = world({ bookings: manyHolds(5) });
    const decision = reserveSlot(state, wanted({ claim: "at_checkout", holdMs: 1e12 }), context());
    expect(decision.outcome).toMatchObject({
      outcome: "reserved",
      booking: { state: "pending", holdExpiresAt: null, payableUntil: now + defaultPolicies.payableMs },
    });
    expect(decision.changes.claims).toEqual([]);
  });

  test("a free booking is confirmed at once if that is asked for, whatever holds there are", () => {
    const decision = reserveSlot(world({ bookings: manyHolds(5) }), wanted({ price: null, confirm: true }), context());
    expect(decision.outcome).toMatchObject({
      outcome: "reserved",
      booking: { state: "confirmed", confirmedAt: now, holdExpiresAt: null, payableUntil: null },
    });
    expect(decision.changes.claims?.[0]?.liveUntil).toBeNull();
    expect(eventTypes(decision)).toEqual(["booking_confirmed"]);
  });

  test("a free booking is only held if nobody asks for more", () => {
    const decision = reserveSlot(world(), wanted({ price: null }), context());
    expect(decision.outcome).toMatchObject({ booking: { state: "held", price: null } });
  });

  test("several resources are claimed together and numbered", () => {
    const decision = reserveSlot(world(), wanted({ wants: wantsOf(["anna", "room"]) }), context());
    expect(decision.changes.claims?.map(({ number, resource }) => [number, resource])).toEqual([
      [1, "anna"],
      [2, "room"],
    ]);
  });

  test.each([
    ["that ends now", { liveUntil: now }, "reserved"],
    [
      "that was closed when it was taken, by a clock that was ahead",
      { liveFrom: now + 9, liveUntil: now + 9 },
      "reserved",
    ],
    ["that was taken by a clock that was ahead", { liveFrom: now + 9 }, "refused"],
  ] as const)("a rival's claim %s: %o, %s", (_, live, outcome) => {
    const rival = aRival();
    const claims = claimsFor(rival).map((claim) => ({ ...claim, ...live }));
    expect(reserveSlot(world({ bookings: [rival], claims }), wanted(), context()).outcome.outcome).toBe(outcome);
  });
});
