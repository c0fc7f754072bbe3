import { z } from "zod";
import type { Anchor, Booking, Want } from "../core/model.ts";
import type { Money } from "../core/money.ts";
import {
  type RescheduleOutcome as CoreOutcome,
  reschedule as decide,
  type Reschedule,
  rescheduleTogether,
} from "../core/reschedule.ts";
import type { Interval } from "../core/time.ts";
import { type Keys, mergeKeys } from "../store/keys.ts";
import { toBooking } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import type { BookingRow } from "../store/tables.ts";
import { type Duration, instant, longDuration, money, parseInput, uuid, wants } from "./input.ts";
import { type Patience, patienceWithin } from "./patience.ts";
import { command, type Runner } from "./runner.ts";
import type { ServiceSource, WantInput } from "./services.ts";
import { type TimeRefused, viewTimeRefusal } from "./time-refused.ts";
import { type BookingView, viewBooking } from "./views.ts";
import { anchorAt, askFor, lockAndRead, wantedOf } from "./wanted.ts";
import { actorOf, eitherOr, eitherOrMessage, type Who, whoShape } from "./who.ts";

/** What `reschedule` takes: what is left out stays as it is. */
export interface RescheduleInput extends Who {
  readonly bookingId: string;
  readonly start?: Date | string;
  readonly duration?: Duration;
  /** Other resources or pools. A pool's member is kept if she is free at the new time. */
  readonly resources?: readonly WantInput[];
  /** What the new time costs. Another price than the agreed one is refused, or the agreed one kept, by policy; never charged twice. */
  readonly price?: Money | null;
}

/**
 * What `reschedule` answers.
 *
 * - `rescheduled`: moved in one step; the payment and a standing approval stay with it. `unchanged`: it is there already.
 * - `refused`: the reasons of {@link TimeRefused}, or `unknown_booking`, `cancelled`, `hold_lapsed`, `attended`,
 *   `forbidden_by_policy`, `price_differs`. The booking is as it was.
 */
export type RescheduleOutcome =
  | { readonly outcome: "rescheduled"; readonly booking: BookingView; readonly before: BookingView }
  | { readonly outcome: "unchanged"; readonly booking: BookingView }
  | ({ readonly outcome: "refused" } & TimeRefused)
  | {
      readonly outcome: "refused";
      readonly reason: "unknown_booking" | "hold_lapsed" | "cancelled" | "attended" | "forbidden_by_policy";
    }
  | {
      readonly outcome: "refused";
      readonly reason: "price_differs";
      readonly agreed: Money | null;
      readonly asked: Money | null;
    };

const schema = z
  .strictObject({
    bookingId: uuid,
    ...whoShape,
    start: instant.optional(),
    duration: longDuration.optional(),
    resources: wants.optional(),
    price: money.nullable().optional(),
  })
  .refine(eitherOr, eitherOrMessage)
  .refine(({ start, duration, resources }) => (start ?? duration ?? resources) !== undefined, "give what shall change");

const defaultBudgetMs = 10_000;

export async function reschedule(
  runner: Runner,
  store: Store,
  services: ServiceSource,
  input: RescheduleInput,
  given: Patience = {},
): Promise<RescheduleOutcome> {
  const options = patienceWithin(given, defaultBudgetMs);
  const { bookingId, start, duration, resources, price, ...who } = parseInput("reschedule", schema, input);
  // Read first, to know what to lock. If somebody changes the booking meanwhile, again.
  for (;;) {
    const booking = await readBooking(runner, store, bookingId, options);
    if (booking === null) return { outcome: "refused", reason: "unknown_booking" };
    const begin = start ?? booking.interval.start;
    const interval = { start: begin, end: begin + (duration ?? booking.interval.end - booking.interval.start) };
    const move = { ...actorOf(who), interval, wants: resources ?? booking.wants, price, agreed: null };
    const outcome = await moveBooking(runner, services, booking, move, options);
    if (outcome.outcome !== "stale") return outcome;
  }
}

