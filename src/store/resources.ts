import { sql } from "kysely";
import type { Statement } from "../database/port.ts";
import { document, type QueryBuilder, textOf } from "./query-builder.ts";
import type { ResourceRow } from "./tables.ts";

/** What is given of a resource; the rest keeps its value, or is the default of a new one. */
export type GivenResource = Pick<ResourceRow, "id"> & {
  readonly [Column in "name" | "active" | "kind" | "capacity" | "members" | "fairness" | "rules"]?:
    | ResourceRow[Column]
    | undefined;
};

/** Creates a resource or changes it, and returns it; null where its kind, capacity and members do not fit together. */
export function putResource(q: QueryBuilder): (resource: GivenResource) => Statement {
  const { named } = q;
  const given = (name: string) => sql`(${document} -> ${sql.lit(name)})`;
  const returned = sql`id, name, active, kind, capacity, members, fairness, last_chosen_at, rules`;
  // A kind never changes: the claims that were made by it would mean something else.
  const text = textOf(
    q,
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
  return (resource) => ({ text, values: [JSON.stringify(resource)] });
}
