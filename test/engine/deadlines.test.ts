import { createBookonce } from "bookonce";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { book, digestOf, preCheckout, query, receiptOf, soon } from "../support/fixtures.ts";
import { createEngine, lockResource, reserveIn, resourcesNamed } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test("a command whose budget is over is refused, and its neighbours in the batch are not (S3)", async () => {
  const engine = createEngine(db.database, { timeouts: { lockMs: 400, statementMs: 5_000, idleMs: 5_000 } });
  const [first = "", stuck = "", other = ""] = await resourcesNamed(db, 3);
  const unlock = await lockResource(db, stuck);
  const [ahead, late, neighbour] = await Promise.all([
    reserveIn(engine, first),
    reserveIn(engine, stuck, { budgetMs: 50 }),
    reserveIn(engine, other),
  ]);
  await unlock();
  expect(ahead.outcome).toBe("reserved");
  expect(late).toEqual({ outcome: "refused", reason: "busy", retryable: true });
  expect(neighbour.outcome).toBe("reserved");
});

test("a command that its caller gives up is refused at once, and its neighbours are not", async () => {
  const engine = createEngine(db.database, { timeouts: { lockMs: 400, statementMs: 5_000, idleMs: 5_000 } });
  const [first = "", stuck = "", other = ""] = await resourcesNamed(db, 3);
  const unlock = await lockResource(db, stuck);
  const abort = new AbortController();
  const ahead = reserveIn(engine, first);
  const given = reserveIn(engine, stuck, { signal: abort.signal });
  const neighbour = reserveIn(engine, other);
  abort.abort();
  // Before the lock is released, and so before any answer of the database could come.
  expect(await given).toEqual({ outcome: "refused", reason: "busy", retryable: true });
  await unlock();
  expect((await ahead).outcome).toBe("reserved");
  expect((await neighbour).outcome).toBe("reserved");
});

test("a signal that fired before the call starts nothing", async () => {
  const engine = createEngine(db.database);
  const [name = ""] = await resourcesNamed(db, 1);
  const before = await digestOf(db);
  expect(await reserveIn(engine, name, { signal: AbortSignal.abort() })).toMatchObject({ reason: "busy" });
  expect(await digestOf(db)).toBe(before);
});

test("without an answer in time pre-checkout is declined, and a receipt is an error that asks to come again (S3, S13)", async () => {
  const booking = await book(db.bookonce);
  const unlock = await lockResource(db, booking.resources[0] ?? "");
  const before = await digestOf(db);
  const declined = await db.bookonce.decidePreCheckout(query(booking), { budgetMs: 300 });
  expect(declined).toMatchObject({ outcome: "declined", reason: "unavailable" });
  const running = db.bookonce.confirmPayment(receiptOf(booking), { budgetMs: 300 });
  await expect(running).rejects.toMatchObject({ code: "unavailable", retryable: true });
  expect(await digestOf(db)).toBe(before);
  await unlock();
  expect(await preCheckout(db.bookonce, booking)).toMatchObject({ outcome: "approved" });
});

test("when the pool has no connection left, the budget still holds, and the connection that comes later is given back (S3)", async () => {
  const other = db.another({ timeouts: { idleMs: 20_000 } });
  const booking = await book(other);
  // All eight connections of the instance, held by transactions that wait for a lock.
  const unlock = await lockResource(db, booking.resources[0] ?? "");
  const holders = Array.from({ length: 12 }, (_, index) =>
    other.resources.put({ id: booking.resources[0] ?? "", name: `holder ${index}` }).then(
      () => "put",
      () => "failed",
    ),
  );
  const declined = await other.decidePreCheckout(query(booking), { budgetMs: 200 });
  expect(declined).toMatchObject({ outcome: "declined", reason: "unavailable" });
  await unlock();
  await Promise.all(holders);
  const answers = await Promise.all(Array.from({ length: 20 }, () => preCheckout(other, booking)));
  expect(answers.filter(({ outcome }) => outcome === "approved")).toHaveLength(1);
});

test.each([Number.NaN, -1])("a budget of %s is bad input, not an answer that never comes (O6)", async (budgetMs) => {
  const input = { customer: "c", resources: ["r"], start: soon, duration: { minutes: 60 } };
  await expect(db.bookonce.reserveSlot(input, { budgetMs })).rejects.toMatchObject({ code: "invalid_input" });
});

test("a budget without end is one that no timer cuts short", async () => {
  const booking = await book(db.bookonce);
  const decision = await db.bookonce.decidePreCheckout(query(booking), { budgetMs: Number.POSITIVE_INFINITY });
  expect(decision.outcome).toBe("approved");
});

test.each([
  { batch: { size: 0 } },
  { batch: { inFlight: 0 } },
  { timeouts: { lockMs: 0 } },
  { timeouts: { statementMs: Number.NaN } },
  { timeouts: { idleMs: 1.5 } },
])("settings under which nothing would run, or nothing would end, are refused: %j (O6)", (settings) => {
  expect(() => createBookonce({ database: db.database, schema: testSchema, ...settings })).toThrow(
    expect.objectContaining({ code: "invalid_input" }),
  );
});
