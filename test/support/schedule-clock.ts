import { createTestDatabase, type TestDatabase } from "./database.ts";

/** Where every life begins: a Monday at nine, so that what a seed does today it does next year. */
export const monday: number = Date.UTC(2031, 0, 6, 9);

/**
 * A database whose clock stands still until it is set. It is a row: replacing the function, as the clock of the other tests does, would
 * make every session plan its statements again.
 */
export async function createSteppedDatabase(): Promise<{ readonly db: TestDatabase; set(to: number): Promise<void> }> {
  const db = await createTestDatabase();
  await db.pool.query(`create table ${db.schema}.stopped (at timestamptz not null)`);
  await db.pool.query(`insert into ${db.schema}.stopped values ($1)`, [new Date(monday)]);
  await db.pool.query(`create or replace function ${db.schema}.clock() returns timestamptz language sql volatile parallel restricted
    as $$ select at from ${db.schema}.stopped $$`);
  return {
    db,
    async set(to) {
      await db.pool.query(`update ${db.schema}.stopped set at = $1`, [new Date(to)]);
    },
  };
}
