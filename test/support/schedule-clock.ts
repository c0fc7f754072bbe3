import { pgDatabase } from "bookonce/pg";
import pg from "pg";
import { createTestDatabase, type TestDatabase } from "./database.ts";

/** Where every life begins: a Monday at nine, so that what a seed does today it does next year. */
export const monday: number = Date.UTC(2031, 0, 6, 9);

/** A database for many short lives, whose clock stands still until it is set. */
export interface SteppedDatabase extends TestDatabase {
  set(to: number): Promise<void>;
  /** All that happened is forgotten; the shop and its services stay. */
  empty(): Promise<void>;
}

/**
 * A life is a thousand small statements, and their planning and flushing would be most of it: they are prepared, and nothing is waited
 * for on its way to the disk. The clock is a row, because to replace the function, as the clock of the other tests does, would make every
 * session plan its statements again.
 */
export async function createSteppedDatabase(): Promise<SteppedDatabase> {
  const db = await createTestDatabase();
  const url = new URL(db.url);
  url.searchParams.set("options", "-c synchronous_commit=off -c jit=off -c plan_cache_mode=force_generic_plan");
  const database = pgDatabase({ connectionString: url.href }, { prepare: true });
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  pool.on("error", () => undefined);
  await pool.query(`create table ${db.schema}.stopped (at timestamptz not null)`);
  await pool.query(`insert into ${db.schema}.stopped values ($1)`, [new Date(monday)]);
  await pool.query(`create or replace function ${db.schema}.clock() returns timestamptz language sql volatile parallel restricted
    as $$ select at from ${db.schema}.stopped $$`);
  // Deleted, and not truncated: a new file for every table and index takes longer than the rows of a life.
  const forgotten = ["reminders", "events", "refunds", "payments", "checkouts", "claims", "bookings", "waiting_list"];
  const forget = [
    ...forgotten.map((table) => `delete from ${db.schema}.${table}`),
    `update ${db.schema}.resources set last_chosen_at = null where last_chosen_at is not null`,
  ].join(";");
  return {
    ...db,
    database,
    pool,
    async set(to) {
      await pool.query({
        name: "set",
        text: `update ${db.schema}.stopped set at = $1::timestamptz`,
        values: [new Date(to)],
      });
    },
    async empty() {
      await pool.query(forget);
    },
    async drop() {
      await Promise.allSettled([database.close(), pool.end()]);
      await db.drop();
    },
  };
}
