import { sql } from "kysely";
import type { Statement } from "../database/port.ts";
import { document, type QueryBuilder, textOf } from "./query-builder.ts";

export interface CursorStatements {
  /** The stored value, or null. */
  get(name: string): Statement;
  set(name: string, value: unknown): Statement;
}

export function cursorStatements(q: QueryBuilder): CursorStatements {
  const table = q.named("cursors");
  const get = textOf(q, sql`select (select value from ${table} where name = ${document} ->> 'name')::text as result`);
  const set = textOf(
    q,
    sql`with stored as (
      insert into ${table} (name, value, updated_at)
      values (${document} ->> 'name', ${document} -> 'value', ${q.named("clock")}())
      on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at
    ) select null as result`,
  );
  return {
    get: (name) => ({ text: get, values: [JSON.stringify({ name })] }),
    set: (name, value) => ({ text: set, values: [JSON.stringify({ name, value })] }),
  };
}
