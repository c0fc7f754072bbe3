import { setImmediate } from "node:timers/promises";
import { type Bookonce, type BookonceOptions, createBookonce } from "bookonce";
import { type PgClient, pgDatabase } from "bookonce/pg";
import { type TestDatabase, testSchema } from "./database.ts";

/** Instances that compete, each with connections and a queue of its own, as processes have them. */
export interface Racers {
  readonly shops: readonly Bookonce<PgClient>[];
  /** The instance whose turn it is. */
  shop(turn: number): Bookonce<PgClient>;
  /** Closes them all, and tells how many deadlocks PostgreSQL has counted: a session reports its own when it ends. */
  deadlocks(): Promise<number>;
}

const name = "racer";

export function racers(db: TestDatabase, count: number, options: Partial<BookonceOptions<PgClient>> = {}): Racers {
  const url = new URL(db.url);
  url.searchParams.set("application_name", name);
  const databases = Array.from({ length: count }, () => pgDatabase({ connectionString: url.href }));
  const shops = databases.map((database) => createBookonce({ database, schema: testSchema, ...options }));
  return {
    shops,
    shop(turn) {
      const shop = shops[turn % shops.length];
      if (shop === undefined) throw new Error("there are no racers");
      return shop;
    },
    async deadlocks() {
      await Promise.all(databases.map((database) => database.close()));
      while ((await number(db, `select count(*) as n from pg_stat_activity where application_name = '${name}'`)) > 0) {
        await setImmediate();
      }
      return number(db, "select deadlocks as n from pg_stat_database where datname = current_database()");
    },
  };
}

async function number(db: TestDatabase, text: string): Promise<number> {
  const { rows } = await db.pool.query<{ n: string }>(text);
  return Number(rows[0]?.n);
}
