import type { ServiceView } from "bookonce";
import type { Booking } from "../../src/core/model.ts";
import type { Policies } from "../../src/core/policies.ts";
import type { State } from "../../src/core/state.ts";
import type { EntryState, WaitingEntry } from "../../src/core/waiting-entry.ts";
import { admitTime } from "../../src/verbs/time-rules.ts";
import { askFor, wantedOf } from "../../src/verbs/wanted.ts";
import { plainState } from "./schedule-judge.ts";
import { type Asking, admissible, canBeHad, holdsOf } from "./schedule-places.ts";

// The waiting list read plainly (B12): who is next, and what she is to be offered. It shares with the core the rows, the opening hours
// and how a service's wants are written; who stands in line, what is free for her and whose turn it is are found here by other means.
const quarter = 15 * 60_000;

/** The line at one instant, for the services that somebody waits for at the time in question. */
export interface Line {
  readonly state: State;
  readonly now: number;
  readonly policies: Policies;
  readonly services: ReadonlyMap<string, ServiceView>;
  /** Those that are looked at. */
  readonly served: readonly string[];
}

/** What an entry is, by the clock and by what it was offered. */
export function plainEntryState(state: State, entry: WaitingEntry, now: number): EntryState {
  if (entry.state === "used" || entry.state === "left" || entry.state === "ended") return entry.state;
  const offers = offersTo(state, entry);
  if (offers.some(({ confirmedAt }) => confirmedAt !== null)) return "used";
  if (offers.some((offer) => plainState(offer, now) === "held")) return "offered";
  return now < entry.window.end ? entry.state : "ended";
}

export interface Turn {
  readonly entry: WaitingEntry;
  readonly start: number;
}

/**
 * First come, first served, each the earliest time that fits; null: nobody can be offered anything. A line is walked once: whoever stands
 * before the one that was served last has had her turn.
 */
export function nextTurn(line: Line, last: Turn | null = null): Turn | null {
  const entries = [...line.state.entries.values()];
  const served = last === null ? line.served : line.served.slice(line.served.indexOf(last.entry.service));
  for (const id of served) {
    const service = line.services.get(id);
    if (service?.active !== true) continue;
    const from = id === last?.entry.service ? entries.findIndex((entry) => entry.id === last.entry.id) + 1 : 0;
    for (const entry of entries.slice(from)) {
      if (entry.service !== id || plainEntryState(line.state, entry, line.now) !== "waiting") continue;
      if (holdsOf({ ...line, without: null }, entry.customer) >= line.policies.maxLiveHoldsPerCustomer) continue;
      const hers = timesOf(service, entry, line.now).filter((start) =>
        canBeHad(asking(line, service, entry, start, entry.customer)),
      );
      const start = hers.find((time) => !hasPassed(line, entry, time));
      if (start !== undefined) return { entry, start };
      // Who would not have what is free, or holds as much as one may, holds nobody up.
      if (line.policies.waitingList.order === "strict" && hers.length === 0) break;
    }
  }
  return null;
}

/** Whether every entry that was looked at says what it is, and those that are over say since when. */
export function isSettled({ state, now, services, served }: Line): boolean {
  return [...state.entries.values()].every((entry) => {
    if (!served.includes(entry.service)) return true;
    const is = plainEntryState(state, entry, now);
    const isOpen = services.get(entry.service)?.active === true;
    if (is === "waiting" || is === "unservable") return isOpen === (is === "waiting") && entry.closedAt === null;
    return is === "offered" || (entry.state === is && entry.closedAt !== null);
  });
}

/** Whether the offer is what her turn was, rightly placed and held for as long as an offer is. */
export function isOfferOf(turn: Turn | null, offer: Booking, line: Line): boolean {
  if (turn === null) return false;
  const { entry, start } = turn;
  const service = line.services.get(entry.service);
  if (service === undefined) return false;
  const price = service.price && { ...service.price, amount: service.price.amount * entry.quantity };
  const { now, policies } = line;
  return (
    offer.waitlistEntryId === entry.id &&
    offer.customer === entry.customer &&
    offer.payer === entry.customer &&
    offer.service === entry.service &&
    offer.offeredStart === start &&
    offer.state === "held" &&
    offer.holdExpiresAt === Math.min(now + policies.waitingList.offerMs, start) &&
    JSON.stringify(offer.price) === JSON.stringify(price) &&
    admissible(asking(line, service, entry, start, entry.customer), offer)
  );
}

const offersTo = (state: State, { id }: WaitingEntry): Booking[] =>
  [...state.bookings.values()].filter((booking) => booking.waitlistEntryId === id);

/** Quarters of an hour when the service is open; where it has no hours, the beginning of the window. */
function timesOf({ rules, durationMs }: ServiceView, { window }: WaitingEntry, now: number): number[] {
  const first = rules === null ? window.start : Math.ceil(Math.max(window.start, now + 1) / quarter) * quarter;
  const times: number[] = [];
  for (let start = first; start + durationMs <= window.end; start += quarter) {
    const open = rules === null || admitTime(rules, { start, end: start + durationMs }, now) === null;
    if (open && start > now) times.push(start);
    if (rules === null) break;
  }
  return times;
}

function asking(
  { state, now, policies }: Line,
  service: ServiceView,
  { wants, quantity }: WaitingEntry,
  start: number,
  customer: string,
): Asking {
  const interval = { start, end: start + service.durationMs };
  const asked = askFor({ id: service.id, definition: service }, wants ?? undefined, interval, quantity);
  const wanted = wantedOf(asked, customer);
  const maxHolds = policies.maxLiveHoldsPerCustomer;
  return { state, now, wanted, without: null, answer: { outcome: "reserved" }, made: undefined, maxHolds };
}

/** She was offered it before and has not taken it, or she has it already. */
function hasPassed({ state, now, policies }: Line, entry: WaitingEntry, start: number): boolean {
  const stands = (booking: Booking): boolean => ["held", "pending", "confirmed"].includes(plainState(booking, now));
  const offered = offersTo(state, entry).some((offer) => offer.offeredStart === start && !stands(offer));
  const has = [...state.bookings.values()].some(
    ({ customer, service, interval, ...booking }) =>
      customer === entry.customer &&
      service === entry.service &&
      interval.start === start &&
      stands({ ...booking, customer, service, interval }),
  );
  return has || (offered && !policies.waitingList.offerAgain);
}
