import { expectGiven } from "./expect-given.ts";
import type { Database, Statement } from "./port.ts";
import {
  abortable,
  expectTime,
  joinTransaction,
  type QueryReply,
  runInside,
  type Sendable,
  type Session,
} from "./session.ts";

/** A transaction of any driver: something that sends one statement with its values, all of them texts, and answers with rows. */
export interface QueryClient {
  /** A call without `values` may carry several statements in one text (only `migrate()` makes such). */
  query(text: string, values?: string[]): Promise<QueryReply>;
}

/** A driver whose transactions run a callback: they begin before it, commit when it resolves and roll back when it rejects. */
export interface QueryDriver {
  transaction<Result>(work: (client: QueryClient) => Promise<Result>): Promise<Result>;
}

/**
 * An adapter for any PostgreSQL driver or query builder whose transactions run a callback. `within()` of such an instance takes a
 * {@link QueryClient} over your own open transaction. Recipes for Drizzle, Prisma and postgres.js: docs/databases.md.
 *
 * A transaction that is given up stops at its next statement and is rolled back by the driver; until then the driver keeps its
 * connection, so that none goes back to a pool in an unknown state.
 */
export function queryDatabase(driver: QueryDriver): Database<QueryClient> {
  expectGiven("queryDatabase", driver, "transaction", "an object with a transaction(work) method");
  return {
    transaction(options, work) {
      const running = driver.transaction((client) => {
        expectTime(options.signal);
        return runInside(sessionOf(client), options, work);
      });
      return abortable(running, options.signal);
    },
    join(client) {
      expectGiven("within", client, "query", "an object with a query(text, values) method, over your open transaction");
      return joinTransaction(client, () => sessionOf(client));
    },
  };
}

/** One query at a time over a client of the caller's. */
export function sessionOf(client: QueryClient): Session {
  return { pipelined: false, query: (statement) => sendOver(client, statement) };
}

function sendOver(client: QueryClient, statement: Sendable): Promise<QueryReply> {
  return hasValues(statement) ? client.query(statement.text, [...statement.values]) : client.query(statement.text);
}

/** Without values a text goes by the simple protocol, which alone takes several statements at once. */
export function hasValues(statement: Sendable): statement is Statement {
  return "values" in statement && statement.values.length > 0;
}
