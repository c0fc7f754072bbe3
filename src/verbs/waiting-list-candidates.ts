import type { Context } from "../core/context.ts";
import type { Candidate } from "../core/offer-place.ts";
import { isFree } from "../core/plan-offers.ts";
import type { State } from "../core/state.ts";
import type { Instant, Interval } from "../core/time.ts";
import type { WaitingEntry } from "../core/waiting-entry.ts";
import type { Keys, Window } from "../store/keys.ts";
import { startsOf } from "./find-slots.ts";
import { canBeCounted, timesPrice } from "./party.ts";
import type { ServiceView } from "./services.ts";
import { anchorAt, askFor, dayOf, wantedOf } from "./wanted.ts";

/** The times that an entry could be given, free ones only, earliest first. */
export type CandidateSource = (entry: WaitingEntry) => readonly Candidate[];

/**
 * What many wait for is worked out once: the starts of a window, and whether a time is free for a party of that size on those
 * resources.
 */
export function candidateSource(
  service: ServiceView,
  state: State,
  context: Pick<Context, "now" | "admitTime">,
): CandidateSource {
  const starts = remember((window: Interval) => startsIn(service, window, context.now));
  const freeTimes = remember(({ entry, start }: { entry: WaitingEntry; start: Instant }) => {
    const candidate = candidateAt(service, entry, start);
    return isFree(state, candidate, context) ? candidate : null;
  });
  return (entry) => {
    // Counted when she joined; the service may have been changed since.
    if (!canBeCounted(partyOf(service, entry))) return [];
    const { start, end } = entry.window;
    const asked = JSON.stringify([entry.wants, entry.quantity]);
    return starts(`${start}-${end}`, entry.window)
      .map((at) => freeTimes(`${asked}@${at}`, { entry, start: at }))
      .filter((candidate) => candidate !== null);
  };
}

/** A service without times is offered at any; who waits for it waits for the start of her window. */
function startsIn(service: ServiceView, window: Interval, now: Instant): Instant[] {
  const from = Math.max(window.start, now);
  const latest = window.end - service.durationMs;
  if (from > latest) return [];
  if (service.rules === null) return window.start > now ? [window.start] : [];
  return startsOf(service, service.rules, from, latest + 1, now);
}

export function candidateAt(service: ServiceView, entry: WaitingEntry, start: Instant): Candidate {
  const interval = { start, end: start + service.durationMs };
  const asked = askFor({ id: service.id, definition: service }, entry.wants ?? undefined, interval, entry.quantity);
  return {
    service: service.id,
    wanted: wantedOf(asked, null),
    anchor: anchorAt(start, service.rules),
    price: timesPrice(service.price, entry.quantity),
    title: service.name,
  };
}

/** What she asks for at the service as it is. */
export function partyOf(
  { wants, price }: Pick<ServiceView, "wants" | "price">,
  entry: Pick<WaitingEntry, "wants" | "quantity">,
): Parameters<typeof canBeCounted>[0] {
  return { wants: entry.wants ?? wants, price, quantity: entry.quantity };
}

/** Everything that a plan for these entries looks at. Windows that touch are read as one. */
export function keysOfLine(service: ServiceView, line: readonly WaitingEntry[]): Partial<Keys> {
  const byResource = new Map<string, Interval[]>();
  for (const { wants, window } of line) {
    const first = dayOf(window.start, service.rules);
    const last = dayOf(window.end, service.rules);
    const range = {
      start: Math.min(first.start, window.start - service.buffers.beforeMs),
      end: Math.max(last.end, window.end + service.buffers.afterMs),
    };
    for (const { resource } of wants ?? service.wants)
      byResource.set(resource, [...(byResource.get(resource) ?? []), range]);
  }
  const windows: Window[] = [...byResource].flatMap(([resource, ranges]) =>
    merged(ranges).map((range) => ({ resource, ...range, day: range })),
  );
  return {
    windows,
    customers: [...new Set(line.map((entry) => entry.customer))],
    entryIds: line.map((entry) => entry.id),
  };
}

function merged(ranges: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const range of ranges.toSorted((left, right) => left.start - right.start)) {
    const last = result.at(-1);
    if (last === undefined || last.end < range.start) result.push(range);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return result;
}

function remember<Input, Output>(work: (input: Input) => Output): (key: string, input: Input) => Output {
  const known = new Map<string, Output>();
  return (key, input) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = work(input);
    known.set(key, made);
    return made;
  };
}
