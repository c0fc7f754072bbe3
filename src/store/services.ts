import { sql } from "kysely";
import type { Statement } from "../database/port.ts";
import { document, type QueryBuilder, textOf } from "./query-builder.ts";
import type { ServiceRow } from "./tables.ts";

/** Creates a service or replaces it, and returns it. */
export function putService(q: QueryBuilder): (service: Omit<ServiceRow, "created_at">) => Statement {
  const { named } = q;
  const text = textOf(
    q,
    sql`with s as (
      insert into ${named("services")} (id, name, active, definition, created_at)
      values (${document} ->> 'id', ${document} ->> 'name', (${document} ->> 'active')::boolean, ${document} -> 'definition', ${named("clock")}())
      on conflict (id) do update set name = excluded.name, active = excluded.active, definition = excluded.definition
      returning id, name, active, definition
    ) select row_to_json(s)::text as result from s`,
  );
  return (service) => ({ text, values: [JSON.stringify(service)] });
}
