import type { BookonceOptions } from "bookonce";
import type { PgClient } from "bookonce/pg";
import { createTestDatabase, type TestDatabase } from "./database.ts";

/**
 * A database whose clock stands still until a test moves it, for all processes: what is tested is an exact instant, however slow the
 * machine.
 */
export async function createFrozenDatabase(options: Partial<BookonceOptions<PgClient>> = {}): Promise<TestDatabase> {
  const db = await createTestDatabase(options);
  const start = Date.now();
  let at = start;
  const stop = async (): Promise<void> => {
    const text = `create or replace function ${db.schema}.clock() returns timestamptz language sql volatile parallel restricted
      as $$ select '${new Date(at).toISOString()}'::timestamptz $$`;
    await db.pool.query(text);
  };
  await stop();
  return {
    ...db,
    clock: {
      async advance(milliseconds) {
        at += milliseconds;
        await stop();
      },
      /** Back to where it stood first. */
      async reset() {
        at = start;
        await stop();
      },
    },
  };
}
