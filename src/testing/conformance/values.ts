import assert from "node:assert/strict";
import { type Check, patient, statement } from "./scratch.ts";

/** Statements in, results out: nothing on the way may change a text. */

export const everyTextComesBackAsItWent: Check<unknown> = async ({ database }) => {
  const texts = [
    "",
    " ",
    "null",
    "$1 $x {{y}} %s ? :name @p1",
    `'single' "double" \\backslash\\ ''`,
    "line\r\nline\ttab\u2028\u2029",
    "ўзбекча, русский, 中文, עברית, é, e\u0301",
    "👩‍💻🇺🇿 🏳️‍🌈",
    JSON.stringify({ at: "2027-01-15T10:00:00.000Z", amount: 9007199254740991, nested: [{ 'a"b': null }] }),
    "9007199254740993",
    "2027-01-15T10:00:00+05:00",
    "{1,2,3}",
    "[1,2]",
    "true",
  ];
  const results = await database.transaction(patient, (transaction) =>
    transaction.send(texts.map((text) => ({ text: "select $1::text as result", values: [text] }))),
  );
  assert.deepEqual(results, texts);
};

export const aDocumentOfMegabytesComesBack: Check<unknown> = async ({ database }) => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({
    index,
    title: `Стрижка № ${index} 💇`,
    data: "x".repeat(80),
  }));
  const values = [JSON.stringify(rows)];
  const [count, last] = await database.transaction(patient, (transaction) =>
    transaction.send([
      { text: "select jsonb_array_length($1::text::jsonb)::text as result", values },
      { text: "select $1::text as result", values },
    ]),
  );
  assert.equal(count, "20000");
  assert.equal(last, values[0]);
};

export const aResultIsTheColumnOfTheFirstRowOrNull: Check<unknown> = async ({ database, insert }) => {
  const results = await database.transaction(patient, (transaction) =>
    transaction.send([
      statement("select v as result from (values ('first'), ('second')) as rows(v)"),
      statement("select null::text as result"),
      statement("select 'x' as result where false"),
      insert("a"),
      statement("set local search_path = pg_catalog"),
      { text: "select $1::text || $2::text || $1::text as result", values: ["a", "b"] },
    ]),
  );
  assert.deepEqual(results, ["first", null, null, null, null, "aba"]);
};

export const statementsRunInTheOrderTheyWereSent: Check<unknown> = async ({ database, table }) => {
  const numbers = Array.from({ length: 64 }, (_, index) => String(index));
  // Each statement sees what the one before it has written.
  const append = {
    text: `insert into ${table} (id) select count(*)::text from ${table} returning id as result`,
    values: [] as string[],
  };
  const results = await database.transaction(patient, async (transaction) => [
    ...(await transaction.send(numbers.slice(0, 40).map(() => append))),
    ...(await transaction.send(
      numbers.slice(40).map(() => append),
      { last: true },
    )),
  ]);
  assert.deepEqual(results, numbers);
};

export const aTextOfSeveralStatementsRunsWhenItHasNoValues: Check<unknown> = async ({ database, table, ids }) => {
  const [result] = await database.transaction(patient, (transaction) =>
    transaction.send([statement(`insert into ${table} values ('a'); insert into ${table} values ('b'); select 'c'`)]),
  );
  assert.equal(result, null);
  assert.deepEqual(await ids(), ["a", "b"]);
};

export const noStatementsAreNoTrouble: Check<unknown> = async ({ database, insert, ids }) => {
  assert.equal(await database.transaction(patient, async () => "unopened"), "unopened");
  assert.deepEqual(await database.transaction(patient, (transaction) => transaction.send([], { last: true })), []);
  await database.transaction(patient, async (transaction) => {
    await transaction.send([insert("a")]);
    await transaction.send([], { last: true });
  });
  assert.deepEqual(await ids(), ["a"]);
};
