import { createBookonce, type Verbs } from "bookonce";
import { kyselyDatabase } from "bookonce/kysely";
import { pgDatabase } from "bookonce/pg";
import { drizzle } from "drizzle-orm/node-postgres";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import postgres from "postgres";
import { type TestDatabase, testSchema } from "../support/database.ts";
import { drizzleClient, postgresClient } from "./recipes.ts";

/** An application with transactions of its own: how it opens one, what it writes in it, and our verbs inside. */
export interface Application {
  transaction<Result>(work: (inside: Inside) => Promise<Result>, begin?: Begin): Promise<Result>;
  close(): Promise<void>;
}

export interface Inside {
  readonly bookonce: Verbs;
  /** The application's own statement. */
  run(text: string): Promise<readonly unknown[]>;
}

export interface Begin {
  readonly isolation?: "read uncommitted" | "read committed" | "repeatable read" | "serializable";
  readonly readOnly?: boolean;
}

/** How long our own statements in the application's transaction may wait for a lock. */
const timeouts = { lockMs: 300, statementMs: 5_000 };

/** A transaction as an application opens one with node-postgres. */
export async function pgTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
  begin = "begin",
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

export const applications: Readonly<Record<string, (db: TestDatabase) => Application>> = {
  pg(db) {
    const pool = new pg.Pool({ connectionString: db.url, max: 4 });
    pool.on("error", () => undefined);
    const bookonce = createBookonce({ database: pgDatabase(pool), schema: testSchema, timeouts });
    return {
      transaction(work, { isolation = "read committed", readOnly = false } = {}) {
        const begin = `begin isolation level ${isolation} ${readOnly ? "read only" : "read write"}`;
        return pgTransaction(
          pool,
          (client) => work({ bookonce: bookonce.within(client), run: async (text) => (await client.query(text)).rows }),
          begin,
        );
      },
      close: () => pool.end(),
    };
  },

  kysely(db) {
    const pool = new pg.Pool({ connectionString: db.url, max: 4 });
    pool.on("error", () => undefined);
    const kysely = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
    const bookonce = createBookonce({ database: kyselyDatabase(kysely), schema: testSchema, timeouts });
    return {
      transaction(work, { isolation = "read committed", readOnly = false } = {}) {
        return kysely
          .transaction()
          .setIsolationLevel(isolation)
          .setAccessMode(readOnly ? "read only" : "read write")
          .execute((trx) =>
            work({
              bookonce: bookonce.within(trx),
              run: async (text) => (await sql.raw(text).execute(trx)).rows,
            }),
          );
      },
      close: () => kysely.destroy(),
    };
  },
};

/** Applications whose query builders have no adapter of ours: by the recipes of docs/transactions.md. */
export const byRecipe: Readonly<Record<string, (db: TestDatabase) => Application>> = {
  drizzle(db) {
    const pool = new pg.Pool({ connectionString: db.url, max: 4 });
    pool.on("error", () => undefined);
    const orm = drizzle(pool);
    const bookonce = overAnyDriver(db);
    return {
      transaction: (work, { isolation = "read committed", readOnly = false } = {}) =>
        orm.transaction(
          (tx) =>
            work({
              bookonce: bookonce.within(drizzleClient(tx)),
              run: async (text) => (await tx.execute(text)).rows,
            }),
          { isolationLevel: isolation, accessMode: readOnly ? "read only" : "read write" },
        ),
      async close() {
        await Promise.all([pool.end(), bookonce.close()]);
      },
    };
  },

  "postgres.js"(db) {
    const client = postgres(db.url, { max: 4, onnotice: () => undefined });
    const bookonce = overAnyDriver(db);
    return {
      async transaction<Result>(work: (inside: Inside) => Promise<Result>, begin: Begin = {}) {
        const { isolation = "read committed", readOnly = false } = begin;
        const options = `isolation level ${isolation} ${readOnly ? "read only" : "read write"}`;
        const done: Result[] = [];
        await client.begin(options, async (tx) => {
          const inside = { bookonce: bookonce.within(postgresClient(tx)), run: (text: string) => tx.unsafe(text) };
          done.push(await work(inside));
        });
        const [result] = done;
        // A transaction that was committed has run its work.
        return result as Result;
      },
      async close() {
        await Promise.all([client.end(), bookonce.close()]);
      },
    };
  },
};

/** Our own transactions by pg, and `within()` for any driver's. */
function overAnyDriver(db: TestDatabase) {
  const database = pgDatabase({ connectionString: db.url, max: 2 });
  return { ...createBookonce({ database, schema: testSchema, timeouts }), close: () => database.close() };
}

export async function orders(db: TestDatabase): Promise<string[]> {
  return (await db.pool.query<{ id: string }>("select id from orders order by id")).rows.map(({ id }) => id);
}
