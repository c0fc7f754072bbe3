import { type PgPool, pgDatabase } from "bookonce/pg";
import { expect, test } from "vitest";
import { classify } from "../../src/database/failure.ts";

/** What becomes of a client of the application's pool. Concurrency and the server itself: conformance.test.ts. */

const options = { lockTimeoutMs: 1_000, statementTimeoutMs: 1_000, idleTimeoutMs: 1_000 };
const ask = { text: "select $1::text as result", values: ["a"] };

interface Sent {
  readonly text: string;
  readonly name?: string;
}

interface FakePool extends PgPool {
  readonly sent: Sent[];
  /** For every release, whether the client was thrown away. */
  readonly released: boolean[];
}

/** A pool of one client that answers as told. */
function fakePool(answer: (text: string) => Promise<unknown>, connecting: Promise<void> = Promise.resolve()): FakePool {
  const sent: Sent[] = [];
  const released: boolean[] = [];
  return {
    sent,
    released,
    async connect() {
      await connecting;
      return {
        async query(query: string | { text: string; name?: string }) {
          const one = typeof query === "string" ? { text: query } : query;
          sent.push(one);
          await answer(one.text);
          return { rows: [{ result: "answered" }] };
        },
        release: (destroy) => released.push(destroy === true),
      };
    },
  };
}

function failingOn(text: string, error: Error): (sent: string) => Promise<unknown> {
  return async (sent) => {
    if (sent === text) throw error;
  };
}

test("after an error that the server answered the client goes back, rolled back, whatever language it was said in", async () => {
  const pool = fakePool(
    failingOn(ask.text, Object.assign(new Error("нарушение"), { code: "23505", severity: "ОШИБКА" })),
  );
  await expect(pgDatabase(pool).transaction(options, (transaction) => transaction.send([ask]))).rejects.toThrow(
    "нарушение",
  );
  expect(pool.sent.at(-1)).toEqual({ text: "rollback" });
  expect(pool.released).toEqual([false]);
});

test("after an error that is not the server's the client is thrown away", async () => {
  const pool = fakePool(failingOn(ask.text, Object.assign(new Error("reset"), { code: "ECONNRESET" })));
  await expect(pgDatabase(pool).transaction(options, (transaction) => transaction.send([ask]))).rejects.toThrow(
    "reset",
  );
  expect(pool.released).toEqual([true]);
});

test("a client whose roll-back fails is thrown away", async () => {
  const pool = fakePool(failingOn("rollback", new Error("Connection terminated")));
  const running = pgDatabase(pool).transaction(options, async (transaction) => {
    await transaction.send([ask]);
    throw new Error("the work's own");
  });
  await expect(running).rejects.toThrow("the work's own");
  expect(pool.released).toEqual([true]);
});

test("after a failure nobody looked at no COMMIT is sent, for not every driver tells that it was answered with ROLLBACK", async () => {
  const pool = fakePool(failingOn(ask.text, Object.assign(new Error("no"), { code: "23505" })));
  const running = pgDatabase(pool).transaction(options, async (transaction) => {
    await transaction.send([ask]).catch(() => undefined);
  });
  await expect(running).rejects.toSatisfy((error) => classify(error) === "conflict");
  expect(pool.sent.map(({ text }) => text).filter((text) => text === "commit")).toEqual([]);
});

test("a client that is busy when the call is given up is thrown away", async () => {
  const abort = new AbortController();
  const pool = fakePool((text) => (text === ask.text ? new Promise(() => abort.abort()) : Promise.resolve()));
  const running = pgDatabase(pool).transaction({ ...options, signal: abort.signal }, (transaction) =>
    transaction.send([ask]),
  );
  await expect(running).rejects.toSatisfy((error) => classify(error) === "lost");
  expect(pool.released).toEqual([true]);
});

test("a client that comes after the give-up goes back unused", async () => {
  const abort = new AbortController();
  const connecting = Promise.withResolvers<void>();
  const pool = fakePool(async () => undefined, connecting.promise);
  const running = pgDatabase(pool).transaction({ ...options, signal: abort.signal }, (transaction) =>
    transaction.send([ask]),
  );
  abort.abort();
  await expect(running).rejects.toSatisfy((error) => classify(error) === "lost");
  expect(pool.released).toEqual([]);
  connecting.resolve();
  await expect.poll(() => pool.released).toEqual([false]);
  expect(pool.sent).toEqual([]);
});

test("with `prepare` a name stands for one text, in every process; a text without values has none", async () => {
  const pool = fakePool(async () => undefined);
  const other = { ...ask, text: "select $1::text || 'b' as result" };
  const plain = { text: "select 1; select 2", values: [] };
  await pgDatabase(pool, { prepare: true }).transaction(options, (transaction) =>
    transaction.send([ask, other, ask, plain]),
  );
  const names = pool.sent.map(({ name }) => name);
  expect(names).toEqual([undefined, names[1], names[2], names[1], undefined, undefined]);
  // PostgreSQL cuts names at 63 bytes.
  expect(names[1]).toMatch(/^bookonce_[\w-]{22}$/);
  expect(names[2]).not.toBe(names[1]);
});
