import { expect, test } from "vitest";
import { noLimits } from "../../src/core/limits.ts";
import { type ReserveSlot, reserveSlot } from "../../src/core/reserve-slot.ts";
import {
  aBooking,
  aCheckout,
  context,
  day,
  dayOf,
  hour,
  noBuffers,
  now,
  price,
  wantsOf,
  world,
} from "../support/worlds.ts";

const start = now + 3 * day;
const wanted: ReserveSlot = {
  customer: "ivan",
  payer: "ivan",
  wants: wantsOf(["boris"]),
  interval: { start, end: start + hour },
  buffers: noBuffers,
  day: dayOf(start),
  service: null,
  session: null,
  rules: null,
  limits: noLimits,
  anchor: null,
  replaces: "b1",
  price,
  claim: "now",
  confirm: false,
  holdMs: null,
  requestId: null,
  requestDigest: "digest",
  title: null,
  data: {},
  actor: "ivan",
};

test("R27 a hold that is replaced while its payment is approved loses the approval: its charge will be late", () => {
  const held = aBooking();
  const state = world({ bookings: [held], checkouts: [aCheckout(held)] });
  const { outcome, changes } = reserveSlot(state, wanted, context());
  expect(outcome).toMatchObject({ outcome: "reserved", replaced: { id: "b1" } });
  expect(changes.checkouts).toMatchObject([{ bookingId: "b1", voidedAt: now, voidReason: "replaced" }]);
});
