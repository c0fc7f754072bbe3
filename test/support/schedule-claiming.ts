import type { ReserveSlotInput, WantInput } from "bookonce";
import type { Want } from "../../src/core/model.ts";
import { type RescheduleOutcome, reschedule } from "../../src/core/reschedule.ts";
import { type ReserveOutcome, reserveSlot } from "../../src/core/reserve-slot.ts";
import type { State } from "../../src/core/state.ts";
import { timesPrice } from "../../src/verbs/party.ts";
import { anchorAt, askFor, wantedOf } from "../../src/verbs/wanted.ts";
import { plainState, plausible } from "./schedule-judge.ts";
import { placedRightly } from "./schedule-places.ts";
import { type Wish, wishes } from "./schedule-shop.ts";
import type { Pair, Sides, Taken } from "./schedule-sides.ts";
import type { ScheduleStep } from "./schedule-steps.ts";

const minute = 60_000;
const stars = { amount: 501, currency: "XTR" };

const wishOf = (what: number): Wish => wishes[what % wishes.length] ?? {};
const quarter = (instant: number): number => instant - (instant % (15 * minute));

/** A place is asked for on both sides. */
export async function takeReserve(sides: Sides, step: Extract<ScheduleStep, { do: "reserve" }>): Promise<Taken> {
  const liked = step.like === null ? undefined : sides.pair({ booking: step.like, among: "standing" });
  const wish = liked?.wish ?? wishOf(step.what);
  const sameStart = liked === undefined ? 0 : sides.booking(liked).interval.start;
  // Of what is long past nobody wants the same.
  const start = sameStart > sides.now - 1_000 ? sameStart : quarter(sides.now) + step.startsInMs;
  const service = sides.services.get(wish.service ?? "") ?? null;
  const customer = `customer-${step.customer}`;
  const { quantity, requestId } = step;
  const replaced =
    step.replaces === null
      ? undefined
      : (sides.holdOf(customer) ?? sides.pair({ booking: step.replaces, among: "all" }));
  const claim = step.how === "at_checkout" ? ("at_checkout" as const) : ("now" as const);
  const free = step.how === "confirm" || step.how === "free";
  // A free service has no checkout, and none of its own can be told to have one.
  const ofService = service !== null && claim === "now" ? timesPrice(service.price, quantity) : stars;
  const price = free ? null : ofService;
  const given = free ? { price: null } : service === null || claim === "at_checkout" ? { price: stars } : {};
  const input: ReserveSlotInput = {
    customer,
    start: new Date(start),
    quantity,
    claim,
    confirm: step.how === "confirm",
    ...given,
    ...(wish.service !== undefined && { service: wish.service }),
    ...(wish.resources !== undefined && { resources: wish.resources }),
    ...(wish.minutes !== undefined && { duration: { minutes: wish.minutes } }),
    ...(wish.after !== undefined && { buffers: { after: { minutes: wish.after } } }),
    ...(requestId !== null && { requestId }),
    ...(replaced !== undefined && { replaces: replaced.id }),
  };
  const end = start + (service?.durationMs ?? (wish.minutes ?? 0) * minute);
  const named = service === null ? null : { id: service.id, definition: service };
  const asked = askFor(named, wantsOf(wish.resources), { start, end }, quantity);
  const buffers = service?.buffers ?? { beforeMs: 0, afterMs: (wish.after ?? 0) * minute };
  const wanted = wantedOf({ ...asked, buffers }, customer);
  const confirm = step.how === "confirm";
  const command = {
    ...wanted,
    payer: customer,
    anchor: anchorAt(start, wanted.rules),
    agreed: false,
    service: service?.id ?? null,
    price,
    claim,
    confirm,
    holdMs: null,
    replaces: replaced?.model ?? null,
    requestId,
    requestDigest: JSON.stringify([service?.id, wanted.wants, start, end, buffers, price, claim, confirm]),
    title: null,
    data: {},
    actor: customer,
  };
  const database = await sides.shop.reserveSlot(input);
  const decision = reserveSlot(sides.state, command, sides.context());
  if (database.outcome === "reserved" && decision.outcome.outcome === "reserved") {
    const { id, payload, price: agreed } = database.booking;
    const provider = sides.nextProvider();
    const model = decision.outcome.booking.id;
    sides.pairs.push({ model, id, payload, payer: customer, price: agreed, provider, wish });
  }
  const judge = (answer: ReserveOutcome, state: State): boolean => {
    const { now } = sides;
    const mine = [...state.bookings.values()].filter((booking) => booking.customer === customer);
    const old = replaced === undefined ? undefined : state.bookings.get(replaced.model);
    const gone = old === undefined || ["confirmed", "cancelled"].includes(plainState(old, now));
    const same = requestId !== null && mine.some((booking) => booking.requestId === requestId);
    switch ("reason" in answer ? answer.reason : answer.outcome) {
      case "existing":
        return same || mine.some((booking) => booking.interval.start === start && plainState(booking, now) !== "over");
      case "idempotency_conflict":
        return same;
      case "unknown_booking":
        return replaced !== undefined && (gone || old?.customer !== customer);
    }
    const held = claim === "now" && !(price === null && confirm);
    return placedRightly({
      state,
      now,
      wanted,
      without: replaced?.model ?? null,
      answer,
      made: answer.outcome === "reserved" ? answer.booking : undefined,
      maxHolds: held ? sides.policies.maxLiveHoldsPerCustomer : null,
    });
  };
  return sides.taken(database, decision, judge, (answer) => (answer.outcome === "reserved" ? answer.replaced : null));
}

