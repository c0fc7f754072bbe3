import { setImmediate } from "node:timers/promises";
import { type Bookonce, type BookonceOptions, createBookonce } from "bookonce";
import { type PgClient, pgDatabase } from "bookonce/pg";
import { type TestDatabase, testSchema } from "./database.ts";

/** Instances that compete, each with connections and a queue of its own, as processes have them. */
export interface Racers {
  readonly shops: readonly Bookonce<PgClient>[];
  /** The instance whose turn it is. */
  shop(turn: number): Bookonce<PgClient>;
  /**
   * Closes them all, and tells what PostgreSQL has counted: a session reports its own when it ends. A roll-back means that somebody
   * ran into a constraint, a deadlock or a time-out and was saved by a retry.
   */
  finish(): Promise<{ readonly deadlocks: number; readonly rollbacks: number }>;
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
    async finish() {
      await Promise.all(databases.map((database) => database.close()));
      const sessions = `select count(*) as n from pg_stat_activity where application_name = '${name}'`;
      while ((await number(db, sessions)) > 0) await setImmediate();
      const counted = (column: string) =>
        number(db, `select ${column} as n from pg_stat_database where datname = current_database()`);
      return { deadlocks: await counted("deadlocks"), rollbacks: await counted("xact_rollback") };
    },
  };
}

async function number(db: TestDatabase, text: string): Promise<number> {
  const { rows } = await db.pool.query<{ n: string }>(text);
  return Number(rows[0]?.n);
}
