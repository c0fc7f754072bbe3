import { sql } from "kysely";
import { z } from "zod";
import type { Resource } from "../core/model.ts";
import type { Engine } from "../engine/engine.ts";
import { toResource } from "../store/mapping.ts";
import { document, textOf } from "../store/query-builder.ts";
import type { Store } from "../store/store.ts";
import type { ResourceRow } from "../store/tables.ts";
import { identifier, parseInput, text } from "./input.ts";
import { read } from "./reader.ts";

/** What can be booked. */
export interface Resources {
  /**
   * Creates a resource or changes it; what is left out keeps its value.
   *
   * @example
   * ```ts
   * import type { Bookonce } from "bookonce";
   *
   * export async function hire(bookonce: Bookonce) {
   *   await bookonce.resources.put({ id: "anna", name: "Anna" });
   *   await bookonce.resources.put({ id: "boris", active: false }); // takes no new bookings; those he has stay
   * }
   * ```
   */
  put(resource: { readonly id: string; readonly name?: string; readonly active?: boolean }): Promise<Resource>;
  list(): Promise<readonly Resource[]>;
}

const schema = z.strictObject({ id: identifier, name: text(200).optional(), active: z.boolean().optional() });

export function resources(engine: Engine, store: Store): Resources {
  const { named } = store.queries;
  const upsert = textOf(
    store.queries,
    sql`with r as (
      insert into ${named("resources")} as old (id, name, active, created_at)
      values (${document} ->> 'id', coalesce(${document} ->> 'name', ${document} ->> 'id'),
        coalesce((${document} ->> 'active')::boolean, true), ${named("clock")}())
      on conflict (id) do update set name = coalesce(${document} ->> 'name', old.name),
        active = coalesce((${document} ->> 'active')::boolean, old.active)
      returning id, name, active
    ) select row_to_json(r)::text as result from r`,
  );
  type Row = Pick<ResourceRow, "id" | "name" | "active">;
  return {
    async put(resource) {
      const values = [JSON.stringify(parseInput("resources.put", schema, resource))];
      return toResource(await read<Row>(engine, { text: upsert, values }));
    },
    async list() {
      return (await read<Row[]>(engine, store.lookups.resources())).map(toResource);
    },
  };
}
