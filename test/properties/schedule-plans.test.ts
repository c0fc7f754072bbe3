import { type Bookonce, createBookonce, type Statement, type Transaction } from "bookonce";
import type { PgClient } from "bookonce/pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillHouse, openService } from "../../bench/flatness.ts";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { hoursLater, unique } from "../support/fixtures.ts";

// A hundred thousand bookings over a thousand resources: what lists and claims read is found by indexes, and little of it is read in
// vain. The statements are recorded from verbs that run, and explained with the values they were sent with. Speed itself is measured by
// `npm run bench -- --flatness`.
let db: TestDatabase;
let shop: Bookonce<PgClient>;
let recorded: Statement[] = [];

beforeAll(async () => {
  db = await createTestDatabase();
  await fillHouse(db.pool, db.schema, { bookings: 100_000, resources: 1_000 });
  await openService(db.bookonce);
  await db.bookonce.resources.put({ id: "pool", kind: "pool", members: ["r1", "r2", "r3"] });
  const listen = (transaction: Transaction): Transaction => ({
    send(statements, options) {
      recorded.push(...statements);
      return transaction.send(statements, options);
    },
  });
  const { database } = db;
  shop = createBookonce({
    schema: testSchema,
    database: {
      transaction: (options, work) => database.transaction(options, (transaction) => work(listen(transaction))),
      join: (caller) => database.join(caller),
    },
  });
}, 600_000);
afterAll(() => db.drop());

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly Node[];
}

const large: ReadonlySet<string> = new Set(["bookings", "claims"]);

/** What was read of the large tables while `work` ran: how, and how many rows. */
async function readBy(work: () => Promise<unknown>): Promise<{ scans: string[]; rows: number; looked: number }> {
  recorded = [];
  await work();
  const nodes: Node[] = [];
  for (const { text, values } of recorded) {
    if (!/^\s*(with|select)/i.test(text)) continue;
    const client = await db.pool.connect();
    try {
      // Rolled back: some of them take locks or write.
      await client.query("begin");
      const plan = await client.query<{ "QUERY PLAN": { Plan: Node }[] }>(
        `explain (analyze, timing off, format json) ${text}`,
        [...values],
      );
      nodes.push(...(plan.rows[0]?.["QUERY PLAN"] ?? []).flatMap(({ Plan }) => flatten(Plan)));
    } catch (error) {
      // What the verb has written is in the way of writing it again; the plan without running it will do.
      await client.query("rollback; begin");
      const plan = await client.query<{ "QUERY PLAN": { Plan: Node }[] }>(`explain (format json) ${text}`, [...values]);
      nodes.push(...(plan.rows[0]?.["QUERY PLAN"] ?? []).flatMap(({ Plan }) => flatten(Plan)));
      if (!(error instanceof Error)) throw error;
    } finally {
      await client.query("rollback");
      client.release();
    }
  }
  const reads = nodes.filter((node) => large.has(node["Relation Name"] ?? "") && node["Node Type"].includes("Scan"));
  const times = (node: Node) => node["Actual Loops"] ?? 0;
  return {
    scans: reads.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"] ?? ""),
    looked: reads.length,
    rows: reads.reduce(
      (sum, node) =>
        sum +
        times(node) *
          ((node["Actual Rows"] ?? 0) +
            (node["Rows Removed by Filter"] ?? 0) +
            (node["Rows Removed by Index Recheck"] ?? 0)),
      0,
    ),
  };
}

function flatten(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

const week = { from: new Date(Date.now() + 86_400_000), to: new Date(Date.now() + 8 * 86_400_000) };
let hours = 0;
const free = () => ({ customer: unique("c"), start: hoursLater(20_000 + hours++), duration: { minutes: 60 } });

test.each<[string, () => Promise<unknown>]>([
  ["slots.find", () => shop.slots.find({ service: "visit", resources: ["r500"], ...week })],
  ["slots.find of a pool", () => shop.slots.find({ service: "visit", resources: ["pool"], ...week })],
  [
    "slots.find for a customer",
    () => shop.slots.find({ service: "visit", resources: ["r7"], customer: "customer 7", ...week }),
  ],
  ["slots.nextFree", () => shop.slots.nextFree({ service: "visit", resources: ["r8"] })],
  ["bookings.busy", () => shop.bookings.busy({ resources: ["r500", "r501"], ...week })],
  ["bookings.ofCustomer", () => shop.bookings.ofCustomer("customer 7")],
  ["reserveSlot", () => shop.reserveSlot({ ...free(), resources: ["r500"] })],
  ["reserveSlot of a pool", () => shop.reserveSlot({ ...free(), resources: ["pool", "r9"] })],
  [
    "reschedule",
    async () => {
      const made = await shop.reserveSlot({ ...free(), resources: ["r10"] });
      if (made.outcome !== "reserved") throw new Error(made.outcome);
      recorded = [];
      await shop.reschedule({ bookingId: made.booking.id, administrator: "olga", start: hoursLater(30_000) });
    },
  ],
])("%s reads by indexes, and little", async (_name, work) => {
  const { scans, rows, looked } = await readBy(work);
  expect(scans).toEqual([]);
  expect(looked).toBeGreaterThan(0);
  // Of 100 000: a week, a day or a customer of some resources.
  expect(rows).toBeLessThan(200);
});
