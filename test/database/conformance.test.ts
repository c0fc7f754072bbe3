import { PGlite } from "@electric-sql/pglite";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { kyselyDatabase } from "bookonce/kysely";
import {
  type OwnedPgDatabase,
  type PgClient,
  type PgOptions,
  type PgPoolClient,
  type PgSettings,
  pgDatabase,
} from "bookonce/pg";
import { pgliteDatabase } from "bookonce/pglite";
import { type ConformanceCheck, type ConformanceDatabase, databaseConformance } from "bookonce/testing";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { queryDatabase } from "../../src/database/query.ts";
import { pgTransaction } from "./callers.ts";

const connections = 4;
const connectionString = inject("postgresUrl");

function all(checks: readonly ConformanceCheck[]): void {
  for (const check of checks) test(check.name, () => check.run());
}

function ownPool(settings: PgSettings, options?: PgOptions): ConformanceDatabase<PgClient> {
  const database: OwnedPgDatabase = pgDatabase({ connectionString, max: connections, ...settings }, options);
  const callers = new pg.Pool({ connectionString, max: 1 });
  return {
    database,
    callerTransaction: (work) => pgTransaction(callers, work),
    close: async () => {
      await Promise.all([database.close(), callers.end()]);
    },
  };
}

function givenPool(config: pg.PoolConfig, options?: PgOptions): ConformanceDatabase<PgClient> {
  const pool = new pg.Pool({ connectionString, max: connections, ...config });
  pool.on("error", () => undefined);
  return {
    database: pgDatabase(pool, options),
    callerTransaction: (work) => pgTransaction(pool, work),
    close: () => pool.end(),
  };
}

describe("pg, with settings", () => all(databaseConformance({ connections, open: async () => ownPool({}) })));

describe("pg, with settings and prepared statements", () =>
  all(databaseConformance({ connections, open: async () => ownPool({}, { prepare: true }) })));

describe("pg, with a pool of the application's", () =>
  all(databaseConformance({ connections, open: async () => givenPool({}) })));

describe("pg, with a pipelining pool of the application's", () =>
  all(databaseConformance({ connections, open: async () => givenPool({ pipeline: true }) })));

describe("pg, with clients of another make, which take one statement at a time", () =>
  all(
    databaseConformance({
      connections,
      async open() {
        const given = givenPool({});
        const pool = new pg.Pool({ connectionString, max: connections });
        pool.on("error", () => undefined);
        pool.on("connect", (client) => client.on("error", () => undefined));
        return {
          ...given,
          database: pgDatabase({ connect: async () => plainClient(await pool.connect()) }),
          close: async () => {
            await Promise.all([given.close(), pool.end()]);
          },
        };
      },
    }),
  ));

/** What every client has, and nothing of node-postgres's own. */
function plainClient(client: pg.PoolClient): PgPoolClient {
  return {
    query: (query: string | { text: string; values?: string[] }, values?: string[]) =>
      typeof query === "string" ? client.query(query, values) : client.query(query),
    release: (destroy) => client.release(destroy),
  };
}

describe("pg, with a pool of one connection", () =>
  all(databaseConformance({ connections: 1, open: async () => givenPool({ max: 1 }) })));

describe("kysely", () =>
  all(
    databaseConformance({
      connections,
      async open() {
        const pool = new pg.Pool({ connectionString, max: connections });
        pool.on("error", () => undefined);
        pool.on("connect", (client) => client.on("error", () => undefined));
        const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
        return {
          database: kyselyDatabase(db),
          callerTransaction: (work) => db.transaction().execute(work),
          close: () => db.destroy(),
        };
      },
    }),
  ));

describe("any driver whose transactions run a callback", () =>
  all(
    databaseConformance<PgClient>({
      connections,
      async open() {
        const pool = new pg.Pool({ connectionString, max: connections });
        pool.on("error", () => undefined);
        pool.on("connect", (client) => client.on("error", () => undefined));
        return {
          database: queryDatabase({ transaction: (work) => pgTransaction(pool, work) }),
          callerTransaction: (work) => pgTransaction(pool, work),
          close: () => pool.end(),
        };
      },
    }),
  ));

describe("pglite", () => {
  // It takes seconds to start: one for all checks, each of which has a schema of its own.
  let pglite: PGlite;
  beforeAll(async () => {
    pglite = await PGlite.create({ extensions: { btree_gist } });
  });
  afterAll(() => pglite.close());

  all(
    databaseConformance({
      connections: 1,
      singleBackend: true,
      open: async () => ({
        database: pgliteDatabase(pglite),
        callerTransaction: (work) => pglite.transaction(work),
        close: async () => undefined,
      }),
    }),
  );
});
