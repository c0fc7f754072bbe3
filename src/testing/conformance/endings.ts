import assert from "node:assert/strict";
import { classify, errorCode } from "../../database/failure.ts";
import { type Check, patient, statement } from "./scratch.ts";

/** Commit and roll-back: what resolved is stored, what rejected is not. */

export const whatResolvesIsCommitted: Check<unknown> = async ({ database, insert, ids }) => {
  const answer = await database.transaction(patient, async (transaction) => {
    await transaction.send([insert("a")]);
    await transaction.send([insert("b")]);
    return 42;
  });
  assert.equal(answer, 42);
  await database.transaction(patient, async (transaction) => {
    await transaction.send([insert("c")]);
    await transaction.send([insert("d")], { last: true });
  });
  await database.transaction(patient, (transaction) => transaction.send([insert("e")], { last: true }));
  assert.deepEqual(await ids(), ["a", "b", "c", "d", "e"]);
};

export const aRejectionOfTheWorkRollsBack: Check<unknown> = async ({ database, insert, ids }) => {
  const reason = new Error("changed my mind");
  const running = database.transaction(patient, async (transaction) => {
    await transaction.send([insert("a")]);
    throw reason;
  });
  await assert.rejects(running, (error) => error === reason);
  assert.deepEqual(await ids(), []);
};

export const aFailedStatementRejectsWithItsOwnErrorAndRollsBack: Check<unknown> = async ({ database, insert, ids }) => {
  for (const last of [false, true]) {
    const running = database.transaction(patient, (transaction) =>
      // The error of the first that failed, not "current transaction is aborted" of those behind it.
      transaction.send([insert("a"), insert("a"), insert("b"), statement("select 1 / 0")], { last }),
    );
    await assert.rejects(running, (error) => errorCode(error) === "23505");
  }
  assert.deepEqual(await ids(), []);
};

export const aTransactionWhoseFailureNobodyLookedAtIsNotTakenForCommitted: Check<unknown> = async ({
  database,
  insert,
  ids,
}) => {
  // PostgreSQL answers this COMMIT with ROLLBACK, and without an error.
  const running = database.transaction(patient, async (transaction) => {
    await transaction.send([insert("a")]);
    await transaction.send([statement("select 1 / 0")]).catch(() => undefined);
  });
  await assert.rejects(running, (error) => classify(error) === "conflict");
  assert.deepEqual(await ids(), []);
};

export const aConstraintThatFailsAtTheCommitRejects: Check<unknown> = async ({ database, table, insert, ids }) => {
  await database.transaction(patient, (transaction) =>
    transaction.send([
      statement(`create table ${table}_child (id text references ${table} deferrable initially deferred)`),
    ]),
  );
  const orphan = statement(`insert into ${table}_child values ('nobody')`);
  const isForeignKey = (error: unknown): boolean => errorCode(error) === "23503";
  await assert.rejects(
    database.transaction(patient, (transaction) => transaction.send([insert("a"), orphan], { last: true })),
    isForeignKey,
  );
  await assert.rejects(
    database.transaction(patient, async (transaction) => {
      await transaction.send([insert("a"), orphan]);
    }),
    isForeignKey,
  );
  assert.deepEqual(await ids(), []);
};

export const theDatabaseWorksOnAfterAnyNumberOfFailures: Check<unknown> = async ({
  database,
  connections,
  insert,
  ids,
}) => {
  for (let round = 0; round < connections * 2 + 1; round += 1) {
    await assert.rejects(database.transaction(patient, (transaction) => transaction.send([statement("select 1 / 0")])));
    await assert.rejects(database.transaction(patient, () => Promise.reject(new Error("no"))));
  }
  await database.transaction(patient, (transaction) => transaction.send([insert("a")], { last: true }));
  assert.deepEqual(await ids(), ["a"]);
};

export const anEarlierErrorOfOneTransactionIsNotSeenByTheNext: Check<unknown> = async ({ database }) => {
  await assert.rejects(database.transaction(patient, (transaction) => transaction.send([statement("no sql at all")])));
  const results = await database.transaction(patient, (transaction) =>
    transaction.send([statement("select 'fine' as result")], { last: true }),
  );
  assert.deepEqual(results, ["fine"]);
};
