import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { DoctorFinding, DoctorReport } from "bookonce";
import { createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../../support/database.ts";
import { book, hour, lateCharge, minute, receipt, untilBlocked } from "../../support/fixtures.ts";

// O3, B4. A database for each test: the doctor looks at all of it.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await db.drop();
});

const codes = async () => (await db.bookonce.doctor()).findings.map(({ code, severity }) => `${code} ${severity}`);
const deliverAll = () => db.bookonce.events.run(async () => undefined);

test("O3: nothing to find in a shop that is well, and whose workers run", async () => {
  await book(db.bookonce);
  await deliverAll();
  expect(await db.bookonce.doctor()).toEqual({ findings: [], waits: [], ok: true });
});

describe("O3: each finding, provoked", () => {
  const provoked: Record<DoctorFinding["code"] & string, (() => Promise<void>) | null> = {
    clock_shifted: () => db.clock.advance(5_000),
    clock_skew: async () => {
      const now = Date.now;
      vi.spyOn(Date, "now").mockImplementation(() => now() + 60_000);
    },
    events_stale: async () => {
      await book(db.bookonce, { hold: { hours: 5 } });
      await db.clock.advance(11 * minute);
    },
    events_parked: async () => {
      await book(db.bookonce);
      await db.bookonce.events.run(() => Promise.reject(new Error("no")), { parkAfter: 1 });
    },
    refunds_stale: async () => {
      await lateCharge(db);
      await deliverAll();
      await db.clock.advance(61 * minute);
    },
    refunds_attention: async () => {
      await lateCharge(db);
      const refuse = async () => ({ answer: "refused" as const, error: "CHARGE_NOT_FOUND" });
      await db.bookonce.refunds.run({ provider: "telegram_stars", refund: refuse });
      await deliverAll();
    },
    reviews_open: async () => {
      const booking = await book(db.bookonce);
      await receipt(db.bookonce, booking, { amount: 1 });
      await deliverAll();
    },
    unreadable_times: async () => {
      await db.bookonce.resources.put({ id: "anna" });
      await db.pool.query(`update ${db.schema}.resources set rules = '{"schedule": {"zone": "America/Newzone"}}'`);
    },
    sweep_stale: async () => {
      await book(db.bookonce);
      await deliverAll();
      await db.clock.advance(hour + 16 * minute);
    },
    not_migrated: async () => {
      await db.pool.query(`delete from ${db.schema}.migrations where number = 1`);
    },
    // Each of these has a test of its own.
    waiting: null,
    unreachable: null,
    no_zone_data: null,
  };
  test.each(Object.entries(provoked).filter(([, provoke]) => provoke !== null))("%s", async (code, provoke) => {
    await provoke?.();
    const { findings, ok } = await db.bookonce.doctor();
    const found = findings.find((finding) => finding.code === code);
    expect(found?.message).toMatch(/[.?]$/);
    expect(ok).toBe(found?.severity === "info" && findings.every(({ severity }) => severity === "info"));
  });

  test("unreachable: a database that is away is a finding, not an exception", async () => {
    const database = pgDatabase({ connectionString: "postgres://nobody@127.0.0.1:1/nothing" });
    const report = await createBookonce({ database }).doctor();
    expect(report).toMatchObject({ findings: [{ code: "unreachable", severity: "error" }], waits: [], ok: false });
    await database.close();
  });

  test("no_zone_data: a Node that knows no zone but UTC; everything else is looked at all the same", async () => {
    await book(db.bookonce);
    await db.clock.advance(hour + 16 * minute);
    const script = fileURLToPath(new URL("doctor-without-zone-data.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", script, db.url, testSchema]);
    const report: DoctorReport = JSON.parse(stdout);
    expect(report.ok).toBe(false);
    expect(report.findings.map(({ code, severity }) => `${code} ${severity}`).toSorted()).toEqual([
      "clock_shifted error",
      "events_stale warning",
      "no_zone_data error",
      "sweep_stale info",
    ]);
  });

  test("not_migrated: a database without our tables at all", async () => {
    await db.pool.query(`drop schema ${db.schema} cascade`);
    expect(await codes()).toEqual(["not_migrated error"]);
  });
});

test("B4: a stuck lock is visible: who waits for whom, since when, and with what in hand", async () => {
  await db.bookonce.resources.put({ id: "anna" });
  expect(await db.bookonce.waits()).toEqual([]);
  const [blocker, waiter] = [await db.pool.connect(), await db.pool.connect()];
  await blocker.query(`begin; select from ${db.schema}.resources where id = 'anna' for update`);
  const waiting = waiter.query(`select from ${db.schema}.resources where id = 'anna' for update`);
  await untilBlocked(db);
  const pid = async () => (await blocker.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
  const blockingPid = await pid();
  const [wait, ...others] = await db.bookonce.waits();
  expect(others).toEqual([]);
  expect(wait).toMatchObject({ blockingPid, blockingState: "idle in transaction", waitingFor: "Lock/transactionid" });
  expect(wait?.waitingQuery).toContain("for update");
  await expect.poll(codes, { timeout: 30_000 }).toContain("waiting warning");
  await blocker.query("commit");
  await waiting;
  blocker.release();
  waiter.release();
  expect(await db.bookonce.waits()).toEqual([]);
});
