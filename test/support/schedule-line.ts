import { type JoinOutcome, joinWaitingList } from "../../src/core/join-waiting-list.ts";
import {
  type DeclineOutcome,
  declineOffer,
  type LeaveOutcome,
  leaveWaitingList,
} from "../../src/core/leave-waiting-list.ts";
import type { Booking } from "../../src/core/model.ts";
import type { State } from "../../src/core/state.ts";
import type { WaitingEntry } from "../../src/core/waiting-entry.ts";
import { wantsOf } from "./schedule-claiming.ts";
import { withEntry } from "./schedule-entries.ts";
import { plainState } from "./schedule-judge.ts";
import { plainEntryState } from "./schedule-line-judge.ts";
import { waits } from "./schedule-shop.ts";
import { type Pair, type Sides, type Taken, whoAsks } from "./schedule-sides.ts";
import type { ScheduleStep } from "./schedule-steps.ts";
import { tick } from "./schedule-tick.ts";

const minute = 60_000;
const quarter = (instant: number): number => instant - (instant % (15 * minute));
const noService: (typeof waits)[number] = { service: "nothing" };
type Of<Name extends ScheduleStep["do"]> = Extract<ScheduleStep, { do: Name }>;

/** Somebody waits, on both sides, for something of her own or for what a booking has. */
export async function takeJoin(sides: Sides, step: Of<"join">): Promise<Taken> {
  const liked = step.like === null ? undefined : sides.pair({ booking: step.like, among: "standing" });
  const { service: id, resources } =
    waits.find(({ service }) => service === liked?.wish.service) ?? waits[step.what % waits.length] ?? noService;
  const start = liked === undefined ? quarter(sides.now) + step.fromMs : sides.booking(liked).interval.start;
  const window = { start, end: start + step.lengthMs };
  const customer = `customer-${step.customer}`;
  const { quantity, requestId } = step;
  const database = await sides.shop.waitlist.join({
    customer,
    service: id,
    quantity,
    from: new Date(window.start),
    to: new Date(window.end),
    consent: { text: "tell me" },
    ...(resources !== undefined && { resources }),
    ...(requestId !== null && { requestId }),
  });
  const service = sides.services.get(id);
  if (service?.active !== true) {
    const answer = { outcome: "refused", reason: "unknown_service" };
    return { database, model: answer, answer, plausible: true };
  }
  const { durationMs } = service;
  const wants = wantsOf(resources) ?? null;
  const digest = JSON.stringify([id, wants, quantity, window]);
  const consent = { text: "tell me", at: null };
  const asked = { customer, service: id, wants, quantity, window, durationMs, consent, requestId, digest };
  const decision = joinWaitingList(sides.state, { ...asked, actor: customer }, sides.context());
  if (database.outcome === "joined" && decision.outcome.outcome === "joined")
    sides.entries.push({ model: decision.outcome.entry.id, id: database.entry.id });
  const { now, policies } = sides;
  const taken = sides.taken(database, decision, (answer: JoinOutcome, state) => {
    const hers = [...state.entries.values()].filter((entry) => entry.customer === customer);
    const standing = hers.filter((entry) => isInLine(state, entry, now));
    const known = hers.find((entry) => requestId !== null && entry.requestId === requestId);
    switch (answer.outcome === "refused" ? answer.reason : answer.outcome) {
      case "joined":
        return (
          known === undefined &&
          standing.every((entry) => entry.digest !== digest) &&
          standing.length < policies.waitingList.maxEntriesPerCustomer &&
          window.end - window.start >= durationMs &&
          now < window.end - durationMs
        );
      case "existing":
        return (known ?? standing.find((entry) => entry.digest === digest))?.digest === digest;
      case "idempotency_conflict":
        return known !== undefined && known.digest !== digest;
      case "window_too_short":
        return window.end - window.start < durationMs;
      case "in_past":
        return window.end - durationMs <= now;
      case "too_many_entries":
        return standing.length >= policies.waitingList.maxEntriesPerCustomer;
    }
  });
  return withEntry(sides, taken, database, decision.outcome);
}