export async function readBooking(
  runner: Runner,
  store: Store,
  id: string,
  options: Patience,
): Promise<Booking | null> {
  const { rows } = await runner.read<{ rows: BookingRow[] }>(store.lookups.bookings({ id }), options);
  return rows[0] === undefined ? null : toBooking(rows[0]);
}

export interface Move extends Pick<Reschedule, "customer" | "actor" | "price"> {
  readonly interval: Interval;
  readonly wants: readonly Want[];
  /** The time on the wall that was agreed, and stays; null: a new one is made of the new instant. */
  readonly agreed: Anchor | null;
}

export type MoveOutcome = RescheduleOutcome | { readonly outcome: "stale" };

/** Moves a booking as it was read; `stale` if it has changed since. */
async function moveBooking(
  runner: Runner,
  services: ServiceSource,
  booking: Booking,
  move: Move,
  options: Patience,
): Promise<MoveOutcome> {
  const { needed, asMoved } = await planOf(runner, services, booking, move, options);
  const decideIt = command(needed, (state, context) => decide(state, asMoved, context), view);
  return runner.run(decideIt, options, defaultBudgetMs);
}

/** Moves bookings that share their place in one step, all or none; `stale` for all if one has changed since. */
export async function moveTogether(
  runner: Runner,
  services: ServiceSource,
  all: readonly { readonly booking: Booking; readonly move: Move }[],
  options: Patience,
): Promise<readonly MoveOutcome[]> {
  const plans: Plan[] = [];
  for (const { booking, move } of all) plans.push(await planOf(runner, services, booking, move, options));
  const decideThem = command(
    mergeKeys(plans.map(({ needed }) => needed)),
    (state, context) =>
      rescheduleTogether(
        state,
        plans.map(({ asMoved }) => asMoved),
        context,
      ),
    (outcomes, now) => outcomes.map((outcome) => view(outcome, now)),
  );
  return runner.run(decideThem, options, defaultBudgetMs);
}

interface Plan {
  readonly needed: Keys;
  readonly asMoved: Reschedule;
}

async function planOf(
  runner: Runner,
  services: ServiceSource,
  booking: Booking,
  { interval, wants, agreed, ...move }: Move,
  options: Patience,
): Promise<Plan> {
  const service = booking.service === null ? null : await services(runner, booking.service, options);
  const asked = askFor(service === null ? null : { id: service.id, definition: service }, wants, interval, 1);
  const wanted = wantedOf({ ...asked, buffers: booking.buffers }, booking.customer);
  const anchor = agreed ?? anchorAt(interval.start, wanted.rules);
  return {
    needed: lockAndRead(wanted, { bookingIds: [booking.id] }),
    asMoved: { bookingId: booking.id, version: booking.version, ...move, wanted, anchor, agreed: agreed !== null },
  };
}

function view(outcome: CoreOutcome, now: number): MoveOutcome {
  switch (outcome.outcome) {
    case "rescheduled":
      return { ...outcome, booking: viewBooking(outcome.booking, now), before: viewBooking(outcome.before, now) };
    case "unchanged":
      return { ...outcome, booking: viewBooking(outcome.booking, now) };
    case "stale":
      return outcome;
    case "refused":
      return viewRefusal(outcome);
  }
}

function viewRefusal(refused: Extract<CoreOutcome, { outcome: "refused" }>): RescheduleOutcome {
  switch (refused.reason) {
    case "unknown_booking":
    case "hold_lapsed":
    case "cancelled":
    case "attended":
    case "forbidden_by_policy":
      return { outcome: "refused", reason: refused.reason };
    case "price_differs":
      return { outcome: "refused", reason: refused.reason, agreed: refused.agreed, asked: refused.asked };
    default:
      return { outcome: "refused", ...viewTimeRefusal(refused) };
  }
}
