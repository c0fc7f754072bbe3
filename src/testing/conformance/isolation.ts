import assert from "node:assert/strict";
import { type Check, parseIds, patient, statement } from "./scratch.ts";

/** READ COMMITTED, whatever the default of the server, the role or the pool is. */

export const theTransactionIsReadCommittedAndWrites: Check<unknown> = async ({ database }) => {
  const results = await database.transaction(patient, (transaction) =>
    transaction.send([
      statement("select current_setting('transaction_isolation') as result"),
      statement("select current_setting('transaction_read_only') as result"),
    ]),
  );
  assert.deepEqual(results, ["read committed", "off"]);
};

export const twoTransactionsDoNotSeeEachOtherBeforeTheCommit: Check<unknown> = async ({ database, insert, select }) => {
  const written = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  const committed = Promise.withResolvers<void>();
  const writer = database.transaction(patient, async (transaction) => {
    await transaction.send([insert("a")]);
    written.resolve();
    await looked.promise;
  });
  const reader = database.transaction(patient, async (transaction) => {
    await written.promise;
    const before = parseIds((await transaction.send([select]))[0]);
    looked.resolve();
    await committed.promise;
    // A new statement sees what was committed meanwhile.
    return [before, parseIds((await transaction.send([select]))[0])];
  });
  await writer;
  committed.resolve();
  assert.deepEqual(await reader, [[], ["a"]]);
};

export const aStatementAfterALockSeesWhatTheLockWaitedFor: Check<unknown> = async ({ database, table, insert }) => {
  await database.transaction(patient, (transaction) => transaction.send([insert("slot")], { last: true }));
  const lock = statement(`select id as result from ${table} where id = 'slot' for no key update`);
  const count = statement(`select count(*)::text as result from ${table}`);
  const takeOne = () =>
    database.transaction(patient, async (transaction) => {
      const [, seen] = await transaction.send([lock, count]);
      await transaction.send([insert(`booking ${seen}`)], { last: true });
      return Number(seen);
    });
  // In a snapshot taken before the wait, two of them would count the same and one insert would fail.
  const counts = await Promise.all(Array.from({ length: 12 }, takeOne));
  assert.deepEqual(
    counts.sort((a, b) => a - b),
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
};