/** Somebody leaves the line on both sides. */
export async function takeLeave(sides: Sides, step: Of<"leave">): Promise<Taken | null> {
  const pair = sides.entries.at(-1 - (step.entry % Math.max(1, sides.entries.length)));
  const entry = sides.state.entries.get(pair?.model ?? "");
  if (pair === undefined || entry === undefined) return null;
  const { verb, core } = whoAsks(step.by, entry.customer);
  const database = await sides.shop.waitlist.leave({ entryId: pair.id, ...verb });
  const decision = leaveWaitingList(sides.state, { entryId: entry.id, ...core }, sides.context());
  const { now } = sides;
  const judge = (answer: LeaveOutcome, state: State): boolean => {
    if (step.by === "stranger" || answer.outcome === "refused")
      return step.by === "stranger" && answer.outcome === "refused";
    const was = plainEntryState(state, entry, now);
    if (answer.outcome === "already_over") return !isInLine(state, entry, now);
    const { released } = answer;
    return (
      isInLine(state, entry, now) &&
      sides.state.entries.get(entry.id)?.state === "left" &&
      (released !== null) === (was === "offered") &&
      (released === null || sides.state.bookings.get(released.id)?.state === "cancelled")
    );
  };
  const freed = (answer: LeaveOutcome): Booking | null => (answer.outcome === "left" ? answer.released : null);
  const taken = sides.taken(database, decision, judge, freed);
  return withEntry(sides, taken, database, decision.outcome);
}

/** "Not this one", on both sides. */
export async function takeDecline(sides: Sides, step: Of<"decline">): Promise<Taken | null> {
  const pair = offerOf(sides, step.offer);
  if (pair === undefined) return null;
  const { verb, core } = sides.who("owner", pair);
  const database = await sides.shop.waitlist.decline({ bookingId: pair.id, ...verb });
  const decision = declineOffer(sides.state, { bookingId: pair.model, ...core }, sides.context());
  const was = plainState(sides.booking(pair), sides.now);
  const judge = (answer: DeclineOutcome): boolean => {
    if (answer.outcome === "refused") return answer.reason === "already_confirmed" && was === "confirmed";
    const isGone = sides.booking(pair).state === "cancelled";
    return answer.outcome === "declined" ? was === "held" && isGone : was === "over" || was === "cancelled";
  };
  return sides.taken(database, decision, judge, (answer) => (answer.outcome === "declined" ? answer.booking : null));
}

/** An offer is accepted as every hold is: what costs nothing is confirmed, everything else is paid. */
export function acceptanceOf(sides: Sides, { offer }: Of<"accept">): Of<"confirm"> | Of<"receipt"> | null {
  const pair = offerOf(sides, offer);
  if (pair === undefined) return null;
  const about = { booking: sides.pairs.length - 1 - sides.pairs.indexOf(pair), among: "all" as const };
  return pair.price === null ? { ...about, do: "confirm", by: "owner" } : { ...about, do: "receipt", id: null };
}

export async function takeTick(sides: Sides): Promise<Taken> {
  const database = await sides.shop.waitlist.tick();
  const ticked = tick(sides, null);
  const answer = { outcome: ticked.offers.length > 0 ? "offered" : "nothing to offer" };
  return { database, model: ticked.report, answer, plausible: true, ticked };
}

function offerOf(sides: Sides, offer: number): Pair | undefined {
  const offers = sides.pairs.filter((pair) => sides.booking(pair).waitlistEntryId !== null);
  return offers.at(-1 - (offer % Math.max(1, offers.length)));
}

function isInLine(state: State, entry: WaitingEntry, now: number): boolean {
  return ["waiting", "unservable", "offered"].includes(plainEntryState(state, entry, now));
}
