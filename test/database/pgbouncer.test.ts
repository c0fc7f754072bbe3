import { createBookonce } from "bookonce";
import { type OwnedPgDatabase, type PgClient, pgDatabase } from "bookonce/pg";
import { databaseConformance } from "bookonce/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { aResource, book, preCheckout, receipt, reserve, soon, unique } from "../support/fixtures.ts";
import { pgTransaction } from "./callers.ts";
import { findPgbouncer, type RunningPgbouncer, startPgbouncer } from "./pgbouncer-process.ts";

const program = findPgbouncer();
const title =
  program === null
    ? "behind PgBouncer: SKIPPED, pgbouncer is not installed (apt-get install pgbouncer)"
    : "behind PgBouncer in transaction mode";

describe.skipIf(program === null)(title, () => {
  // Fewer connections of the pooler's than of ours: every transaction may get another one.
  const poolSize = 3;
  let db: TestDatabase;
  let pgbouncer: RunningPgbouncer;
  const databases: OwnedPgDatabase[] = [];

  beforeAll(async () => {
    db = await createTestDatabase();
    pgbouncer = await startPgbouncer(program ?? "", inject("postgresUrl"), poolSize);
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await pgbouncer.stop();
    await db.drop();
  });

  /** An instance as another process would have it, with more connections than the pooler has. */
  function instance() {
    const database = pgDatabase({ connectionString: pgbouncer.url(db.url), max: 8 });
    databases.push(database);
    return createBookonce({ database, schema: testSchema });
  }

  test("many buyers in several processes: one booking of each slot, and every payment accounted for (O1)", async () => {
    const shops = [instance(), instance(), instance()];
    const resource = await aResource(db.bookonce);
    const slots = Array.from({ length: 8 }, (_, index) => new Date(soon.getTime() + index * 3_600_000));
    const outcomes = await Promise.all(
      slots.flatMap((start) =>
        Array.from({ length: 6 }, async (_, buyer) => {
          const shop = shops[buyer % shops.length] ?? db.bookonce;
          const reserved = await reserve(shop, { resources: [resource], start });
          if (reserved.outcome === "refused") return reserved.reason;
          const approved = await preCheckout(shop, reserved.booking);
          const chargeId = unique("charge");
          const paid = await Promise.all(shops.map((each) => receipt(each, reserved.booking, { chargeId })));
          return [approved.outcome, ...paid.map(({ outcome }) => outcome)].join(" ");
        }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "approved booked booked booked")).toHaveLength(slots.length);
    expect(outcomes.filter((outcome) => outcome === "slot_taken")).toHaveLength(slots.length * 5);
    const audited = await db.bookonce.audit();
    expect(audited.problems).toEqual([]);
    expect(audited.payments.bought).toBe(slots.length);
  });

  test("migrate() works through it", async () => {
    const database = pgDatabase({ connectionString: pgbouncer.url(db.url) });
    databases.push(database);
    const shop = createBookonce({ database, schema: "through the pooler" });
    expect((await shop.migrate()).applied.length).toBeGreaterThan(0);
    await book(shop);
  });

  test("a client that has sent BEGIN keeps its connection: within() works through it (O4)", async () => {
    const shop = instance();
    const pool = new pg.Pool({ connectionString: pgbouncer.url(db.url), max: 2 });
    const resource = await aResource(db.bookonce);
    const client = await pool.connect();
    await client.query("begin");
    const input = { customer: "c", resources: [resource], start: soon, duration: { minutes: 60 } };
    expect(await shop.within(client).reserveSlot(input)).toMatchObject({ outcome: "reserved" });
    await client.query("rollback");
    // Without BEGIN each statement would go to another connection.
    const refused = shop.within(client).reserveSlot(input);
    await expect(refused).rejects.toMatchObject({ code: "unsupported_isolation" });
    client.release();
    await pool.end();
    expect(await reserve(shop, { ...input, customer: "d" })).toMatchObject({ outcome: "reserved" });
  });

  for (const pipeline of [true, false]) {
    describe(pipeline ? "with `pipeline: true`" : "in flights", () => {
      const checks = databaseConformance<PgClient>({
        connections: poolSize,
        async open() {
          const pool = new pg.Pool({ connectionString: pgbouncer.url(db.url), max: poolSize, pipeline });
          pool.on("error", () => undefined);
          pool.on("connect", (client) => client.on("error", () => undefined));
          return {
            database: pgDatabase(pool),
            callerTransaction: (work) => pgTransaction(pool, work),
            close: () => pool.end(),
          };
        },
      });
      for (const check of checks) test(check.name, () => check.run());
    });
  }
});
