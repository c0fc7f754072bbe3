import type pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, book, preCheckout } from "../support/fixtures.ts";

/** What is locked is what the rows say after the wait, not before it. */

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test("B7 a booking that is moved while its lock is waited for: the resource it has now is locked, not the one it had", async () => {
  const shop = db.another({ timeouts: { lockMs: 20_000 } });
  const [before, after] = [await aResource(shop, "before"), await aResource(shop, "after")];
  const booking = await book(shop, { resources: [before], claim: "at_checkout" });
  const [mover, holder] = [await begin(), await begin()];
  await mover.client.query(
    `update ${db.schema}.bookings set wanted_ids = array[$2], resource_ids = array[$2] where id = $1`,
    [booking.id, after],
  );
  await holder.client.query(`select from ${db.schema}.resources where id = $1 for no key update`, [after]);

  const deciding = preCheckout(shop, booking, {}, { budgetMs: 20_000 });
  await someoneWaitsFor(mover.pid);
  await mover.commit();
  await someoneWaitsFor(holder.pid);
  await holder.commit();

  expect(await deciding).toMatchObject({ outcome: "approved", booking: { resources: [after] } });
  const { rows } = await db.pool.query(`select resource_id from ${db.schema}.claims where booking_id = $1`, [
    booking.id,
  ]);
  expect(rows).toEqual([{ resource_id: after }]);
});

async function begin(): Promise<{ client: pg.PoolClient; pid: number; commit(): Promise<void> }> {
  const client = await db.pool.connect();
  onTestFinished(() => client.release(true));
  await client.query("begin");
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return {
    client,
    pid: rows[0]?.pid ?? 0,
    async commit() {
      await client.query("commit");
    },
  };
}

async function someoneWaitsFor(pid: number): Promise<void> {
  const waiting = async () => {
    const { rows } = await db.pool.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and $1 = any(pg_blocking_pids(pid))",
      [pid],
    );
    return rows[0]?.n;
  };
  await expect.poll(waiting, { timeout: 10_000 }).toBe(1);
}
