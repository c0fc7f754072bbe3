import { createHash, randomUUID } from "node:crypto";
import { type Bookonce, type BookonceOptions, createBookonce } from "bookonce";
import { type OwnedPgDatabase, type PgClient, pgDatabase } from "bookonce/pg";
import pg from "pg";
import { inject } from "vitest";
import { migrations } from "../../src/store/migrations.generated.ts";
import { type DatabaseClock, databaseClock } from "../../src/testing/database-clock.ts";

/** CI runs the suite under an odd schema name too, so that nothing forgets to quote or to qualify. */
export const testSchema = process.env["BOOKONCE_TEST_SCHEMA"] ?? "bookonce";

/** A database of one's own: a clone of the migrated template, with real connections, and its clock. */
export interface TestDatabase {
  readonly url: string;
  readonly database: OwnedPgDatabase;
  readonly bookonce: Bookonce<PgClient>;
  readonly clock: DatabaseClock;
  /** Plain SQL for assertions and for foreign writers; our tables are in `schema`, quoted. */
  readonly pool: pg.Pool;
  readonly schema: string;
  /** Another instance, as another process would have it: its own connections and queue. */
  another(options?: Partial<BookonceOptions<PgClient>>): Bookonce<PgClient> & { close(): Promise<void> };
  drop(): Promise<void>;
}

export async function createTestDatabase(options: Partial<BookonceOptions<PgClient>> = {}): Promise<TestDatabase> {
  const name = `bookonce_test_${randomUUID().replaceAll("-", "")}`;
  const server = inject("postgresUrl");
  await cloneTemplate(server, name);
  const url = databaseUrl(server, name);
  const database = pgDatabase({ connectionString: url });
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  // Dropping the database ends its connections.
  pool.on("error", () => undefined);
  const others: OwnedPgDatabase[] = [];
  return {
    url,
    database,
    pool,
    schema: pg.escapeIdentifier(testSchema),
    bookonce: createBookonce({ database, schema: testSchema, ...options }),
    clock: databaseClock(database, testSchema),
    another(more = {}) {
      const own = pgDatabase({ connectionString: url });
      others.push(own);
      return {
        ...createBookonce({ database: own, schema: testSchema, ...options, ...more }),
        close: () => own.close(),
      };
    },
    async drop() {
      await Promise.allSettled([database.close(), pool.end(), ...others.map((other) => other.close())]);
      await admin(server, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** The template's name holds a digest of the migrations: a server that lives longer than a run is never stale. */
async function cloneTemplate(server: string, name: string): Promise<void> {
  const digest = createHash("sha256")
    .update(JSON.stringify(migrations) + testSchema)
    .digest("hex")
    .slice(0, 12);
  const template = `bookonce_template_${digest}`;
  await admin(server, async (client) => {
    // Session lock: test files start in parallel, and one of them makes the template.
    await client.query("select pg_advisory_lock(42)");
    const existing = await client.query("select from pg_database where datname = $1", [template]);
    if (existing.rowCount === 0) {
      await client.query(`create database ${template}`);
      const database = pgDatabase({ connectionString: databaseUrl(server, template), max: 1 });
      await createBookonce({ database, schema: testSchema }).migrate();
      await database.close();
    }
    await client.query(`create database ${name} template ${template}`);
    await client.query("select pg_advisory_unlock(42)");
  });
}

async function admin(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
