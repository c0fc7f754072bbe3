import type { Booking } from "../../src/core/model.ts";
import { defaultPolicies, freeze } from "../../src/core/policies.ts";
import type { Reschedule } from "../../src/core/reschedule.ts";
import { context, day, dayOf, hour, noBuffers, now, wantsOf, world } from "./worlds.ts";

/** Where the bookings of these tests are moved to. */
export const start = now + 3 * day;

export const olga = { customer: null, actor: "admin:olga" };

/** `aBooking`'s customer moves it by a day, unless told otherwise. */
export function moving(
  over: Partial<Omit<Reschedule, "wanted">> & { wanted?: Partial<Reschedule["wanted"]> } = {},
): Reschedule {
  const begin = over.wanted?.interval?.start ?? start;
  return {
    bookingId: "b1",
    version: 1,
    customer: "ivan",
    actor: "ivan",
    anchor: null,
    price: undefined,
    agreed: false,
    ...over,
    wanted: {
      wants: wantsOf(["anna"]),
      interval: { start: begin, end: begin + hour },
      buffers: noBuffers,
      day: dayOf(begin),
      session: null,
      rules: null,
      limits: { perResource: null, perCustomer: null },
      ...over.wanted,
    },
  };
}

export const having = (booking: Booking, ...others: readonly Booking[]) => world({ bookings: [booking, ...others] });

export const policy = (rescheduling: Partial<(typeof defaultPolicies)["rescheduling"]>) => ({
  policy: { ...freeze(defaultPolicies), rescheduling: { ...defaultPolicies.rescheduling, ...rescheduling } },
});

export const startingIn = (ms: number) => ({ interval: { start: now + ms, end: now + ms + hour } });

/** A calendar in which nothing may be begun so soon. */
export const closed = { ...context(), admitTime: () => ({ reason: "too_soon", earliest: now + day }) as const };
