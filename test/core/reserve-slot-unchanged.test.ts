import { describe, expect, test } from "vitest";
import { defaultPolicies } from "../../src/core/policies.ts";
import { reserveSlot } from "../../src/core/reserve-slot.ts";
import { manyHolds, type SlotCase, wanted } from "../support/requests.ts";
import {
  aBooking,
  aRival,
  bookingIn,
  changesNothing,
  context,
  hour,
  minute,
  now,
  wantsOf,
  world,
} from "../support/worlds.ts";

const { start } = wanted().interval;

const known = aBooking({ requestId: "r1", resources: ["boris"] });

// In the order of the table: where two rows fit, the earlier answers.
const unchangedRows: readonly SlotCase[] = [
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
