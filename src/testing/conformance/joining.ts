import assert from "node:assert/strict";
import { errorCode } from "../../database/failure.ts";
import { type ConformanceDatabase, type Check, type Scratch, parseIds, statement } from "./scratch.ts";

/** `join`: statements in a transaction that somebody else begins and ends. */

function callerTransactionOf(
  scratch: Scratch<unknown>,
): NonNullable<ConformanceDatabase<unknown>["callerTransaction"]> {
  const { callerTransaction } = scratch;
  if (callerTransaction === undefined) throw new Error("this check needs callerTransaction");
  return callerTransaction;
}

export const joinCommitsWithTheCaller: Check<unknown> = async (scratch) => {
  const { database, insert, ids } = scratch;
  await callerTransactionOf(scratch)(async (caller) => {
    await database.join(caller).send([insert("a")]);
    await database.join(caller).send([insert("b")]);
  });
  assert.deepEqual(await ids(), ["a", "b"]);
};

export const joinRollsBackWithTheCallerEvenAfterLast: Check<unknown> = async (scratch) => {
  const { database, insert, ids, select } = scratch;
  const reason = new Error("the caller's own reason");
  const running = callerTransactionOf(scratch)(async (caller) => {
    const transaction = database.join(caller);
    await transaction.send([insert("a")], { last: true });
    const [seen] = await transaction.send([select]);
    assert.deepEqual(parseIds(seen), ["a"]);
    throw reason;
  });
  await assert.rejects(running);
  assert.deepEqual(await ids(), []);
};

export const joinLeavesTheCallersSettingsAlone: Check<unknown> = async (scratch) => {
  const { database } = scratch;
  await callerTransactionOf(scratch)(async (caller) => {
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

export const anErrorInJoinIsTheServersOwn: Check<unknown> = async (scratch) => {
  const { database, insert, ids } = scratch;
  const running = callerTransactionOf(scratch)(async (caller) => {
    await database.join(caller).send([insert("a"), insert("a")]);
  });
  await assert.rejects(running, (error) => errorCode(error) === "23505");
  assert.deepEqual(await ids(), []);
};
