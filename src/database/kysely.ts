import { randomUUID } from "node:crypto";
import { expectGiven } from "./expect-given.ts";
import type { Database } from "./port.ts";
import { hasValues } from "./query.ts";
import {
  abortable,
  expectTime,
  joinTransaction,
  type QueryReply,
  runTransaction,
  type Sendable,
  type Session,
} from "./session.ts";

/** What `within()` takes: a `Transaction` or `ControlledTransaction` of your Kysely, which fits as it is. */
export interface KyselyTransaction {
  withoutPlugins(): KyselyExecutor;
}

export interface KyselyExecutor {
  executeQuery(query: KyselyQuery): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A `CompiledQuery` of Kysely's, made of plain SQL. */
export interface KyselyQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: {
    readonly kind: "RawNode";
    readonly sqlFragments: readonly string[];
    readonly parameters: readonly [];
  };
  readonly queryId: { readonly queryId: string };
}

/** The part of a `Kysely` instance that we use, of any version from 0.27 on and whatever its tables. */
export interface KyselyInstance {
  withoutPlugins(): {
    connection(): { execute<Result>(callback: (connection: KyselyExecutor) => Promise<Result>): Promise<Result> };
  };
}

/**
 * The Kysely adapter: uses your instance, with its dialect and pool, for transactions of our own and of yours.
 *
 * Kysely does not listen to the errors of a connection in use, and an error event nobody listens to ends the process: give your pool
 * a listener for them, as below, and a server that restarts costs you an error instead.
 *
 * @example
 * ```ts
 * import { createBookonce } from "bookonce";
 * import { kyselyDatabase } from "bookonce/kysely";
 * import { Kysely, PostgresDialect } from "kysely";
 * import pg from "pg";
 *
 * const pool = new pg.Pool({ connectionString: "postgres://localhost/bot" });
 * pool.on("error", console.error).on("connect", (client) => client.on("error", console.error));
 * const db = new Kysely<{ orders: { id: string } }>({ dialect: new PostgresDialect({ pool }) });
 * const bookonce = createBookonce({ database: kyselyDatabase(db) });
 *
 * export async function order(id: string, bookingId: string) {
 *   await db.transaction().execute(async (trx) => {
 *     await trx.insertInto("orders").values({ id }).execute();
 *     await bookonce.within(trx).cancel({ bookingId, administrator: "shop" });
 *   });
 * }
 * ```
 */
export function kyselyDatabase(db: KyselyInstance): Database<KyselyTransaction> {
  expectGiven("kyselyDatabase", db, "withoutPlugins", "an instance of Kysely");
  return {
    transaction(options, work) {
      const running = db
        .withoutPlugins()
        .connection()
        .execute((connection) => {
          // A connection that comes after the give-up goes straight back.
          expectTime(options.signal);
          return runTransaction(sessionOf(connection), options, work);
        });
      // Kysely has no way to throw a connection away. So the caller is told at once when the time is over, but Kysely gets its
      // connection back only when what was sent has been answered (our statement time-out sees to that) and rolled back.
      return abortable(running, options.signal);
    },
    // A plugin might rename our column or parse its JSON.
    join(transaction) {
      expectGiven("within", transaction, "withoutPlugins", "a transaction of Kysely's");
      return joinTransaction(transaction, () => sessionOf(transaction.withoutPlugins()));
    },
  };
}

function sessionOf(executor: KyselyExecutor): Session {
  return {
    pipelined: false,
    async query(statement: Sendable): Promise<QueryReply> {
      const { rows } = await executor.executeQuery(rawQuery(statement));
      // From 0.29 on Kysely's PostgreSQL driver answers COMMIT with its command tag, as a row.
      const [row] = rows;
      const tagged = typeof row === "object" && row !== null && "command" in row && typeof row.command === "string";
      return tagged ? { rows, command: String(row.command) } : { rows };
    },
  };
}

// What `CompiledQuery.raw()` returns, made here so that it is the user's Kysely alone that runs.
function rawQuery(statement: Sendable): KyselyQuery {
  return {
    sql: statement.text,
    parameters: hasValues(statement) ? [...statement.values] : [],
    query: { kind: "RawNode", sqlFragments: [statement.text], parameters: [] },
    queryId: { queryId: randomUUID() },
  };
}
