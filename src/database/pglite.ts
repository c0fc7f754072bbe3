import { BookonceError } from "../core/error.ts";
import { expectGiven } from "./expect-given.ts";
import type { Database } from "./port.ts";
import { type QueryClient, queryDatabase, sessionOf } from "./query.ts";
import { joinTransaction } from "./session.ts";

/** What `within()` takes: the transaction that `pglite.transaction()` passes to your callback. */
export interface PgliteTransaction {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  exec(text: string): Promise<{ rows: unknown[] }[]>;
}

/** The part of a `PGlite` that we use. */
export interface PgliteInstance {
  transaction<Result>(callback: (transaction: PgliteTransaction) => Promise<Result>): Promise<Result>;
}

/**
 * The PGlite adapter: PostgreSQL inside the process, for tests, demos and small tools. It has one connection, so transactions run one
 * after another and no statement can be given up while it runs; for a bot in production use a server.
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite";
 * import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
 * import { createBookonce } from "bookonce";
 * import { pgliteDatabase } from "bookonce/pglite";
 *
 * const pglite = await PGlite.create({ extensions: { btree_gist } });
 * export const bookonce = createBookonce({ database: pgliteDatabase(pglite) });
 * await bookonce.migrate();
 * ```
 *
 * @throws BookonceError `not_migrated`, from `migrate()`: PGlite was created without the btree_gist extension.
 */
export function pgliteDatabase(pglite: PgliteInstance): Database<PgliteTransaction> {
  expectGiven("pgliteDatabase", pglite, "transaction", "an instance of PGlite");
  const database = queryDatabase({
    transaction: (work) => pglite.transaction((transaction) => work(clientOf(transaction))),
  });
  return {
    transaction: (options, work) => database.transaction(options, work),
    join(transaction) {
      expectGiven("within", transaction, "query", "a transaction of PGlite's");
      return joinTransaction(transaction, () => sessionOf(clientOf(transaction)));
    },
  };
}

function clientOf(transaction: PgliteTransaction): QueryClient {
  return {
    async query(text, values) {
      try {
        if (values !== undefined) return await transaction.query(text, values);
        return (await transaction.exec(text)).at(-1) ?? { rows: [] };
      } catch (error) {
        throw isMissingExtension(error) ? missingExtension(error) : error;
      }
    },
  };
}

function isMissingExtension(error: unknown): boolean {
  return error instanceof Error && /extension "?btree_gist"? is not available|btree_gist\.control/i.test(error.message);
}

function missingExtension(cause: unknown): BookonceError {
  return new BookonceError(
    "not_migrated",
    'bookonce needs the btree_gist extension: import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist" and create PGlite with { extensions: { btree_gist } }.',
    { cause },
  );
}
