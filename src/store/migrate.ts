import { sql } from "kysely";
import type { Database, Transaction } from "../database/port.ts";
import { migrations } from "./migrations.generated.ts";
import { queryBuilder } from "./query-builder.ts";

/** One numbered file of `migrations/`. Append-only: a file that was released never changes. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

export interface MigrateResult {
  /** Names of the migrations that this call applied, in order; empty when everything was up to date. */
  readonly applied: readonly string[];
}

// Our own key among the advisory locks of the database: one process migrates, the others wait and find it done.
const migrationLock = 0x626f6f6b_0001n;

const timeouts = { lockTimeoutMs: 60_000, statementTimeoutMs: 600_000, idleTimeoutMs: 60_000 };

export function migrate(database: Database, schema: string): Promise<MigrateResult> {
  return database.transaction(timeouts, async (transaction) => {
    await transaction.send([
      statement(`select pg_advisory_xact_lock(${migrationLock}) is null as locked`),
      statement(`create schema if not exists ${quoted(schema)}`),
      statement(bookkeeping(schema)),
    ]);
    const known = new Set(await appliedNumbers(transaction, schema));
    const missing = migrations.filter((migration) => !known.has(migration.number));
    for (const migration of missing) {
      await transaction.send([statement(migrationSql(migration, schema)), statement(recorded(migration, schema))]);
    }
    return { applied: missing.map((migration) => migration.name) };
  });
}

/** All the SQL, for people who migrate with a tool of their own. */
export function allMigrationSql(schema: string): string {
  const parts = migrations.map((migration) => `${migrationSql(migration, schema)}\n${recorded(migration, schema)};\n`);
  return [`create schema if not exists ${quoted(schema)};\n`, `${bookkeeping(schema)};\n`, ...parts].join("\n");
}

async function appliedNumbers(transaction: Transaction, schema: string): Promise<number[]> {
  const text = `select coalesce(json_agg(number), '[]')::text as result from ${quoted(schema)}.migrations`;
  const [result] = await transaction.send([statement(text)]);
  return JSON.parse(result ?? "[]") as number[];
}

function migrationSql(migration: Migration, schema: string): string {
  return migration.sql.replaceAll("{{schema}}", () => quoted(schema));
}

function bookkeeping(schema: string): string {
  return `create table if not exists ${quoted(schema)}.migrations (number integer primary key, name text not null, applied_at timestamptz not null default now())`;
}

function recorded({ number, name }: Migration, schema: string): string {
  return `insert into ${quoted(schema)}.migrations (number, name) values (${number}, '${name}')`;
}

function quoted(schema: string): string {
  return sql.id(schema).compile(queryBuilder(schema).db).sql;
}

function statement(text: string): { text: string; values: [] } {
  return { text, values: [] };
}
