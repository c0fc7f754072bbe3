import { describe, expect, test } from "vitest";
import { noLimits } from "../../src/core/limits.ts";
import { defaultPolicies } from "../../src/core/policies.ts";
import { type ReserveSlot, reserveSlot } from "../../src/core/reserve-slot.ts";
import type { State } from "../../src/core/state.ts";
import {
  aBooking,
  aRival,
  bookingIn,
  changesNothing,
  claimsFor,
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

const start = now + 2 * day;

function wanted(over: Partial<ReserveSlot> = {}): ReserveSlot {
  return {
    customer: "ivan",
    payer: "ivan",
    wants: wantsOf(["anna"]),
    interval: { start, end: start + hour },
    buffers: noBuffers,
    day: dayOf(start),
    service: null,
    session: null,
    rules: null,
    limits: noLimits,
    anchor: null,
    replaces: null,
    price,
    claim: "now",
    confirm: false,
    holdMs: null,
    requestId: null,
    requestDigest: "digest",
    title: null,
    data: {},
    actor: "ivan",
    ...over,
  };
}

const manyHolds = (count: number, over: Parameters<typeof aBooking>[0] = {}) =>
  Array.from({ length: count }, (_, index) =>
    aBooking({
      id: `h${index}`,
      token: `bko1_h${index}`,
      resources: ["boris"],
      interval: { start: start + index * hour, end: start + (index + 1) * hour },
      ...over,
    }),
  );

interface Row {
  readonly when: string;
  readonly state?: State;
  readonly command?: Partial<ReserveSlot>;
  readonly answer: object;
}

const known = aBooking({ requestId: "r1", resources: ["boris"] });

// In the order of the table: where two rows fit, the earlier answers.
const unchangedRows: readonly Row[] = [
  {
    when: "the request id is known with the same content",
    state: world({ bookings: [known] }),
    command: { requestId: "r1" },
    answer: { outcome: "existing", booking: known },
  },
  {
    when: "the request id is known with the same content, although that booking was cancelled",
    state: world({ bookings: [bookingIn.cancelled({ requestId: "r1" })] }),
    command: { requestId: "r1" },
    answer: { outcome: "existing", booking: { state: "cancelled" } },
  },
  {
    when: "the request id is known with other content",
    state: world({ bookings: [known] }),
    command: { requestId: "r1", requestDigest: "other" },
    answer: { outcome: "refused", reason: "idempotency_conflict" },
  },
  {
    when: "the request id conflicts, even where the same intention exists too",
    state: world({ bookings: [aBooking({ requestId: "r1" })] }),
    command: { requestId: "r1", requestDigest: "other" },
    answer: { outcome: "refused", reason: "idempotency_conflict" },
  },
  ...(["held", "pending", "confirmed"] as const).map((state) => ({
    when: `the same customer asks again for a time where a booking is ${state}`,
    state: world({ bookings: [bookingIn[state]()] }),
    answer: { outcome: "existing", booking: { id: "b1", state } },
  })),
  {
    when: "the same intention exists, even when everything else would refuse",
    state: world({
      bookings: [bookingIn.confirmed({ resources: ["off"], interval: { start: now, end: now + hour } })],
    }),
    command: { wants: wantsOf(["off"]), interval: { start: now, end: now + hour } },
    answer: { outcome: "existing" },
  },
  {
    when: "the resource is unknown",
    command: { wants: wantsOf(["nobody"]) },
    answer: { outcome: "refused", reason: "unknown_resource", resource: "nobody" },
  },
  {
    when: "one of the resources is switched off, before the time is looked at",
    command: { wants: wantsOf(["anna", "off"]), interval: { start: now, end: now + hour } },
    answer: { outcome: "refused", reason: "unknown_resource", resource: "off" },
  },
  {
    when: "the time begins at this very instant",
    command: { interval: { start: now, end: now + hour } },
    answer: { outcome: "refused", reason: "in_past" },
  },
  {
    when: "the customer's same booking has ended at this very instant",
    state: world({ bookings: [bookingIn.confirmed({ interval: { start: now - hour, end: now } })] }),
    command: { interval: { start: now - hour, end: now } },
    answer: { outcome: "refused", reason: "in_past" },
  },
  {
    when: "the time is past, before the number of holds is looked at",
    state: world({ bookings: manyHolds(5) }),
    command: { interval: { start: now - 1, end: now + hour } },
    answer: { outcome: "refused", reason: "in_past" },
  },
  {
    when: "the customer has as many live holds as one may have",
    state: world({ bookings: manyHolds(5) }),
    answer: { outcome: "refused", reason: "too_many_holds", limit: 5 },
  },
  {
    when: "the customer has too many holds, before the length of the hold is looked at",
    state: world({ bookings: manyHolds(5) }),
    command: { holdMs: defaultPolicies.maxHoldMs + 1 },
    answer: { outcome: "refused", reason: "too_many_holds" },
  },
  {
    when: "the hold is a millisecond longer than allowed, before the slot is looked at",
    state: world({ bookings: [aRival()] }),
    command: { holdMs: defaultPolicies.maxHoldMs + 1 },
    answer: { outcome: "refused", reason: "hold_too_long", limitMs: defaultPolicies.maxHoldMs },
  },
  {
    when: "somebody else's confirmed booking overlaps by a millisecond at its end",
    state: world({ bookings: [aRival({ interval: { start: start - hour, end: start + 1 } })] }),
    answer: { outcome: "refused", reason: "slot_taken", resource: "anna" },
  },
  {
    when: "somebody else's confirmed booking overlaps by a millisecond at its start",
    state: world({ bookings: [aRival({ interval: { start: start + hour - 1, end: start + 2 * hour } })] }),
    answer: { outcome: "refused", reason: "slot_taken" },
  },
  {
    when: "somebody else's booking lies strictly inside the wanted time",
    state: world({ bookings: [aRival({ interval: { start: start + minute, end: start + 2 * minute } })] }),
    answer: { outcome: "refused", reason: "slot_taken" },
  },
  {
    when: "somebody else's hold lives for another millisecond",
    state: world({ bookings: [bookingIn.held({ customer: "maria", holdExpiresAt: now + 1 })] }),
    answer: { outcome: "refused", reason: "slot_taken" },
  },
  {
    when: "only the second of the wanted resources is taken",
    state: world({ bookings: [aRival({ resources: ["room"] })] }),
    command: { wants: wantsOf(["anna", "room"]) },
    answer: { outcome: "refused", reason: "slot_taken", resource: "room" },
  },
  {
    when: "the time is taken, even for an invoice that claims nothing yet",
    state: world({ bookings: [aRival()] }),
    command: { claim: "at_checkout" },
    answer: { outcome: "refused", reason: "slot_taken" },
  },
  {
    when: "the time is taken, even for a free booking that wants to be confirmed at once",
    state: world({ bookings: [aRival()] }),
    command: { price: null, confirm: true },
    answer: { outcome: "refused", reason: "slot_taken" },
  },
];

describe("reserveSlot answers without changing anything when", () => {
  test.each(unchangedRows)("$when", ({ state = world(), command = {}, answer }) => {
    const decision = reserveSlot(state, wanted(command), context());
    expect(decision.outcome).toMatchObject(answer);
    expect(changesNothing(decision)).toBe(true);
  });
});

const freeRows: readonly Row[] = [
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

  test("a rival's claim that is live only later or no longer is not in the way", () => {
    const rival = aRival();
    const claims = claimsFor(rival).map((claim) => ({ ...claim, liveFrom: now + 1 }));
    expect(reserveSlot(world({ bookings: [rival], claims }), wanted(), context()).outcome.outcome).toBe("reserved");
  });
});
