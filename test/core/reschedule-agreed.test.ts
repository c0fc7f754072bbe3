import { describe, expect, test } from "vitest";
import { type Reschedule, reschedule } from "../../src/core/reschedule.ts";
import { closed, having, moving, olga, start } from "../support/moves.ts";
import { aResource, aRival, bookingIn, hour, now } from "../support/worlds.ts";

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
