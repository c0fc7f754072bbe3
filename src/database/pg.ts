import pg from "pg";
import { ConnectionLost } from "./failure.ts";
import type { Database, Statement, Transaction, TransactionOptions } from "./port.ts";
import { abortable, joinTransaction, type QueryReply, runTransaction, type Session } from "./session.ts";

/** The part of a node-postgres pool that we use: a `pg.Pool` fits as it is. */
export interface PgPool {
  connect(): Promise<PgPoolClient>;
}

/** A client inside a transaction of yours, or anything else with node-postgres's `query(text, values)`. */
export interface PgClient {
  query(text: string, values?: string[]): Promise<QueryReply>;
}

export interface PgPoolClient extends PgClient {
  query(query: { text: string; values?: string[]; name?: string }): Promise<QueryReply>;
  query(text: string, values?: string[]): Promise<QueryReply>;
  release(destroy?: boolean | Error): void;
  /** True on a client made with `pipeline: true`. */
  readonly pipeline?: boolean;
  on?(event: "error", listener: (error: Error) => void): unknown;
  off?(event: "error", listener: (error: Error) => void): unknown;
}

/** How to reach PostgreSQL; the names are node-postgres's. What is left out comes from the environment (PGHOST …). */
export interface PgSettings {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string | (() => string | Promise<string>);
  readonly database?: string;
  readonly ssl?: boolean | object;
  /** Connections at most. Default 8: a few batches in flight use a few, and the rest is for reads and workers. */
  readonly max?: number;
  readonly connectionTimeoutMillis?: number;
}

export interface PgOptions {
  /**
   * Prepare each statement once per connection and name it. Saves the server's planning; needs a direct connection, or a pooler that
   * keeps prepared statements in transaction mode (PgBouncer from 1.21 with `max_prepared_statements`). Default false.
   */
  readonly prepare?: boolean;
}

/** A database that owns its pool; `close()` ends it. */
export interface OwnedPgDatabase extends Database<PgClient> {
  close(): Promise<void>;
}

/**
 * The node-postgres adapter. Given connection settings it makes a pool of its own, with pipelining, so that a transaction is two round
 * trips; given your pool, it uses that (and pipelines where its clients were made with `pipeline: true`).
 *
 * @example
 * ```ts
 * import { createBookonce } from "bookonce";
 * import { pgDatabase } from "bookonce/pg";
 *
 * const database = pgDatabase({ connectionString: "postgres://localhost/bot" });
 * export const bookonce = createBookonce({ database });
 * ```
 *
 * `bookonce.within(client)` takes a client on which you have sent BEGIN.
 */
export function pgDatabase(pool: PgPool, options?: PgOptions): Database<PgClient>;
export function pgDatabase(settings: PgSettings, options?: PgOptions): OwnedPgDatabase;
export function pgDatabase(
  poolOrSettings: PgPool | PgSettings,
  options: PgOptions = {},
): Database<PgClient> | OwnedPgDatabase {
  if ("connect" in poolOrSettings) return poolDatabase(poolOrSettings, options);
  const { max = 8, connectionTimeoutMillis = 10_000, ...settings } = poolOrSettings;
  const pool = new pg.Pool({ ...settings, max, connectionTimeoutMillis, pipeline: true } as pg.PoolConfig);
  // An idle connection that the server closes is replaced by the pool; without a listener the error would end the process.
  pool.on("error", () => undefined);
  return { ...poolDatabase(pool, options), close: () => pool.end() };
}

function poolDatabase(pool: PgPool, { prepare = false }: PgOptions): Database<PgClient> {
  return {
    transaction: (transactionOptions, work) => leaseConnection(pool, prepare, transactionOptions, work),
    join: (client) => joinTransaction({ pipelined: false, query: (statement) => plainQuery(client, statement) }),
  };
}

async function leaseConnection<Result>(
  pool: PgPool,
  prepare: boolean,
  options: TransactionOptions,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await connect(pool, options.signal);
  // A connection that breaks while it is ours says so in an event; the query in flight rejects too, and that is what we act on.
  const ignore = (): void => undefined;
  client.on?.("error", ignore);
  // Only an answered error leaves a usable connection; it was rolled back. After anything else the connection is thrown away.
  let broken = false;
  const session: Session = {
    pipelined: client.pipeline === true,
    async query(statement) {
      try {
        return await client.query(prepare ? named(statement) : unnamed(statement));
      } catch (error) {
        broken ||= !isAnswered(error);
        throw error;
      }
    },
  };
  try {
    return await abortable(runTransaction(session, options, work), options.signal);
  } catch (error) {
    broken ||= error instanceof ConnectionLost;
    throw error;
  } finally {
    client.off?.("error", ignore);
    client.release(broken);
  }
}

async function connect(pool: PgPool, signal: AbortSignal | undefined): Promise<PgPoolClient> {
  const connecting = pool.connect();
  try {
    return await abortable(connecting, signal);
  } catch (error) {
    // A client that comes after we gave up goes straight back.
    connecting.then(
      (client) => client.release(),
      () => undefined,
    );
    throw error;
  }
}

function isAnswered(error: unknown): boolean {
  return error instanceof Error && "severity" in error && error.severity === "ERROR";
}

type Sendable = Statement | { readonly text: string };

function unnamed(statement: Sendable): { text: string; values?: string[] } {
  return "values" in statement ? { text: statement.text, values: [...statement.values] } : { text: statement.text };
}

const names = new Map<string, string>();

/** A statement with a name is parsed and planned once per connection. Our statements are few, and the same text has the same name. */
function named(statement: Sendable): { text: string; values?: string[]; name?: string } {
  if (!("values" in statement)) return unnamed(statement);
  const name = names.get(statement.text) ?? `bookonce_${names.size + 1}`;
  names.set(statement.text, name);
  return { ...unnamed(statement), name };
}

function plainQuery(client: PgClient, statement: Sendable): Promise<QueryReply> {
  return "values" in statement ? client.query(statement.text, [...statement.values]) : client.query(statement.text);
}
