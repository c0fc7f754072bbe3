import { type AdmissionRefusal, admit, type Wanted } from "./admit.ts";
import { closeClaims, takeClaims } from "./claims.ts";
import type { Context } from "./context.ts";
import { claimEnd } from "./hold-end.ts";
import { noLimits } from "./limits.ts";
import type { Booking, Claim } from "./model.ts";
import { type Money, sameMoney } from "./money.ts";
import { applyTo, type Changes, type Decision, type State, together, unchanged, workingCopy } from "./state.ts";
import { stateAt } from "./states.ts";
import type { Instant } from "./time.ts";

/** Another time, other resources, or both, for a booking that exists. */
export interface Reschedule {
  readonly bookingId: string;
  /** The booking's version that the rest was made from. */
  readonly version: number;
  readonly customer: string | null;
  readonly actor: string;
  /** Where it shall be; its customer is the booking's own. */
  readonly wanted: Omit<Wanted, "customer" | "session"> & { readonly session: Booking["session"] };
  readonly anchor: Booking["anchor"];
  /** What the new time costs; undefined: the same. */
  readonly price: Money | null | undefined;
  /**
   * The time on the wall stays as it was agreed and only its instant has moved, because the rules of the zone have (B15): notice, hours
   * and limits were judged when it was agreed. Whether the place is free at the new instant is asked all the same.
   */
  readonly agreed: boolean;
}

export type RescheduleRefusal =
  | AdmissionRefusal
  | { readonly reason: "unknown_booking" | "hold_lapsed" | "cancelled" | "attended" | "forbidden_by_policy" }
  | { readonly reason: "price_differs"; readonly agreed: Money | null; readonly asked: Money | null };

export type RescheduleOutcome =
  | { readonly outcome: "rescheduled"; readonly booking: Booking; readonly before: Booking }
  | { readonly outcome: "unchanged"; readonly booking: Booking }
  /** The booking has changed since it was read: read it again. */
  | { readonly outcome: "stale" }
  | ({ readonly outcome: "refused" } & RescheduleRefusal);

/**
 * The new place is claimed and the old one closed in one step (B10): same booking, same payment, same standing approval. Refused: the
 * booking is as it was. Its own old claims are not in its way.
 *
 * @param along Bookings that move after it in the same step, and are not in its way either.
 */
export function reschedule(
  state: State,
  command: Reschedule,
  context: Context,
  along: readonly string[] = [],
): Decision<RescheduleOutcome> {
  const { now } = context;
  const booking = state.bookings.get(command.bookingId);
  if (booking === undefined || (command.customer !== null && command.customer !== booking.customer)) {
    return refused({ reason: "unknown_booking" });
  }
  const refusal = refuse(booking, command, now);
  if (refusal !== null) return refused(refusal);
  if (booking.version !== command.version) return unchanged({ outcome: "stale" });
  const { wanted } = command;
  if (samePlace(booking, wanted)) return unchanged({ outcome: "unchanged", booking });

  const administrator = command.customer === null;
  const customer = administrator ? null : booking.customer;
  const standing = { without: [booking.id, ...along], preferred: booking.resources };
  const assignment = command.agreed
    ? admit(state, { ...wanted, customer, limits: noLimits }, standing, { now, admitTime: () => null })
    : admit(state, { ...wanted, customer }, standing, context);
  if ("refused" in assignment) return refused(assignment.refused);

  const pending = stateAt(booking, now) === "pending";
  const moved: Booking = {
    ...booking,
    wants: wanted.wants,
    resources: pending ? wanted.wants.map((want) => want.resource) : assignment.resources,
    interval: wanted.interval,
    buffers: wanted.buffers,
    day: wanted.day,
    anchor: command.anchor,
    session: wanted.session,
    version: booking.version + 1,
  };
  const closed = closeClaims(state, booking.id, now);
  const claims: Claim[] = pending ? [] : takeClaims(state, moved, now, claimEnd(booking));
  return {
    outcome: { outcome: "rescheduled", booking: moved, before: booking },
    changes: {
      bookings: [moved],
      claims: [...closed, ...claims],
      resources: pending ? [] : assignment.chosen,
      events: [
        {
          bookingId: booking.id,
          type: "booking_rescheduled",
          at: now,
          actor: command.actor,
          version: moved.version,
          data: {
            from: { start: new Date(booking.interval.start).toISOString(), resources: booking.resources },
            to: { start: new Date(moved.interval.start).toISOString(), resources: moved.resources },
          },
        },
      ],
    },
  };
}

/**
 * Bookings that share one place, as those of a group session do, in one step and all or none: one after another, the first would find
 * the others where it shall be. The outcome is that of each, or the one that kept them all where they are.
 */
export function rescheduleTogether(
  state: State,
  commands: readonly Reschedule[],
  context: Context,
): Decision<readonly RescheduleOutcome[]> {
  const current = workingCopy(state);
  const outcomes: RescheduleOutcome[] = [];
  const changes: Changes[] = [];
  for (const [index, command] of commands.entries()) {
    const along = commands.slice(index + 1).map(({ bookingId }) => bookingId);
    const decision = reschedule(current, command, context, along);
    if (decision.outcome.outcome === "refused" || decision.outcome.outcome === "stale") {
      return unchanged(commands.map(() => decision.outcome));
    }
    outcomes.push(decision.outcome);
    changes.push(decision.changes);
    applyTo(current, decision.changes);
  }
  return { outcome: outcomes, changes: together(changes) };
}

function refused(refusal: RescheduleRefusal): Decision<RescheduleOutcome> {
  return unchanged({ outcome: "refused", ...refusal });
}

function refuse(booking: Booking, { customer, price }: Reschedule, now: Instant): RescheduleRefusal | null {
  const current = stateAt(booking, now);
  if (current === "cancelled") return { reason: "cancelled" };
  if (current === "expired") return { reason: "hold_lapsed" };
  if (booking.attendance !== null) return { reason: "attended" };
  const { untilMsBeforeStart, priceDifference } = booking.policy.rescheduling;
  const late = now > booking.interval.start - untilMsBeforeStart;
  if (customer !== null && current === "confirmed" && late) return { reason: "forbidden_by_policy" };
  if (price === undefined || priceDifference === "keep" || samePrice(booking.price, price)) return null;
  return { reason: "price_differs", agreed: booking.price, asked: price };
}

function samePrice(left: Money | null, right: Money | null): boolean {
  return left === null || right === null ? left === right : sameMoney(left, right);
}

function samePlace(booking: Booking, wanted: Reschedule["wanted"]): boolean {
  return (
    booking.interval.start === wanted.interval.start &&
    booking.interval.end === wanted.interval.end &&
    booking.buffers.beforeMs === wanted.buffers.beforeMs &&
    booking.buffers.afterMs === wanted.buffers.afterMs &&
    booking.wants.length === wanted.wants.length &&
    booking.wants.every(
      (want, index) =>
        want.resource === wanted.wants[index]?.resource && want.quantity === wanted.wants[index]?.quantity,
    )
  );
}
