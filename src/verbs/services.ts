import { z } from "zod";
import type { Money } from "../core/money.ts";
import type { Engine } from "../engine/engine.ts";
import { putService } from "../store/services.ts";
import type { Store } from "../store/store.ts";
import { buffer, type Duration, identifier, longDuration, money, parseInput, text, wants } from "./input.ts";
import type { Patience } from "./patience.ts";
import { read } from "./reader.ts";
import type { Runner } from "./runner.ts";
import { checkTimeRules, type TimeRulesInput } from "./time-rules.ts";
import type { ServiceDefinition } from "./wanted.ts";

/** A resource or a pool, and how many places of it; a bare id means one. */
export type WantInput = string | { readonly resource: string; readonly quantity: number };

/** What is offered. */
export interface ServiceInput {
  readonly id: string;
  readonly name?: string;
  /** A service that is switched off takes no new bookings. Default true. */
  readonly active?: boolean;
  readonly duration: Duration;
  /** Time kept free before and after each booking. */
  readonly buffers?: { readonly before?: Duration; readonly after?: Duration };
  /** What a booking of it takes, all or none: resources, pools ("any master"), several of a counted resource. */
  readonly resources: readonly WantInput[];
  readonly price?: Money;
  /** When it is offered. Without it: at any time, and there is nothing to list. */
  readonly times?: TimeRulesInput;
  /**
   * Bookings that may start on one local day of the place. Whatever they are for: a resource's day is full with bookings of any service, and so
   * is a customer's. Only this service's bookings are refused by it.
   */
  readonly limits?: { readonly perDayPerResource?: number; readonly perDayPerCustomer?: number };
  /**
   * A group session: who books first makes it, others join until it is full. They share its exclusive resources. Where resources are needed in
   * different quantities (the room once, two mats each), the smallest is what one of its places takes.
   */
  readonly session?: { readonly capacity: number };
}

/** A service as stored. */
export interface ServiceView extends ServiceDefinition {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
}

/** What is offered: services are rows, so that every process offers the same. */
export interface Services {
  /**
   * Creates a service, or replaces it. Bookings that were made keep what they were made with.
   *
   * @example
   * ```ts
   * import type { Bookonce } from "bookonce";
   *
   * export async function open(bookonce: Bookonce) {
   *   await bookonce.resources.put({ id: "masters", kind: "pool", members: ["anna", "boris"], fairness: "least_loaded" });
   *   await bookonce.services.put({
   *     id: "haircut",
   *     duration: { minutes: 45 },
   *     buffers: { after: { minutes: 15 } },
   *     resources: ["masters"],
   *     times: {
   *       schedule: { zone: "Asia/Yekaterinburg", weekly: { monday: [{ from: "10:00", to: "19:00" }] } },
   *       grid: { stepMinutes: 30, anchor: "window" },
   *       notice: { hours: 2 },
   *       horizon: { days: 60 },
   *     },
   *   });
   * }
   * ```
   *
   * @throws BookonceError `invalid_input`, every problem named
   */
  put(service: ServiceInput): Promise<ServiceView>;
  get(id: string): Promise<ServiceView | null>;
  list(): Promise<readonly ServiceView[]>;
}

const places = z.number().int().min(1).max(100_000);

const schema = z.strictObject({
  id: identifier,
  name: text(200).optional(),
  active: z.boolean().default(true),
  duration: longDuration,
  buffers: z.strictObject({ before: buffer.optional(), after: buffer.optional() }).default({}),
  resources: wants,
  price: money.optional(),
  times: z
    .custom<TimeRulesInput>((value) => typeof value === "object" && value !== null, "must be an object")
    .optional(),
  limits: z.strictObject({ perDayPerResource: places.optional(), perDayPerCustomer: places.optional() }).default({}),
  session: z.strictObject({ capacity: places }).optional(),
});

export function services(engine: Engine, store: Store): Services {
  const upsert = putService(store.queries);
  return {
    async put(service) {
      const { id, name = id, active, ...given } = parseInput("services.put", schema, service);
      const definition: ServiceDefinition = {
        durationMs: given.duration,
        buffers: { beforeMs: given.buffers.before ?? 0, afterMs: given.buffers.after ?? 0 },
        wants: given.resources,
        price: given.price ?? null,
        rules: given.times === undefined ? null : checkTimeRules("services.put: times", given.times),
        limits: {
          perResource: given.limits.perDayPerResource ?? null,
          perCustomer: given.limits.perDayPerCustomer ?? null,
        },
        session: given.session ?? null,
      };
      return view(await read<Row>(engine, upsert({ id, name, active, definition })));
    },
    async get(id) {
      const [row] = await read<Row[]>(engine, store.lookups.services(parseInput("services.get", identifier, id)));
      return row === undefined ? null : view(row);
    },
    async list() {
      return (await read<Row[]>(engine, store.lookups.services())).map(view);
    },
  };
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly definition: unknown;
}

function view({ id, name, active, definition }: Row): ServiceView {
  // Written by put(), and only by it.
  return { id, name, active, ...(definition as ServiceDefinition) };
}

/** Reads a service for a verb, where the verb runs: inside the caller's transaction it sees what that has written. */
export type ServiceSource = (runner: Runner, id: string, options: Patience) => Promise<ServiceView | null>;

export function serviceSource(store: Store): ServiceSource {
  return async (runner, id, options) => {
    const [row] = await runner.read<Row[]>(store.lookups.services(id), options);
    return row === undefined ? null : view(row);
  };
}
