import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BookingView } from "bookonce";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrations } from "../../src/store/migrations.generated.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, book, receipt, reserve, type Shop, unique } from "../support/fixtures.ts";
import { at, offering, offerOf, ten, waits } from "../support/waiting.ts";

let db: TestDatabase;
const all = migrations.map(({ name }) => name);
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test("before migrate() every verb says `not_migrated` (O6)", async () => {
  const shop = db.another({ schema: "not_there" });
  const bookingId = "00000000-0000-4000-8000-000000000000";
  const booking = await book(db.bookonce);
  const charge = { provider: "p", account: "a", payload: booking.payload, payer: "c", amount: 1, currency: "XTR" };
  const calls: (() => Promise<unknown>)[] = [
    () => shop.reserveSlot({ customer: "c", resources: ["r"], start: booking.start, duration: { minutes: 1 } }),
    () => shop.decidePreCheckout({ ...charge, checkoutId: "1" }),
    () => shop.confirmPayment({ ...charge, chargeId: "1" }),
    () => shop.cancel({ bookingId, administrator: "shop" }),
    () => shop.resources.list(),
    () => shop.sweep(),
    () => shop.audit(),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "not_migrated", retryable: false });
});

test("migrate() applies everything once, and nothing the second time", async () => {
  const shop = db.another({ schema: "twice" });
  expect(await shop.migrate()).toEqual({ applied: all });
  expect(await shop.migrate()).toEqual({ applied: [] });
  await book(shop);
});

test.each(all.slice(2, -1).map((name, index) => [name, index + 3] as const))(
  "a database as it was after %s, with bookings in it, is brought up to date and keeps them",
  async (name, count) => {
    const [newer, older] = [`newer_${count}`, `older_${count}`];
    const source = db.another({ schema: newer });
    await source.migrate();
    const input = { requestId: unique("request"), customer: unique("customer"), resources: [await aResource(source)] };
    const booking = await book(source, input);
    const offer = await movedOffer(source);
    const bookkeeping = "number integer primary key, name text not null, applied_at timestamptz not null default now()";
    await db.pool.query(`create schema ${older}; create table ${older}.migrations (${bookkeeping})`);
    for (const { number, name, sql } of migrations.slice(0, count)) {
      await db.pool.query(sql.replaceAll("{{schema}}", older));
      await db.pool.query(`insert into ${older}.migrations values ($1, $2)`, [number, name]);
    }
    await copyRows(newer, older);

    const shop = db.another({ schema: older });
    expect(await shop.migrate()).toEqual({ applied: all.slice(count) });
    expect(all[count - 1]).toBe(name);
    expect(await reserve(shop, input)).toMatchObject({ outcome: "existing", booking: { id: booking.id } });
    await receipt(shop, booking);
    expect((await shop.audit()).problems).toEqual([]);
    const offered = `select offered_start from ${older}.bookings where id = $1`;
    expect((await db.pool.query(offered, [offer.id])).rows).toEqual([{ offered_start: ten }]);
  },
);

/** An offer of the waiting list that its customer has moved by two hours. */
async function movedOffer(shop: Shop): Promise<BookingView> {
  const waiting = await waits(shop, await offering(shop, unique("cut")), "w1");
  await shop.waitlist.tick();
  const offer = await offerOf(shop, waiting);
  const moved = await shop.reschedule({ bookingId: offer.id, customer: "w1", start: at(12) });
  if (moved.outcome !== "rescheduled") throw new Error(moved.outcome);
  return moved.booking;
}

/** What an earlier version would have written: the columns that it knew. */
async function copyRows(from: string, to: string): Promise<void> {
  for (const table of ["resources", "services", "waiting_list", "bookings", "claims", "events"]) {
    const { rows } = await db.pool.query<{ names: string }>(
      `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
       where table_schema = $1 and table_name = $2 and is_generated = 'NEVER'`,
      [to, table],
    );
    const names = rows[0]?.names ?? "";
    const all = `insert into ${to}.${table} (${names}) overriding system value select ${names} from ${from}.${table}`;
    await db.pool.query(all);
  }
}

test("many instances that migrate at once: one does the work, the others find it done (O1)", async () => {
  const shops = Array.from({ length: 8 }, () => db.another({ schema: "at_once" }));
  const results = await Promise.all(shops.map((shop) => shop.migrate()));
  expect(results.filter(({ applied }) => applied.length > 0)).toEqual([{ applied: all }]);
});

test("several processes that migrate at once: one does the work, the others find it done (O1)", async () => {
  const program = fileURLToPath(new URL("migrate-process.ts", import.meta.url));
  const run = async (): Promise<unknown> => {
    const args = ["--import", "tsx", program, db.url, "several_processes"];
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
  };
  const results = await Promise.all([run(), run(), run()]);
  expect(results.filter((applied) => Array.isArray(applied) && applied.length > 0)).toEqual([all]);
});

test("different schemas that migrate at once do not disturb each other, though both want the one extension", async () => {
  await db.pool.query("drop extension btree_gist cascade");
  const shops = ["left", "right", "middle"].map((schema) => db.another({ schema }));
  const results = await Promise.all(shops.map((shop) => shop.migrate()));
  expect(results).toEqual(shops.map(() => ({ applied: all })));
});

test.each([
  'say "bookings"',
  "two words",
  "a.b",
  "UPPER",
  "it's",
  "select",
  "ўзбекча",
  "%s{{schema}}",
  "a$1b",
  "back\\slash",
])("a schema named %j works from migrate() to the receipt", async (schema) => {
  const shop = db.another({ schema });
  expect(await shop.migrate()).toEqual({ applied: all });
  expect(await shop.migrate()).toEqual({ applied: [] });
  const booking = await book(shop);
  expect(await receipt(shop, booking)).toMatchObject({ outcome: "booked" });
  expect((await shop.audit()).problems).toEqual([]);
  // Where it says it is, and nowhere else.
  const { rows } = await db.pool.query(`select id from ${pg.escapeIdentifier(schema)}.bookings`);
  expect(rows).toEqual([{ id: booking.id }]);
});

test("migrationSql() run by another tool makes what migrate() would have made", async () => {
  const schema = unique("by hand");
  const shop = db.another({ schema });
  await db.pool.query(shop.migrationSql());
  expect(await shop.migrate()).toEqual({ applied: [] });
  await book(shop, { resources: [await aResource(shop)] });
});
