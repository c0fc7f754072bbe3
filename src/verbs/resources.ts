import { z } from "zod";
import { BookonceError } from "../core/error.ts";
import type { Fairness, Resource } from "../core/model.ts";
import type { Engine } from "../engine/engine.ts";
import { toResource } from "../store/mapping.ts";
import { putResource } from "../store/resources.ts";
import type { Store } from "../store/store.ts";
import type { ResourceRow } from "../store/tables.ts";
import { identifier, parseInput, text } from "./input.ts";
import { read } from "./reader.ts";
import { checkTimeRules, type TimeRulesInput } from "./time-rules.ts";

/** A resource to be created or changed; what is left out keeps its value. */
export interface ResourceInput {
  readonly id: string;
  readonly name?: string;
  /** One that is switched off takes no new bookings; those it has stay. */
  readonly active?: boolean;
  /**
   * - `exclusive` (default): a person, a chair, a room. One booking at a time.
   * - `counted`: `capacity` places; the peak inside an interval decides, not the number of bookings that overlap it.
   * - `pool`: a booking takes one free member, chosen by `fairness`.
   */
  readonly kind?: "exclusive" | "counted" | "pool";
  readonly capacity?: number;
  /** Exclusive resources, in the order that breaks ties. */
  readonly members?: readonly string[];
  /** `least_loaded` (default): the fewest bookings that day. `least_recent`: whose last choice is longest ago. */
  readonly fairness?: Fairness;
  /** Its own opening hours, beside those of the service; null: none any more. */
  readonly times?: TimeRulesInput | null;
}

/** What can be booked. */
export interface Resources {
  /**
   * Creates a resource or changes it.
   *
   * @example
   * ```ts
   * import type { Bookonce } from "bookonce";
   *
   * export async function furnish(bookonce: Bookonce) {
   *   await bookonce.resources.put({ id: "anna", name: "Anna" });
   *   await bookonce.resources.put({ id: "hall", kind: "counted", capacity: 40 });
   *   await bookonce.resources.put({ id: "masters", kind: "pool", members: ["anna", "boris"] });
   *   await bookonce.resources.put({ id: "boris", active: false }); // takes no new bookings; those he has stay
   * }
   * ```
   *
   * @throws BookonceError `invalid_input`: also for a kind that cannot change, and for members that are not exclusive resources
   */
  put(resource: ResourceInput): Promise<Resource>;
  list(): Promise<readonly Resource[]>;
}

const schema = z
  .strictObject({
    id: identifier,
    name: text(200).optional(),
    active: z.boolean().optional(),
    kind: z.enum(["exclusive", "counted", "pool"]).optional(),
    capacity: z.number().int().min(0).max(1_000_000).optional(),
    members: z.array(identifier).min(1, "must name a member").max(200, "must name at most 200 members").optional(),
    fairness: z.enum(["least_loaded", "least_recent"]).optional(),
    times: z
      .custom<TimeRulesInput>((value) => typeof value === "object" && value !== null)
      .nullable()
      .optional(),
  })
  .refine(({ members = [] }) => new Set(members).size === members.length, {
    path: ["members"],
    message: "must name each member once",
  })
  .refine(({ kind, capacity }) => capacity === undefined || kind === undefined || kind === "counted", {
    path: ["capacity"],
    message: "only a counted resource has a capacity",
  })
  .refine(({ kind, members }) => kind !== "pool" || members !== undefined, {
    path: ["members"],
    message: "a pool names its members",
  })
  .refine(({ kind, members }) => members === undefined || kind === undefined || kind === "pool", {
    path: ["members"],
    message: "only a pool has members",
  });

type Row = Omit<ResourceRow, "created_at">;

export function resources(engine: Engine, store: Store): Resources {
  const upsert = putResource(store.queries);
  return {
    async put(resource) {
      const { times, ...rest } = parseInput("resources.put", schema, resource);
      const rules =
        times === undefined ? {} : { rules: times === null ? null : checkTimeRules("resources.put: times", times) };
      const row = await read<Row | null>(engine, upsert({ ...rest, ...rules }));
      if (row === null) {
        throw new BookonceError(
          "invalid_input",
          "resources.put: the kind of a resource cannot change; only a counted one has a capacity, only a pool has members, and they must be exclusive resources that exist",
        );
      }
      return toResource(row);
    },
    async list() {
      return (await read<Row[]>(engine, store.lookups.resources())).map(toResource);
    },
  };
}
