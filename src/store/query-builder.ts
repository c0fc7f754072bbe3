import {
  type AliasedRawBuilder,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from "kysely";
import type { Tables } from "./tables.ts";

/** Kysely builds and types our SQL, each name qualified with the schema; the database adapter sends it. */
export interface QueryBuilder {
  readonly db: Kysely<Tables>;
  /** Our table or function of this name, for raw SQL. */
  readonly named: (name: string) => RawBuilder<unknown>;
}

export function queryBuilder(schema: string): QueryBuilder {
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }).withSchema(schema);
  return { db, named: (name) => sql.id(schema, name) };
}

/**
 * A parameter that is a JSON document. Statements are compiled once and sent with other documents each time, which is why the
 * placeholder stands in the text itself. It is declared as text, so that no driver guesses another type for it.
 */
export function documentAt(position: number): RawBuilder<unknown> {
  return sql.raw(`$${position}::text::jsonb`);
}

/** The only one of nearly all statements. */
export const document: RawBuilder<unknown> = documentAt(1);

/** A list of texts in the document, as an array that an index look-up can use. */
export function listed(name: string, type: "text" | "uuid", from: RawBuilder<unknown> = document): RawBuilder<string> {
  return sql<string>`any(array(select e::${sql.raw(type)} from jsonb_array_elements_text(${from} -> ${sql.lit(name)}) as e))`;
}

/** A list of objects in the document, as rows `r` of the given columns. */
export function rowsOf<Row>(name: string, columns: string): AliasedRawBuilder<Row, "r"> {
  return sql<Row>`jsonb_to_recordset(${document} -> ${sql.lit(name)})`.as<"r">(sql`r(${sql.raw(columns)})`);
}

/** The same for raw SQL, alias included. */
export function rows(name: string, columns: string, from: RawBuilder<unknown> = document): RawBuilder<unknown> {
  return sql`jsonb_to_recordset(${from} -> ${sql.lit(name)}) as r(${sql.raw(columns)})`;
}

/** Column names by commas, of a table's alias. */
export function namesOf(columns: readonly string[], alias?: string): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(alias === undefined ? column : `${alias}.${column}`)));
}

/** The statement's text. Values that differ from call to call belong into the document, so nothing may be left as a parameter. */
export function textOf({ db }: QueryBuilder, statement: RawBuilder<unknown>): string {
  const { sql: text, parameters } = statement.compile(db);
  if (parameters.length > 0) throw new Error(`a statement of ours has a parameter outside its document: ${text}`);
  return text;
}

/** A list of constants, as `in (…)` takes it. */
export function constants<Value extends string>(...values: Value[]): RawBuilder<Value> {
  return sql<Value>`(${sql.join(values.map((value) => sql.lit(value)))})`;
}
