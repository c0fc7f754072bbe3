import { noLimits } from "../../src/core/limits.ts";
import type { ReserveSlot } from "../../src/core/reserve-slot.ts";
import type { State } from "../../src/core/state.ts";
import { aBooking, day, dayOf, hour, noBuffers, now, price, wantsOf } from "./worlds.ts";

const start = now + 2 * day;

/** What the customer of `aBooking` asks for when she asks for the same: the same hour of the same resource. */
export function wanted(over: Partial<ReserveSlot> = {}): ReserveSlot {
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

/** So many live holds of hers, of another resource, hour by hour from the wanted start. */
export const manyHolds = (count: number, over: Parameters<typeof aBooking>[0] = {}) =>
  Array.from({ length: count }, (_, index) =>
    aBooking({
      id: `h${index}`,
      token: `bko1_h${index}`,
      resources: ["boris"],
      interval: { start: start + index * hour, end: start + (index + 1) * hour },
      ...over,
    }),
  );

/** A request in a state, and its answer. */
export interface SlotCase {
  readonly when: string;
  readonly state?: State;
  readonly command?: Partial<ReserveSlot>;
  readonly answer: object;
}
