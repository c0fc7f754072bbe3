import { sql } from "kysely";
import type { Engine } from "../engine/engine.ts";
import { document, textOf } from "../store/query-builder.ts";
import type { Store } from "../store/store.ts";
import { identifier, parseInput } from "./input.ts";
import { read } from "./reader.ts";

/** Where a reader of somebody else's list has got to: Telegram's ledger, an external calendar. Any JSON. */
export interface Cursors {
  /** The stored value, or null. */
  get(name: string): Promise<unknown>;
  set(name: string, value: unknown): Promise<void>;
}

export function cursors(engine: Engine, store: Store): Cursors {
  const { queries } = store;
  const table = queries.named("cursors");
  const get = textOf(
    queries,
    sql`select (select value from ${table} where name = ${document} ->> 'name')::text as result`,
  );
  const set = textOf(
    queries,
    sql`with stored as (
      insert into ${table} (name, value, updated_at)
      values (${document} ->> 'name', ${document} -> 'value', ${queries.named("clock")}())
      on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at
    ) select null as result`,
  );
  return {
    get: (name) =>
      read<unknown>(engine, {
        text: get,
        values: [JSON.stringify({ name: parseInput("cursors.get", identifier, name) })],
      }),
    async set(name, value) {
      const values = [JSON.stringify({ name: parseInput("cursors.set", identifier, name), value })];
      await read<unknown>(engine, { text: set, values });
    },
  };
}
