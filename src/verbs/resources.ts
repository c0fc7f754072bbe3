import { sql } from "kysely";
import { z } from "zod";
import { BookonceError } from "../core/error.ts";
import type { Fairness, Resource } from "../core/model.ts";
import type { Engine } from "../engine/engine.ts";
import { toResource } from "../store/mapping.ts";
import { document, textOf } from "../store/query-builder.ts";
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
  const { named } = store.queries;
  const given = (name: string) => sql`(${document} -> ${sql.lit(name)})`;
  const returned = sql`id, name, active, kind, capacity, members, fairness, last_chosen_at, rules`;
  // A kind never changes: the claims that were made by it would mean something else.
  const upsert = textOf(
    store.queries,
    // What is left out keeps its value: also where the checks of a new row look, which are judged before the conflict is.
    sql`with given as (
      select g.id, g.name, g.active, g.fairness, g.rules, coalesce(g.kind, r.kind, 'exclusive') as kind,
        coalesce(g.capacity, r.capacity, 1) as capacity, coalesce(g.members, r.members, '{}') as members
      from jsonb_populate_record(null::${named("resources")}, ${document}) g left join ${named("resources")} r on r.id = g.id
    ), members as (
      select coalesce(bool_and(exists (select from ${named("resources")} r where r.id = m and r.kind = 'exclusive')), true) as fit
      from given, unnest(given.members) as m
    ), stored as (
      insert into ${named("resources")} as old (id, name, active, kind, capacity, members, fairness, rules, created_at)
      select id, coalesce(name, id), coalesce(active, true), kind, capacity, given.members, coalesce(fairness, 'least_loaded'), rules,
        ${named("clock")}()
      from given, members
      where members.fit and (kind = 'counted' or capacity = 1) and (kind = 'pool') = (cardinality(given.members) > 0)
      on conflict (id) do update set
        name = case when ${given("name")} is null then old.name else excluded.name end,
        active = case when ${given("active")} is null then old.active else excluded.active end,
        capacity = case when ${given("capacity")} is null then old.capacity else excluded.capacity end,
        members = case when ${given("members")} is null then old.members else excluded.members end,
        fairness = case when ${given("fairness")} is null then old.fairness else excluded.fairness end,
        rules = case when ${given("rules")} is null then old.rules else excluded.rules end
      where ${given("kind")} is null or old.kind = excluded.kind
      returning ${returned}
    ) select row_to_json(stored)::text as result from stored`,
  );
  return {
    async put(resource) {
      const { times, ...rest } = parseInput("resources.put", schema, resource);
      const rules =
        times === undefined ? {} : { rules: times === null ? null : checkTimeRules("resources.put: times", times) };
      const row = await read<Row | null>(engine, { text: upsert, values: [JSON.stringify({ ...rest, ...rules })] });
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
