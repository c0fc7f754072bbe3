import { createBookonce, type Database, queryDatabase } from "bookonce";
import { kyselyDatabase } from "bookonce/kysely";
import { pgDatabase } from "bookonce/pg";
import { pgliteDatabase } from "bookonce/pglite";
import { describe, expect, test } from "vitest";

// O6: what is not a database is refused where it is given, with a sentence that says what would be one.
const wrong = [null, undefined, "postgres://localhost/bot", 7, () => undefined, [], { connect: "now" }, { query: 1 }];

const adapters: Readonly<Record<string, (given: never) => unknown>> = {
  pgDatabase: (given) => pgDatabase(given),
  kyselyDatabase: (given) => kyselyDatabase(given),
  pgliteDatabase: (given) => pgliteDatabase(given),
  queryDatabase: (given) => queryDatabase(given),
};

/** An object without `connect` is settings, whatever node-postgres makes of them. */
const isSettings = (adapter: string, given: unknown) =>
  adapter === "pgDatabase" && typeof given === "object" && given !== null && !("connect" in given);

describe.each(Object.entries(adapters))("%s", (name, adapter) => {
  test.each(wrong.filter((given) => !isSettings(name, given)))("refuses %j", (given) => {
    const problem = { code: "invalid_input", message: expect.stringMatching(`^${name}: must be an?`) };
    expect(() => adapter(given as never)).toThrow(expect.objectContaining(problem));
  });
});

const nothing = {
  transaction: () => Promise.reject(new Error("not asked")),
  connect: () => Promise.reject(new Error()),
};
const databases: readonly (readonly [string, Database<never>])[] = [
  ["pg", pgDatabase(nothing)],
  ["Kysely", kyselyDatabase({ withoutPlugins: () => ({ connection: () => ({ execute: () => Promise.reject() }) }) })],
  ["PGlite", pgliteDatabase(nothing)],
  ["any driver", queryDatabase(nothing)],
];

describe.each(databases)("within() over %s", (_, database) => {
  test.each([{}, "trx", 7, { query: "select" }, []])("refuses %j before anything is sent", (caller) => {
    const problem = { code: "invalid_input", message: expect.stringMatching("^within: must be an?") };
    expect(() => createBookonce({ database }).within(caller as never)).toThrow(expect.objectContaining(problem));
  });
});
