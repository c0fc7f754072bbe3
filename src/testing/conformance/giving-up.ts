import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { classify } from "../../database/failure.ts";
import { type Check, patient, statement } from "./scratch.ts";

/** The signal: the call ends at once, and the connection comes back clean or not at all. */

const isLost = (error: unknown): boolean => classify(error) === "lost";

export const aSignalThatFiredBeforeStartsNothing: Check<unknown> = async ({ database, insert, ids }) => {
  const running = database.transaction({ ...patient, signal: AbortSignal.abort() }, (transaction) =>
    transaction.send([insert("a")], { last: true }),
  );
  await assert.rejects(running, isLost);
  assert.deepEqual(await ids(), []);
};

export const theWaitForAConnectionCanBeGivenUp: Check<unknown> = async ({ database, connections, insert, ids }) => {
  const hold = Promise.withResolvers<void>();
  const taken = Array.from({ length: connections }, () => Promise.withResolvers<void>());
  const holders = taken.map((one) =>
    database.transaction(patient, async (transaction) => {
      await transaction.send([statement("select 'held' as result")]);
      one.resolve();
      await hold.promise;
    }),
  );
  await Promise.all(taken.map((one) => one.promise));
  const abort = new AbortController();
  const waiting = Array.from({ length: 3 }, (_, index) =>
    database.transaction({ ...patient, signal: abort.signal }, (transaction) =>
      transaction.send([insert(`given up ${index}`)], { last: true }),
    ),
  );
  const settled = Promise.allSettled(waiting);
  await sleep(20);
  abort.abort();
  for (const one of await settled) assert.ok(one.status === "rejected" && isLost(one.reason));
  hold.resolve();
  await Promise.all(holders);
  // The connections that came for them afterwards were given back.
  for (let round = 0; round < connections + 3; round += 1) assert.deepEqual(await ids(), []);
};

export const aRunningStatementCanBeGivenUp: Check<unknown> = async ({ database, connections, insert, ids }) => {
  for (let round = 0; round < connections + 2; round += 1) {
    const abort = new AbortController();
    const options = { ...patient, statementTimeoutMs: 1_000, signal: abort.signal };
    const running = database.transaction(options, async (transaction) => {
      await transaction.send([insert(`given up ${round}`)]);
      const sleeping = transaction.send([statement("select pg_sleep(20)::text as result")], { last: true });
      setTimeout(() => abort.abort(), 20);
      await sleeping;
    });
    // By the signal: the statement's own time-out would be "busy".
    await assert.rejects(running, isLost);
  }
  for (let round = 0; round < connections + 1; round += 1) assert.deepEqual(await ids(), []);
};

export const nothingIsSentAfterTheGiveUp: Check<unknown> = async ({ database, connections, insert, ids }) => {
  const abort = new AbortController();
  const proceed = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<unknown>();
  const running = database.transaction({ ...patient, signal: abort.signal }, async (transaction) => {
    await transaction.send([insert("a")]);
    abort.abort();
    await proceed.promise;
    await transaction.send([insert("b")], { last: true }).catch(finished.resolve);
    finished.resolve(null);
  });
  await assert.rejects(running, isLost);
  proceed.resolve();
  assert.notEqual(await finished.promise, null);
  for (let round = 0; round < connections + 1; round += 1) assert.deepEqual(await ids(), []);
};
