import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { buggy, counted, createEngine, lockResource, reserveIn, resourcesNamed } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test("commands that arrive in one turn of the event loop travel together", async () => {
  const { database, transactions } = counted(db.database);
  const engine = createEngine(database);
  const names = await resourcesNamed(db, 64);
  const outcomes = await Promise.all(names.map((name) => reserveIn(engine, name)));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(names.map(() => "reserved"));
  expect(transactions()).toBe(1);
});

test("commands that arrive while the database is busy travel together", async () => {
  const { database, transactions } = counted(db.database);
  const engine = createEngine(database);
  const [ahead = "", ...names] = await resourcesNamed(db, 33);
  const unlock = await lockResource(db, ahead);
  const first = reserveIn(engine, ahead);
  await nextTurn();
  const others = [];
  for (const name of names) {
    others.push(reserveIn(engine, name));
    await nextTurn();
  }
  await unlock();
  expect((await Promise.all([first, ...others])).every(({ outcome }) => outcome === "reserved")).toBe(true);
  expect(transactions()).toBe(2);
});

test("what waits is shared out evenly among the batches in flight", async () => {
  const { database, transactions } = counted(db.database);
  const engine = createEngine(database, { batchesInFlight: 2 });
  // Callers who each ask again when they were answered, as a busy bot's do.
  const names = await resourcesNamed(db, 16 * 20);
  const caller = async (_: unknown, turn: number): Promise<void> => {
    for (const name of names.slice(turn * 20, turn * 20 + 20)) await reserveIn(engine, name);
  };
  await Promise.all(Array.from({ length: 16 }, caller));
  // Forty of eight each, and a few smaller ones when both come back in one turn; not twenty of sixteen.
  expect(transactions()).toBeGreaterThan(30);
  expect(transactions()).toBeLessThan(60);
});

test("a few commands are one batch, however many could be in flight", async () => {
  const { database, transactions } = counted(db.database);
  const engine = createEngine(database, { batchesInFlight: 4 });
  const names = await resourcesNamed(db, 4);
  await Promise.all(names.map((name) => reserveIn(engine, name)));
  expect(transactions()).toBe(1);
});

test("of a batch of 64 in which one decision throws, 63 are stored and one fails", async () => {
  const { database, transactions } = counted(db.database);
  const engine = createEngine(database);
  const names = await resourcesNamed(db, 64);
  const bug = new Error("a bug in a decision");
  const first = reserveIn(engine, names[0] ?? "");
  const failing = engine.run(buggy(bug), { budgetMs: 10_000 });
  const others = Promise.all(names.slice(1).map((name) => reserveIn(engine, name)));
  await expect(failing).rejects.toMatchObject({ code: "internal", cause: bug });
  expect(await first).toMatchObject({ outcome: "reserved" });
  expect((await others).filter(({ outcome }) => outcome === "reserved")).toHaveLength(63);
  // One for the batch that failed, one for each of its 64, and one for the last.
  expect(transactions()).toBe(66);
});

test("of a batch of 64 in which one resource is locked elsewhere, 63 are stored and one is told to come again (B4)", async () => {
  const engine = createEngine(db.database, { timeouts: { lockMs: 200, statementMs: 5_000, idleMs: 5_000 } });
  const names = await resourcesNamed(db, 65);
  const [first = "", stuck = "", ...others] = names;
  const unlock = await lockResource(db, stuck);
  const running = [
    reserveIn(engine, first),
    reserveIn(engine, stuck, { budgetMs: 1_500 }),
    ...others.map((name) => reserveIn(engine, name)),
  ];
  const [ahead, behindTheLock, ...rest] = await Promise.all(running);
  await unlock();
  expect(ahead).toMatchObject({ outcome: "reserved" });
  expect(behindTheLock).toEqual({ outcome: "refused", reason: "busy", retryable: true });
  expect(rest.filter(({ outcome }) => outcome === "reserved")).toHaveLength(63);
  // "Come again" was true: nothing of it was stored, and now it is free.
  expect(await reserveIn(engine, stuck)).toMatchObject({ outcome: "reserved" });
});

test("commands that wait for a stuck lock again and again do not keep fresh ones waiting (B4)", async () => {
  // One batch in flight, and a dozen commands that occupy a connection for a second each, many times over.
  const engine = createEngine(db.database, { timeouts: { lockMs: 1_000, statementMs: 5_000, idleMs: 5_000 } });
  const [stuck = "", ...names] = await resourcesNamed(db, 31);
  const unlock = await lockResource(db, stuck);
  const abort = new AbortController();
  const waiting = Promise.all(
    Array.from({ length: 12 }, () => reserveIn(engine, stuck, { budgetMs: 60_000, signal: abort.signal })),
  );
  const outcomes = [];
  for (const name of names) outcomes.push(await reserveIn(engine, name, { budgetMs: 6_000 }));
  abort.abort();
  await unlock();
  expect(outcomes.filter(({ outcome }) => outcome === "reserved")).toHaveLength(names.length);
  expect((await waiting).every(({ outcome }) => outcome === "refused")).toBe(true);
});