/** A booking is moved on both sides. */
export async function takeReschedule(
  sides: Sides,
  step: Extract<ScheduleStep, { do: "reschedule" }>,
  pair: Pair,
): Promise<Taken> {
  const booking = sides.booking(pair);
  const service = sides.services.get(booking.service ?? "") ?? null;
  const wish = step.what === null ? {} : wishOf(step.what);
  const start = quarter(sides.now) + step.startsInMs;
  const length = wish.minutes === undefined ? booking.interval.end - booking.interval.start : wish.minutes * minute;
  const other = { amount: 499, currency: "XTR" };
  const database = await sides.shop.reschedule({
    bookingId: pair.id,
    start: new Date(start),
    ...sides.who(step.by, pair).verb,
    ...(wish.resources !== undefined && { resources: wish.resources }),
    ...(wish.minutes !== undefined && { duration: { minutes: wish.minutes } }),
    ...(step.price === "other" && { price: other }),
  });
  const named = service === null ? null : { id: service.id, definition: service };
  const asked = askFor(named, wantsOf(wish.resources) ?? booking.wants, { start, end: start + length }, 1);
  const wanted = wantedOf({ ...asked, buffers: booking.buffers }, booking.customer);
  const command = {
    bookingId: pair.model,
    version: booking.version,
    ...sides.who(step.by, pair).core,
    wanted,
    anchor: anchorAt(start, wanted.rules),
    agreed: false,
    price: step.price === "other" ? other : undefined,
  };
  const judge = (answer: RescheduleOutcome, state: State): boolean => {
    const { now } = sides;
    const after = sides.booking(pair);
    const place = {
      state,
      now,
      wanted: step.by === "administrator" ? { ...wanted, customer: null } : wanted,
      without: booking.id,
      answer,
      made: after,
      maxHolds: null,
    };
    return plausible({ step, before: booking, after, state, now, answer }) && placedRightly(place);
  };
  const decision = reschedule(sides.state, command, sides.context());
  return sides.taken(database, decision, judge, (answer) => (answer.outcome === "rescheduled" ? answer.before : null));
}

/** As the verbs read them: sorted, so that the same wants are the same. */
export function wantsOf(resources: readonly WantInput[] | undefined): Want[] | undefined {
  return resources
    ?.map((want) => (typeof want === "string" ? { resource: want, quantity: 1 } : want))
    .sort((left, right) => (left.resource < right.resource ? -1 : 1));
}
