import { sql } from "kysely";
import type { Database } from "../database/port.ts";
import { queryBuilder, textOf } from "../store/query-builder.ts";

/** Moves the clock that every decision reads (never PostgreSQL's own), for all processes on the database at once. */
export interface DatabaseClock {
  /** Moves it forward by so many milliseconds from where it is. */
  advance(milliseconds: number): Promise<void>;
  /** Puts it back to PostgreSQL's clock. */
  reset(): Promise<void>;
}

const timeouts = { lockTimeoutMs: 10_000, statementTimeoutMs: 10_000, idleTimeoutMs: 10_000 };

/**
 * The test clock of a database. Only for tests and demos: a hold of ten minutes lapses at once after `advance(600_000)`.
 *
 * @example
 * ```ts
 * import { pgDatabase } from "bookonce/pg";
 * import { databaseClock } from "bookonce/testing";
 *
 * const clock = databaseClock(pgDatabase({ connectionString: "postgres://localhost/test" }));
 * await clock.advance(10 * 60_000);
 * await clock.reset();
 * ```
 */
export function databaseClock(database: Database<never>, schema = "bookonce"): DatabaseClock {
  const queries = queryBuilder(schema);
  let offsetMs = 0;
  const replace = async (): Promise<void> => {
    const body = offsetMs === 0 ? "" : ` + interval '${Math.round(offsetMs)} milliseconds'`;
    const text = textOf(
      queries,
      sql`create or replace function ${queries.named("clock")}() returns timestamptz language sql volatile parallel restricted
        as ${sql.lit(`select pg_catalog.clock_timestamp()${body}`)}`,
    );
    await database.transaction(timeouts, (transaction) => transaction.send([{ text, values: [] }], { last: true }));
  };
  return {
    async advance(milliseconds) {
      offsetMs += milliseconds;
      await replace();
    },
    async reset() {
      offsetMs = 0;
      await replace();
    },
  };
}
