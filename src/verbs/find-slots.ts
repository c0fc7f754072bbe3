import { z } from "zod";
import { listStarts } from "../calendar/index.ts";
import type { Wanted } from "../core/admit.ts";
import type { TimeRules } from "../core/context.ts";
import { BookonceError } from "../core/error.ts";
import { look } from "../core/look.ts";
import type { Booking } from "../core/model.ts";
import type { State } from "../core/state.ts";
import type { Instant } from "../core/time.ts";
import type { Engine } from "../engine/engine.ts";
import { type Keys, keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { withOptions } from "./call-options.ts";
import { type CallOptions, identifier, instant, invalidInput, parseInput, quantities, uuid, wants } from "./input.ts";
import { expectCountable } from "./party.ts";
import { type Patience, signalOf } from "./patience.ts";
import { ownRunner } from "./runner.ts";
import { type ServiceView, serviceSource, type WantInput } from "./services.ts";
import { type TimeRefused, viewTimeRefusal } from "./time-refused.ts";
import { admitTime, rulesOf } from "./time-rules.ts";
import { askFor, keysOf, wantedOf } from "./wanted.ts";

/** Which service, for whom, on what: the same words as `reserveSlot`. */
export interface SlotQuery {
  readonly service: string;
  /** Instead of the resources that the service names. */
  readonly resources?: readonly WantInput[];
  readonly quantity?: number;
  /** Who asks: her own live hold is shown as hers, and her limits count. */
  readonly customer?: string;
  /**
   * A booking of this customer that the time is to take the place of: the hold that `reserveSlot` would replace, or the booking that
   * `reschedule` would move. It is in no time's way, and does not count in her limits.
   */
  readonly replaces?: string;
}

export interface FindSlotsQuery extends SlotQuery {
  readonly from: Date | string;
  readonly to: Date | string;
}

/** A time that can be claimed at this instant. */
export interface Slot {
  readonly start: Date;
  readonly end: Date;
  /** How many more bookings of this kind it has room for: free members of a pool, places, seats. */
  readonly left: number;
  /**
   * The customer's own live hold is here: claiming the same again returns that hold, another time that overlaps it needs `replaces`.
   * Times that only her limit of a day keeps from her, because she holds another one, are listed when that is what they replace.
   */
  readonly own: boolean;
}

/** Why a time can be claimed, or not. */
export type SlotExplanation =
  | { readonly claimable: true; readonly slot: Slot }
  | { readonly claimable: false; readonly refused: TimeRefused };

/**
 * Free times: fast reads that may be stale when they arrive; claiming decides again, by the same function (B1, B16).
 *
 * @throws BookonceError `invalid_input`: the service is unknown or has no times, or `replaces` is no booking of the customer
 */
export interface Slots {
  find(query: FindSlotsQuery, options?: CallOptions): Promise<readonly Slot[]>;
  explain(query: ExplainQuery, options?: CallOptions): Promise<SlotExplanation>;
  nextFree(query: NextQuery, options?: CallOptions): Promise<readonly Slot[]>;
}

export type ExplainQuery = SlotQuery & { readonly start: Date | string };
export type NextQuery = SlotQuery & { readonly after?: Date | string; readonly count?: number };

const base = {
  service: identifier,
  resources: wants.optional(),
  quantity: quantities.default(1),
  customer: identifier.optional(),
  replaces: uuid.optional(),
};
const dayMs = 86_400_000;
const findSchema = z
  .strictObject({ ...base, from: instant, to: instant })
  .refine(({ from, to }) => from < to, { path: ["to"], message: "must be after from" })
  .refine(({ from, to }) => to - from <= 62 * dayMs, { path: ["to"], message: "must be at most 62 days after from" });
const explainSchema = z.strictObject({ ...base, start: instant });
const nextSchema = z.strictObject({
  ...base,
  after: instant.optional(),
  count: z.number().int().min(1).max(100).default(3),
});

type Query = z.output<typeof explainSchema> | z.output<typeof findSchema> | z.output<typeof nextSchema>;

/** How far ahead `nextFree` looks, in stretches of this length, so that a free time tomorrow costs little. */
const stretchMs = 14 * dayMs;
const stretches = 13;

export function slots(engine: Engine, store: Store): Slots {
  const runner = ownRunner(engine);
  const source = serviceSource(store);
  const serviceOf = async ({ service: id, resources, quantity }: Query, options: Patience): Promise<ServiceView> => {
    const service = await source(runner, id, options);
    if (service?.active !== true)
      throw invalidInput("slots", [{ path: "service", message: "is unknown or switched off" }]);
    expectCountable("slots", { wants: resources ?? service.wants, price: service.price, quantity });
    return service;
  };
  const snapshotOf = async (needed: Partial<Keys>, options: Patience): Promise<Snapshot> => {
    const statement = store.reader.statement(keys(needed));
    const [result = null] = await engine.transaction((tx) => tx.send([statement], { last: true }), signalOf(options));
    return store.reader.parse(result);
  };
  const between = async (service: ServiceView, query: Query, from: Instant, to: Instant, options: Patience) => {
    const snapshot = await snapshotOf(wholeRange(service, query, from, to), options);
    return slotsWithin(snapshot, service, query, from, to);
  };
  return {
    find: withOptions("slots.find", async (input: FindSlotsQuery, options) => {
      const query = parseInput("slots.find", findSchema, input);
      return between(await serviceOf(query, options), query, query.from, query.to, options);
    }),
    explain: withOptions("slots.explain", async (input: ExplainQuery, options) => {
      const query = parseInput("slots.explain", explainSchema, input);
      const service = await serviceOf(query, options);
      const needed = keysOf(wantedAt(service, query, query.start));
      const snapshot = await snapshotOf({ ...needed, bookingIds: replacedBy(query) }, options);
      const replaced = replacedIn(snapshot, query);
      const looked = slotAt(snapshot, service, query, query.start, replaced);
      return "refused" in looked ? { claimable: false, refused: looked.refused } : { claimable: true, slot: looked };
    }),
    nextFree: withOptions("slots.nextFree", async (input: NextQuery, options) => {
      const query = parseInput("slots.nextFree", nextSchema, input);
      const service = await serviceOf(query, options);
      const begin = query.after ?? (await snapshotOf({}, options)).now;
      const found: Slot[] = [];
      for (let stretch = 0; stretch < stretches && found.length < query.count; stretch += 1) {
        const from = begin + stretch * stretchMs;
        found.push(...(await between(service, query, from, from + stretchMs, options)));
      }
      return found.slice(0, query.count);
    }),
  };
}

interface Snapshot {
  readonly now: Instant;
  readonly state: State;
}

function wantedAt(service: ServiceView, query: Query, start: Instant): Wanted {
  const interval = { start, end: start + service.durationMs };
  const asked = askFor({ id: service.id, definition: service }, query.resources, interval, query.quantity);
  return wantedOf(asked, query.customer ?? null);
}

/** Everything that any start of the range looks at. */
function wholeRange(service: ServiceView, query: Query, from: Instant, to: Instant): Partial<Keys> {
  const first = wantedAt(service, query, from);
  const last = wantedAt(service, query, to);
  const range = {
    start: Math.min(first.day.start, from - first.buffers.beforeMs),
    end: Math.max(last.day.end, last.interval.end + last.buffers.afterMs),
  };
  return {
    windows: first.wants.map(({ resource }) => ({ resource, ...range, day: range })),
    customers: query.customer === undefined ? [] : [query.customer],
    bookingIds: replacedBy(query),
  };
}

function replacedBy({ replaces }: Query): string[] {
  return replaces === undefined ? [] : [replaces];
}

/** Only her own: of other people's bookings nothing is told. */
function replacedIn({ state }: Snapshot, { replaces, customer }: Query): Booking | null {
  if (replaces === undefined) return null;
  const booking = state.bookings.get(replaces);
  if (booking !== undefined && booking.customer === customer) return booking;
  throw invalidInput("slots", [{ path: "replaces", message: "is no booking of this customer" }]);
}

function slotsWithin(snapshot: Snapshot, service: ServiceView, query: Query, from: Instant, to: Instant): Slot[] {
  if (service.rules === null) {
    throw new BookonceError(
      "invalid_input",
      `slots: the service ${service.id} has no times to list; give it a schedule and a grid`,
    );
  }
  const replaced = replacedIn(snapshot, query);
  return startsOf(service, service.rules, from, to, snapshot.now)
    .map((start) => slotAt(snapshot, service, query, start, replaced))
    .filter((looked): looked is Slot => !("refused" in looked));
}

/** The starts that the calendar admits, whether or not they are taken: none by rules that nobody here can read. */
export function startsOf(service: ServiceView, rules: TimeRules, from: Instant, to: Instant, now: Instant): Instant[] {
  const known = rulesOf(rules);
  const begin = Math.max(from, now);
  if (known === null || begin >= to) return [];
  const { schedule, grid, notice, horizon } = known;
  const durationMinutes = Math.max(1, Math.round(service.durationMs / 60_000));
  const starts = listStarts({
    schedule,
    // One after another, and of what takes longer than a day one a day: a grid has no longer step.
    grid: grid ?? { stepMinutes: Math.min(durationMinutes, 24 * 60), anchor: "window" },
    ...(notice && { notice }),
    ...(horizon && { horizon }),
    from: begin,
    to,
    now,
    durationMinutes,
  });
  return starts.map((start) => start.getTime());
}

function slotAt(
  { now, state }: Snapshot,
  service: ServiceView,
  query: Query,
  start: Instant,
  replaced: Booking | null,
): Slot | { readonly refused: TimeRefused } {
  const wanted = wantedAt(service, query, start);
  const looked = look(state, wanted, { now, admitTime }, replaced);
  if ("refused" in looked) return { refused: viewTimeRefusal(looked.refused) };
  return { start: new Date(start), end: new Date(wanted.interval.end), ...looked };
}
