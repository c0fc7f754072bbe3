import { createHash } from "node:crypto";
import pg from "pg";
import { expectGiven } from "./expect-given.ts";
import { ConnectionLost, isAnswered } from "./failure.ts";
import { sendTogether, takesFlights } from "./pg-flight.ts";
import type { Database, Transaction, TransactionOptions } from "./port.ts";
import { hasValues, type QueryClient, sessionOf } from "./query.ts";
import {
  abortable,
  isSingle,
  joinTransaction,
  type QueryReply,
  runTransaction,
  type Sendable,
  type Session,
} from "./session.ts";

/** The part of a node-postgres pool that we use: a `pg.Pool` fits as it is. */
export interface PgPool {
  connect(): Promise<PgPoolClient>;
}

/** A client inside a transaction of yours, or anything else with node-postgres's `query(text, values)`. */
export type PgClient = QueryClient;

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
 * The node-postgres adapter. Given connection settings it makes a pool of its own; given your pool, it uses that. With either, the
 * statements of a transaction travel in two flights (only the native client sends one at a time).
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
  if (isPool(poolOrSettings)) return poolDatabase(poolOrSettings, options);
  const pool = new pg.Pool({
    // Seen in pg_stat_activity, where the question is who waits for whom.
    fallback_application_name: "bookonce",
    // A connection that a firewall has dropped is found out before a customer is.
    keepAlive: true,
    max: 8,
    connectionTimeoutMillis: 10_000,
    ...poolOrSettings,
  });
  // An error event that nobody listens to ends the process. An idle connection that the server closes is replaced by the pool; one that
  // it closes the moment it was made may say so before the caller who waits for it has had a chance to listen.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return { ...poolDatabase(pool, options), close: () => pool.end() };
}

function isPool(given: PgPool | PgSettings): given is PgPool {
  const isObject = typeof given === "object" && given !== null;
  if (isObject && !("connect" in given)) return false;
  expectGiven("pgDatabase", given, "connect", "a pool of node-postgres, or settings such as { connectionString: … }");
  return true;
}

function poolDatabase(pool: PgPool, { prepare = false }: PgOptions): Database<PgClient> {
  return {
    transaction: (transactionOptions, work) => leaseConnection(pool, prepare, transactionOptions, work),
    join(client) {
      expectGiven("within", client, "query", "a client of node-postgres on which you have sent BEGIN");
      return joinTransaction(client, () => sessionOf(client));
    },
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
  const noticing = async <Reply>(sent: Promise<Reply>): Promise<Reply> => {
    try {
      return await sent;
    } catch (error) {
      broken ||= !isAnswered(error);
      throw error;
    }
  };
  const session = flyingSession(client, prepare, noticing) ?? plainSession(client, prepare, noticing);
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

type Noticing = <Reply>(sent: Promise<Reply>) => Promise<Reply>;

/** With node-postgres's own client: everything but a text of several statements goes by flight, so that one record says what is prepared. */
function flyingSession(client: PgPoolClient, prepare: boolean, noticing: Noticing): Session | undefined {
  if (!takesFlights(client)) return undefined;
  const nameOfStatement = (statement: Sendable) => (prepare && hasValues(statement) ? nameOf(statement.text) : "");
  const together = (statements: readonly Sendable[]) => noticing(sendTogether(client, statements, nameOfStatement));
  return {
    pipelined: false,
    together,
    async query(statement) {
      if (!isSingle(statement)) return noticing(client.query(statement.text));
      const [reply = { rows: [] }] = await together([statement]);
      return reply;
    },
  };
}

function plainSession(client: PgPoolClient, prepare: boolean, noticing: Noticing): Session {
  return {
    pipelined: client.pipeline === true,
    query: (statement) => noticing(client.query(sendable(statement, prepare))),
  };
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

function sendable(statement: Sendable, prepare: boolean): { text: string; values?: string[]; name?: string } {
  if (!hasValues(statement)) return { text: statement.text };
  const query = { text: statement.text, values: [...statement.values] };
  return prepare ? { ...query, name: nameOf(statement.text) } : query;
}

const names = new Map<string, string>();

/**
 * A statement with a name is parsed and planned once per connection. The name is made of the text: a pool may be shared with another
 * copy of the package, or through a pooler with another version of it, and one name must never stand for two texts.
 */
function nameOf(text: string): string {
  const name = names.get(text) ?? `bookonce_${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
  names.set(text, name);
  return name;
}
