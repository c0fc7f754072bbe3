import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { aResource, book, count, query } from "../support/fixtures.ts";
import type { BuyersReport, BuyersTask } from "./support/buyers.ts";

const buyers = 1_000;
const processes = 4;

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

/** A process with its share of the buyers: `ready` when it is connected, `report` when it was told to go and has all its answers. */
function buyersProcess(task: BuyersTask): { ready: Promise<string>; go(): void; report: Promise<BuyersReport> } {
  const script = fileURLToPath(new URL("./support/buyers.ts", import.meta.url));
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, ["--import", "tsx", script]);
  child.stderr.pipe(process.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(`${JSON.stringify(task)}\n`);
  const ready = lines.next().then((line) => String(line.value));
  return {
    ready,
    go: () => child.stdin.write("go\n"),
    report: ready.then(() => lines.next()).then((line) => JSON.parse(String(line.value)) as BuyersReport),
  };
}

test("a thousand buyers in four processes press Pay for one slot: one yes, and everybody is answered", async () => {
  const resources = [await aResource(db.bookonce)];
  const invoices = await Promise.all(
    Array.from({ length: buyers }, () => book(db.bookonce, { resources, claim: "at_checkout" })),
  );
  const tasks = Array.from({ length: processes }, (_, part) => ({
    url: db.url,
    schema: testSchema,
    queries: invoices.filter((_, index) => index % processes === part).map((invoice) => query(invoice)),
  }));
  const children = tasks.map(buyersProcess);
  expect(await Promise.all(children.map((child) => child.ready))).toEqual(Array(processes).fill("ready"));
  for (const child of children) child.go();
  const reports = await Promise.all(children.map((child) => child.report));

  const total: Record<string, number> = {};
  for (const { answers } of reports) {
    for (const [answer, number] of Object.entries(answers)) total[answer] = (total[answer] ?? 0) + number;
  }
  const slowestMs = Math.max(...reports.map((report) => report.slowestMs));
  console.log(`${buyers} buyers, ${processes} processes: the slowest answer took ${slowestMs.toFixed(0)} ms`);
  // No `unavailable` among them: every decision was made within its budget of eight seconds, of the ten that Telegram gives.
  expect(total).toEqual({ approved: 1, slot_taken: buyers - 1 });
  expect(await count(db, "claims")).toBe(1);
  expect(await count(db, "checkouts", "decision = 'approved'")).toBe(1);
  expect(await count(db, "checkouts", "decision = 'declined' and reason = 'slot_taken'")).toBe(buyers - 1);
  const { rows } = await db.pool.query(
    "select deadlocks::int from pg_stat_database where datname = current_database()",
  );
  expect(rows).toEqual([{ deadlocks: 0 }]);
});
