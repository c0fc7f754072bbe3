import { expect, test } from "vitest";
import { applyChanges, applyTo, claimsOn, workingCopy } from "../../src/core/state.ts";
import { bookingIn, claimsFor, world } from "../support/worlds.ts";

test("what was found out about a state's claims is forgotten when they change", () => {
  const bookings = [bookingIn.held({ id: "b1" }), bookingIn.held({ id: "b2" })];
  const [first, second] = bookings.map(claimsFor);
  const state = workingCopy(world({ bookings, claims: first ?? [] }));
  const [claim] = first ?? [];
  const resource = claim?.resource ?? "";
  expect(claimsOn(state, resource)).toEqual(first);

  applyTo(state, { claims: second ?? [] });
  expect(claimsOn(state, resource)).toEqual([...(first ?? []), ...(second ?? [])]);

  const closed = { ...claim, liveUntil: 1 } as typeof claim & object;
  const copy = applyChanges(state, { claims: [closed] });
  expect(claimsOn(copy, resource)).toEqual([closed, ...(second ?? [])]);
  expect(claimsOn(state, resource)).toEqual([...(first ?? []), ...(second ?? [])]);
});
