import { createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { digestOf, untilBlocked } from "../support/fixtures.ts";
import { type Application, applications, orders } from "./callers.ts";

let db: TestDatabase;
let days = 1;
beforeAll(async () => {
  db = await createTestDatabase();
  await db.pool.query("create table orders (id text primary key)");
  await db.bookonce.resources.put({ id: "anna" });
});
afterAll(() => db.drop());

function slot(customer = "somebody") {
  days += 1;
  const start = new Date(Date.now() + days * 86_400_000);
  return { customer, resources: ["anna"], start, duration: { minutes: 60 }, price: { amount: 5, currency: "XTR" } };
}

/** Holds the resource's lock, as another process in the middle of a booking does, until the returned function is called. */
async function lockAnna(): Promise<() => Promise<void>> {
  const client = await db.pool.connect();
  await client.query("begin");
  await client.query(`select from ${db.schema}.resources where id = 'anna' for no key update`);
  return async () => {
    await client.query("rollback");
    client.release();
  };
}

const showSettings = `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
  current_setting('idle_in_transaction_session_timeout') as idle, current_setting('transaction_isolation') as isolation`;

describe.each(Object.keys(applications))("in a transaction of the application's, with %s (O4)", (name) => {
  let application: Application;
  beforeAll(() => {
    const open = applications[name];
    if (open === undefined) throw new Error(name);
    application = open(db);
  });
  afterAll(() => application.close());

  test.each([
    ["SERIALIZABLE", { isolation: "serializable" }],
    ["REPEATABLE READ", { isolation: "repeatable read" }],
    ["READ ONLY", { readOnly: true }],
  ] as const)("%s is refused, and nothing is written", async (words, begin) => {
    const before = await digestOf(db);
    await application.transaction(async ({ bookonce, run }) => {
      const refused = bookonce.reserveSlot(slot());
      await expect(refused).rejects.toMatchObject({
        code: "unsupported_isolation",
        message: expect.stringContaining(words),
      });
      // The transaction is as it was: the application may go on without us.
      expect(await run("select 'fine' as word")).toEqual([{ word: "fine" }]);
    }, begin);
    expect(await digestOf(db)).toBe(before);
  });

  test("READ UNCOMMITTED is READ COMMITTED in PostgreSQL, and welcome", async () => {
    const reserved = await application.transaction(({ bookonce }) => bookonce.reserveSlot(slot()), {
      isolation: "read uncommitted",
    });
    expect(reserved.outcome).toBe("reserved");
  });

  test("the application's time-outs are the same before and after", async () => {
    await application.transaction(async ({ bookonce, run }) => {
      await run("set local lock_timeout = '77ms'");
      await run("set local statement_timeout = '12345ms'");
      await run("set local idle_in_transaction_session_timeout = '54321ms'");
      const before = await run(showSettings);
      await bookonce.reserveSlot(slot());
      await bookonce.cancel({ bookingId: "00000000-0000-4000-8000-000000000000", administrator: "shop" });
      expect(await run(showSettings)).toEqual(before);
    });
  });

  test("a lock that is held too long is `unavailable`, and the transaction can only be rolled back", async () => {
    const before = await digestOf(db);
    const unlock = await lockAnna();
    try {
      const running = application.transaction(async ({ bookonce, run }) => {
        await run(`insert into orders values ('${name} behind a lock')`);
        const refused = bookonce.reserveSlot(slot());
        await expect(refused).rejects.toMatchObject({ code: "unavailable", retryable: true, cause: { code: "55P03" } });
        await expect(run("select 1")).rejects.toMatchObject({ code: "25P02" });
        // The next call says so too, instead of blaming itself.
        await expect(bookonce.reserveSlot(slot())).rejects.toMatchObject({ code: "unavailable" });
        throw new Error("rolled back");
      });
      await expect(running).rejects.toThrow("rolled back");
    } finally {
      await unlock();
    }
    expect(await digestOf(db)).toBe(before);
    expect(await orders(db)).not.toContain(`${name} behind a lock`);
  });

  test("with a savepoint around the call the application goes on after a lock time-out, its time-outs restored", async () => {
    const before = await digestOf(db);
    const unlock = await lockAnna();
    try {
      await application.transaction(async ({ bookonce, run }) => {
        await run("set local lock_timeout = '77ms'");
        await run(`insert into orders values ('${name} kept')`);
        await run("savepoint around");
        await expect(bookonce.reserveSlot(slot())).rejects.toMatchObject({ code: "unavailable" });
        await run("rollback to savepoint around");
        expect(await run(showSettings)).toMatchObject([{ lock: "77ms" }]);
      });
    } finally {
      await unlock();
    }
    expect(await digestOf(db)).toBe(before);
    expect(await orders(db)).toContain(`${name} kept`);
  });

  test("a savepoint rolled back undoes our part only; a released one keeps it", async () => {
    const undone = slot("undone");
    const kept = slot("kept");
    await application.transaction(async ({ bookonce, run }) => {
      await run("savepoint a");
      expect(await bookonce.reserveSlot(undone)).toMatchObject({ outcome: "reserved" });
      await run("rollback to savepoint a");
      await run("savepoint b");
      expect(await bookonce.reserveSlot(kept)).toMatchObject({ outcome: "reserved" });
      await run("release savepoint b");
    });
    const another = { customer: "another" };
    expect(await db.bookonce.reserveSlot({ ...undone, ...another })).toMatchObject({ outcome: "reserved" });
    expect(await db.bookonce.reserveSlot({ ...kept, ...another })).toMatchObject({ outcome: "refused" });
  });

  test("a foreign writer's overlapping claim is `unavailable`, never a raw SQLSTATE (B5, O6)", async () => {
    const wanted = slot();
    const rival = await db.bookonce.reserveSlot(slot("rival"));
    if (rival.outcome === "refused") throw new Error(rival.reason);
    // Not committed yet when we read, so that no decision sees it; the constraint waits for it.
    const foreign = await db.pool.connect();
    await foreign.query("begin");
    await foreign.query(
      `insert into ${db.schema}.claims (booking_id, number, resource_id, starts_at, ends_at, live_from, live_until)
        values ($1, 2, 'anna', $2, $3, now(), null)`,
      [rival.booking.id, wanted.start, new Date(wanted.start.getTime() + 1_000)],
    );
    const running = application.transaction(({ bookonce }) => bookonce.reserveSlot(wanted));
    const refused = expect(running).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
      cause: { code: "23P01" },
    });
    await untilBlocked(db);
    await foreign.query("commit");
    foreign.release();
    await refused;
  });
});

test("a connection on which no transaction is open is refused, and nothing is written (O4)", async () => {
  const before = await digestOf(db);
  const pool = new pg.Pool({ connectionString: db.url, max: 1 });
  const bookonce = createBookonce({ database: pgDatabase(pool), schema: testSchema });
  const client = await pool.connect();
  const refused = bookonce.within(client).reserveSlot(slot());
  await expect(refused).rejects.toMatchObject({
    code: "unsupported_isolation",
    message: expect.stringContaining("BEGIN"),
  });
  client.release();
  await expect(bookonce.within(pool).reserveSlot(slot())).rejects.toMatchObject({ code: "unsupported_isolation" });
  await pool.end();
  expect(await digestOf(db)).toBe(before);
});
