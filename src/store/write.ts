import { type RawBuilder, sql } from "kysely";
import type { Changes, State } from "../core/state.ts";
import type { Statement } from "../database/port.ts";
import { primaryKeys, types } from "./columns.ts";
import { documentAt, namesOf, type QueryBuilder, textOf } from "./query-builder.ts";
import { type Write, writesOf } from "./writes.ts";

/** Writes what the decisions of a batch changed: one statement where that is possible, or one for changed rows and one for new ones. */
export interface Writer {
  statements(before: State, changes: readonly Changes[]): Statement[];
}

export function writer(q: QueryBuilder): Writer {
  const texts = new Map<string, string>();
  const statement = (writes: readonly Write[]): Statement => {
    const name = JSON.stringify(writes.map(({ kind, table, columns }) => [kind, table, columns]));
    const text = texts.get(name) ?? writeText(q, writes);
    texts.set(name, text);
    return { text, values: writes.map(({ rows }) => JSON.stringify(rows)) };
  };
  return {
    statements: (before, changes) => flightOf(writesOf(before, changes)).map(statement),
  };
}

/**
 * Where one table has both, its changed rows go first: a claim must be closed before another can take its place, and an approval void
 * before another stands. The parts of one statement come in no order; keys between tables are checked at its end.
 */
function flightOf(writes: readonly Write[]): (readonly Write[])[] {
  if (writes.length === 0) return [];
  const updates = writes.filter(({ kind }) => kind === "update");
  const inserts = writes.filter(({ kind }) => kind === "insert");
  const inOrder = updates.some(({ table }) => inserts.some((insert) => insert.table === table));
  return inOrder ? [updates, inserts] : [writes];
}

function writeText(q: QueryBuilder, writes: readonly Write[]): string {
  const parts = writes.map((write, index) => {
    const rows = recordset(write, index + 1);
    return write.kind === "insert" ? insertInto(q, write, rows) : update(q, write, rows);
  });
  return textOf(q, sql`with ${sql.join(parts)} select null as result`);
}

/** The rows of a document. Each table has a document of its own, which is parsed once. */
function recordset(write: Write, position: number): RawBuilder<unknown> {
  const typesOfTable: Readonly<Record<string, string>> = types[write.table];
  const names = write.kind === "update" ? [...primaryKeys[write.table], ...write.columns] : write.columns;
  const definitions = names.map((name) => sql`${sql.ref(name)} ${sql.raw(typesOfTable[name] ?? "")}`);
  return sql`jsonb_to_recordset(${documentAt(position)}) as r(${sql.join(definitions)})`;
}

function insertInto(q: QueryBuilder, { table, columns }: Write, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  const names = namesOf(columns);
  const onConflict = table === "events" ? sql` on conflict do nothing` : sql``;
  return sql`${sql.ref(`${table}_inserted`)} as (
    insert into ${q.named(table)} (${names}) select ${names} from ${rows}${onConflict})`;
}

function update(
  q: QueryBuilder,
  { table, columns }: Extract<Write, { kind: "update" }>,
  rows: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const changed = sql.ref(`${table}_changed`);
  const set = sql.join(columns.map((column) => sql`${sql.ref(column)} = r.${sql.ref(column)}`));
  // The lists say once more what the join says, for the planner: it takes the document for a hundred rows and would rather scan
  // the table than look up each of them.
  const isSame = primaryKeys[table].map((name) => {
    const column = sql.ref(name);
    return sql`t.${column} = r.${column} and t.${column} = any(array(select ${column} from ${changed}))`;
  });
  return sql`${changed} as materialized (select * from ${rows}),
    ${sql.ref(`${table}_updated`)} as (
      update ${q.named(table)} as t set ${set} from ${changed} as r where ${sql.join(isSame, sql` and `)})`;
}
