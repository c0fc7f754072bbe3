import type { Database } from "bookonce";
import { type PgClient, pgDatabase } from "bookonce/pg";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";

/** Several statements in one flight of node-postgres. What every adapter must do: conformance.test.ts. */

const options = { lockTimeoutMs: 1_000, statementTimeoutMs: 5_000, idleTimeoutMs: 5_000 };
const echo = (value: string) => ({ text: "select $1::text as result", values: [value] });
const divide = (by: string) => ({ text: "select (1 / $1::text::integer)::text as result", values: [by] });

for (const prepare of [false, true]) {
  describe(prepare ? "prepared" : "not prepared", () => {
    let pool: pg.Pool;
    let database: Database<PgClient>;
    beforeAll(() => {
      // One connection, so that each transaction finds what the one before it has left there.
      pool = new pg.Pool({ connectionString: inject("postgresUrl"), max: 1 });
      database = pgDatabase(pool, { prepare });
    });
    afterAll(() => pool.end());

    const send = (...statements: { text: string; values: string[] }[]) =>
      database.transaction(options, (transaction) => transaction.send(statements));

    test("each statement has its own answer, one that is sent twice too", async () => {
      expect(await send(echo("a"), divide("1"), echo("b"))).toEqual(["a", "1", "b"]);
      expect(await send(echo("é"), echo(""))).toEqual(["é", ""]);
    });

    test("no row and an empty row are no answer", async () => {
      const none = { text: "select $1::text as result where false", values: ["a"] };
      const empty = { text: "select nullif($1::text, $1::text) as result", values: ["a"] };
      expect(await send(none, empty, echo("a"))).toEqual([null, null, "a"]);
    });

    test("after a failure the same statements work on the same connection, those that were never reached too", async () => {
      // None of them was sent before: the first has been prepared when the second fails, and the third never is.
      const first = { text: "select $1::text || '?' as result", values: ["a"] };
      const failing = (by: string) => ({ text: "select (2 / $1::text::integer)::text as result", values: [by] });
      const never = { text: "select $1::text || '!' as result", values: ["a"] };
      await expect(send(first, failing("0"), never)).rejects.toMatchObject({ code: "22012" });
      expect(await send(first, failing("1"), never)).toEqual(["a?", "2", "a!"]);
      expect(pool.totalCount).toBe(1);
    });

    test("a statement that cannot be parsed fails as such, and again the next time", async () => {
      const wrong = { text: "select $1::text as result from nowhere", values: ["a"] };
      await expect(send(wrong)).rejects.toMatchObject({ code: "42P01" });
      await expect(send(wrong)).rejects.toMatchObject({ code: "42P01" });
      expect(await send(echo("a"))).toEqual(["a"]);
    });

    test("a text without values may be several statements", async () => {
      const script = {
        text: "create temp table several (n int) on commit drop; insert into several values (1)",
        values: [],
      };
      const count = { text: "select count(*)::text as result from several", values: [] };
      expect(await send(script, count, echo("a"))).toEqual([null, "1", "a"]);
    });

    test("a connection that the server ends in the middle of a flight is replaced", async () => {
      const suicide = {
        text: "select pg_terminate_backend(pg_backend_pid(), $1::text::bigint)::text as result",
        values: ["0"],
      };
      pool.once("error", () => undefined);
      await expect(send(echo("a"), suicide, echo("b"))).rejects.toThrow();
      expect(await send(echo("a"))).toEqual(["a"]);
    });
  });
}

test("node-postgres's own query_timeout ends a flight, and the connection with it", async () => {
  const pool = new pg.Pool({ connectionString: inject("postgresUrl"), max: 1, query_timeout: 200 });
  const database = pgDatabase(pool);
  const slow = { text: "select pg_sleep($1::text::float)::text as result", values: ["3"] };
  await expect(database.transaction(options, (transaction) => transaction.send([slow]))).rejects.toThrow("timeout");
  await expect(database.transaction(options, (transaction) => transaction.send([echo("a")]))).resolves.toEqual(["a"]);
  await pool.end();
});
