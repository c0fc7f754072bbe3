import { randomBytes } from "node:crypto";
import type { Database, Statement, StatementResult, TransactionOptions } from "../../database/port.ts";

/** What is tested: a database as your adapter makes it, opened afresh for every check. */
export interface ConformanceDatabase<Caller> {
  readonly database: Database<Caller>;
  /** Runs `work` in a transaction that the driver itself opened: committed when it resolves, rolled back when it rejects. */
  callerTransaction<Result>(work: (caller: Caller) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** One check with a database of its own and a table `t (id text primary key)` in a schema that is dropped afterwards. */
export interface Scratch<Caller> extends ConformanceDatabase<Caller> {
  readonly connections: number;
  /** The table's qualified name. */
  readonly table: string;
  insert(id: string): Statement;
  /** The ids in the table, sorted, in the form that {@link Scratch.ids} reads. */
  readonly select: Statement;
  /** The ids that a transaction of its own sees. */
  ids(): Promise<string[]>;
}

export type Check<Caller> = (scratch: Scratch<Caller>) => Promise<void>;

/** Time-outs that no check runs into by accident. */
export const patient: TransactionOptions = { lockTimeoutMs: 10_000, statementTimeoutMs: 10_000, idleTimeoutMs: 10_000 };

/** A statement without values. */
export function statement(text: string): Statement {
  return { text, values: [] };
}

/** Opens a database, makes the table, runs the check, and cleans up whatever happened. */
export async function runCheck<Caller>(
  opened: ConformanceDatabase<Caller>,
  connections: number,
  check: Check<Caller>,
): Promise<void> {
  const { database } = opened;
  const schema = `bookonce_conformance_${randomBytes(6).toString("hex")}`;
  const table = `${schema}.t`;
  const run = (texts: string[]): Promise<readonly StatementResult[]> =>
    database.transaction(patient, (transaction) => transaction.send(texts.map(statement), { last: true }));
  const select = statement(`select coalesce(json_agg(id order by id), '[]')::text as result from ${table}`);
  await run([`create schema ${schema}`, `create table ${table} (id text primary key)`]);
  try {
    await check({
      ...opened,
      connections,
      table,
      insert: (id) => ({ text: `insert into ${table} (id) values ($1::text)`, values: [id] }),
      select,
      ids: async () => parseIds((await run([select.text]))[0]),
    });
  } finally {
    await run([`drop schema ${schema} cascade`]);
  }
}

export function parseIds(result: StatementResult | undefined): string[] {
  const ids: unknown = JSON.parse(result ?? "[]");
  return Array.isArray(ids) ? ids.map(String) : [];
}
