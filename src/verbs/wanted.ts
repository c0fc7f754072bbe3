import { anchorOf, localDayOf } from "../calendar/index.ts";
import type { Wanted } from "../core/admit.ts";
import type { TimeRules } from "../core/context.ts";
import { type DayLimits, noLimits } from "../core/limits.ts";
import type { Anchor, Buffers, Want } from "../core/model.ts";
import type { Money } from "../core/money.ts";
import type { Instant, Interval } from "../core/time.ts";
import { type Keys, keys, type Window } from "../store/keys.ts";
import { timesWants } from "./party.ts";
import { type ReadyRules, rulesOf } from "./time-rules.ts";

/** A service as stored: what a booking of it takes, costs and obeys. */
export interface ServiceDefinition {
  readonly durationMs: number;
  readonly buffers: Buffers;
  readonly wants: readonly Want[];
  readonly price: Money | null;
  readonly rules: TimeRules | null;
  readonly limits: DayLimits;
  readonly session: { readonly capacity: number } | null;
}

/** What is asked for, before it has a place: a service at a time, or resources at a time. */
export interface Asked {
  readonly service: { readonly id: string; readonly definition: ServiceDefinition } | null;
  readonly wants: readonly Want[];
  readonly interval: Interval;
  readonly buffers: Buffers;
}

const noBuffers: Buffers = { beforeMs: 0, afterMs: 0 };
const dayMs = 86_400_000;

/** The resources a service needs, or those named instead; `quantity` places of each. */
export function askFor(
  service: Asked["service"],
  resources: readonly Want[] | undefined,
  interval: Interval,
  quantity: number,
): Asked {
  const needed = resources ?? service?.definition.wants ?? [];
  return {
    service,
    wants: timesWants(needed, quantity),
    interval,
    buffers: service?.definition.buffers ?? noBuffers,
  };
}

/** In the core's words. */
export function wantedOf<Customer extends string | null>(
  { service, wants, interval, buffers }: Asked,
  customer: Customer,
): Wanted & { readonly customer: Customer } {
  const rules = service?.definition.rules ?? null;
  const capacity = service?.definition.session?.capacity;
  return {
    customer,
    wants,
    interval,
    buffers,
    day: dayOf(interval.start, rules),
    rules,
    limits: service?.definition.limits ?? noLimits,
    // Whoever joins the same service at the same time on the same resources is in the same session; the first one makes it.
    session:
      service === null || capacity === undefined
        ? null
        : {
            id: `session/${service.id}/${interval.start}/${wants.map((want) => want.resource).join("+")}`,
            capacity,
          },
  };
}

// The calendar begins when all zones are in 1970. A day before is long past, and refused for that.
const firstDay = Date.UTC(1970, 0, 2);

function readAt(start: Instant, rules: TimeRules | null): ReadyRules | null {
  return rules === null || start < firstDay ? null : rulesOf(rules);
}

/** The local day in the zone of the place; without a schedule (or with one that nobody here can read), the day in UTC. */
export function dayOf(start: Instant, rules: TimeRules | null): Interval {
  const known = readAt(start, rules);
  if (known === null) {
    const begin = Math.floor(start / dayMs) * dayMs;
    return { start: begin, end: begin + dayMs };
  }
  const day = localDayOf(start, known.schedule.zone);
  return { start: day.start.getTime(), end: day.end.getTime() };
}

/** The wall time of a start in the zone of the place, and the zone data of this process. */
export function anchorAt(start: Instant, rules: TimeRules | null): Anchor | null {
  const known = readAt(start, rules);
  if (known === null) return null;
  const { date, time, zone } = anchorOf(start, known.schedule.zone);
  return { date, time, zone, zoneData: process.versions["tz"] ?? "unknown" };
}

/** What must be locked and read to judge it. */
export function keysOf(wanted: Wanted): Partial<Keys> {
  const { wants, interval, buffers, day, limits } = wanted;
  const claimed = { start: interval.start - buffers.beforeMs, end: interval.end + buffers.afterMs };
  // A limit per day looks at the whole of it.
  const seen =
    limits.perResource === null
      ? claimed
      : { start: Math.min(claimed.start, day.start), end: Math.max(claimed.end, day.end) };
  const windows: Window[] = wants.map(({ resource }) => ({ resource, ...seen, day }));
  return { windows, customers: wanted.customer === null ? [] : [wanted.customer] };
}

export function lockAndRead(wanted: Wanted, more: Partial<Keys> = {}): Keys {
  return keys({ ...keysOf(wanted), ...more });
}
