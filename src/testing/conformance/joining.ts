import assert from "node:assert/strict";
import { errorCode } from "../../database/failure.ts";
import { type Check, parseIds, statement } from "./scratch.ts";

/** `join`: statements in a transaction that somebody else begins and ends. */

export const joinCommitsWithTheCaller: Check<unknown> = async ({ callerTransaction, database, insert, ids }) => {
  await callerTransaction(async (caller) => {
    await database.join(caller).send([insert("a")]);
    await database.join(caller).send([insert("b")]);
  });
  assert.deepEqual(await ids(), ["a", "b"]);
};

export const joinRollsBackWithTheCallerEvenAfterLast: Check<unknown> = async ({
  callerTransaction,
  database,
  insert,
  ids,
  select,
}) => {
  const reason = new Error("the caller's own reason");
  const running = callerTransaction(async (caller) => {
    const transaction = database.join(caller);
    await transaction.send([insert("a")], { last: true });
    const [seen] = await transaction.send([select]);
    assert.deepEqual(parseIds(seen), ["a"]);
    throw reason;
  });
  await assert.rejects(running, /the caller's own reason/);
  assert.deepEqual(await ids(), []);
};

export const joinLeavesTheCallersSettingsAlone: Check<unknown> = async ({ callerTransaction, database }) => {
  await callerTransaction(async (caller) => {
    const transaction = database.join(caller);
    const results = await transaction.send([
      statement("set local lock_timeout = 7777"),
      statement("select current_setting('lock_timeout') as result"),
    ]);
    assert.deepEqual(results, [null, "7777ms"]);
    const [again] = await database.join(caller).send([statement("select current_setting('lock_timeout') as result")]);
    assert.equal(again, "7777ms");
  });
};

export const anErrorInJoinIsTheServersOwn: Check<unknown> = async ({ callerTransaction, database, insert, ids }) => {
  const running = callerTransaction(async (caller) => {
    await database.join(caller).send([insert("a"), insert("a")]);
  });
  await assert.rejects(running, (error) => errorCode(error) === "23505");
  assert.deepEqual(await ids(), []);
};
