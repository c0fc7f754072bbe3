import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { classify, errorCode } from "../../database/failure.ts";
import { type Check, patient, statement } from "./scratch.ts";

/** Time-outs, and connections that go away. */

const settings = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"];
const readSettings = settings.map((name) => statement(`select current_setting('${name}') as result`));

export const theTimeoutsAreThoseOfTheTransaction: Check<unknown> = async ({ database }) => {
  const first = { lockTimeoutMs: 1_234, statementTimeoutMs: 5_678, idleTimeoutMs: 9_012 };
  const second = { lockTimeoutMs: 4_321, statementTimeoutMs: 8_765, idleTimeoutMs: 2_109.5 };
  const read = (options: typeof first) =>
    database.transaction(options, (transaction) => transaction.send(readSettings));
  assert.deepEqual(await read(first), ["1234ms", "5678ms", "9012ms"]);
  assert.deepEqual(await read(second), ["4321ms", "8765ms", "2110ms"]);
};

export const theTimeoutsAreNotLeftOnTheConnection: Check<unknown> = async ({
  database,
  connections,
  callerTransaction,
}) => {
  const marked = { lockTimeoutMs: 6_543, statementTimeoutMs: 6_543, idleTimeoutMs: 6_543 };
  await Promise.all(
    Array.from({ length: connections }, () =>
      database.transaction(marked, (transaction) => transaction.send(readSettings)),
    ),
  );
  for (let round = 0; round < connections * 2; round += 1) {
    const seen = await callerTransaction((caller) => database.join(caller).send(readSettings));
    assert.ok(!seen.includes("6543ms"), `a time-out of ours stayed on the connection: ${seen.join(", ")}`);
  }
};

export const aLockThatIsHeldTooLongIsBusy: Check<unknown> = async ({ database, table, insert, ids }) => {
  await database.transaction(patient, (transaction) => transaction.send([insert("slot")], { last: true }));
  const lock = statement(`select id as result from ${table} where id = 'slot' for no key update`);
  await database.transaction(patient, async (holder) => {
    await holder.send([lock]);
    const waiting = database.transaction({ ...patient, lockTimeoutMs: 100 }, (transaction) =>
      transaction.send([insert("a"), lock], { last: true }),
    );
    await assert.rejects(waiting, (error) => errorCode(error) === "55P03" && classify(error) === "busy");
  });
  assert.deepEqual(await ids(), ["slot"]);
};

export const aStatementThatRunsTooLongIsBusy: Check<unknown> = async ({ database, insert, ids }) => {
  const running = database.transaction({ ...patient, statementTimeoutMs: 100 }, (transaction) =>
    transaction.send([insert("a"), statement("select pg_sleep(20)::text as result")], { last: true }),
  );
  await assert.rejects(running, (error) => errorCode(error) === "57014" && classify(error) === "busy");
  assert.deepEqual(await ids(), []);
};

export const aStalledTransactionIsEndedByTheServer: Check<unknown> = async ({ database, connections, insert, ids }) => {
  const running = database.transaction({ ...patient, idleTimeoutMs: 100 }, async (transaction) => {
    await transaction.send([insert("a")]);
    await sleep(500);
    await transaction.send([insert("b")], { last: true });
  });
  await assert.rejects(running, (error) => classify(error) === "lost");
  for (let round = 0; round < connections + 1; round += 1) assert.deepEqual(await ids(), []);
};

export const aConnectionThatIsLostRejectsAndIsNotUsedAgain: Check<unknown> = async ({
  database,
  connections,
  insert,
  ids,
}) => {
  for (const last of [false, true]) {
    const running = database.transaction(patient, (transaction) =>
      transaction.send(
        [insert("a"), statement("select pg_terminate_backend(pg_backend_pid())::text as result"), insert("b")],
        {
          last,
        },
      ),
    );
    await assert.rejects(running, (error) => classify(error) === "lost");
  }
  for (let round = 0; round < connections + 1; round += 1) assert.deepEqual(await ids(), []);
};
