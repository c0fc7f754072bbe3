import { randomUUID } from "node:crypto";
import type { CallOptions, Database, ReserveSlotOutcome, Transaction, TransactionOptions } from "bookonce";
import { knownProviders } from "../../src/core/providers.ts";
import type { Command } from "../../src/engine/command.ts";
import { Engine, type EngineOptions } from "../../src/engine/engine.ts";
import { keys } from "../../src/store/keys.ts";
import { createStore } from "../../src/store/store.ts";
import { parsePolicies } from "../../src/verbs/policies.ts";
import { reserveSlot } from "../../src/verbs/reserve-slot.ts";
import { ownRunner } from "../../src/verbs/runner.ts";
import { serviceSource } from "../../src/verbs/services.ts";
import { admitTime } from "../../src/verbs/time-rules.ts";
import { type TestDatabase, testSchema } from "../support/database.ts";
import { soon } from "../support/fixtures.ts";

/** An engine without the front door, so that a test can give it a command of its own. */
export function createEngine(database: Database, options: Partial<EngineOptions> = {}): Engine {
  return new Engine({
    database,
    store: createStore(testSchema),
    policies: parsePolicies({}),
    providers: knownProviders,
    admitTime,
    batchSize: 64,
    batchesInFlight: 1,
    timeouts: { lockMs: 1_000, statementMs: 5_000, idleMs: 5_000 },
    ...options,
  });
}

/** Asks the engine for an hour of this resource. */
export function reserveIn(engine: Engine, resource: string, options: CallOptions = {}): Promise<ReserveSlotOutcome> {
  const customer = `customer of ${resource}`;
  const price = { amount: 5, currency: "XTR" };
  const input = { customer, resources: [resource], start: soon, duration: { minutes: 60 }, price };
  return reserveSlot(ownRunner(engine), serviceSource(createStore(testSchema)), input, options);
}

/** A command that decides with a bug. */
export function buggy(error: Error): Command<never> {
  return {
    keys: keys({ customers: ["nobody"] }),
    decide: () => {
      throw error;
    },
  };
}

/** Counts the transactions that go through a database. */
export function counted(database: Database): { readonly database: Database; readonly transactions: () => number } {
  let transactions = 0;
  return {
    transactions: () => transactions,
    database: {
      transaction<Result>(options: TransactionOptions, work: (transaction: Transaction) => Promise<Result>) {
        transactions += 1;
        return database.transaction(options, work);
      },
      join: (caller) => database.join(caller),
    },
  };
}

export async function resourcesNamed(db: TestDatabase, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, () => randomUUID());
  await db.pool.query(
    `insert into ${db.schema}.resources (id, name, created_at) select id, id, now() from unnest($1::text[]) as id`,
    [names],
  );
  return names;
}

/** Holds the lock of a resource, as another process in the middle of its work does, until the returned function is called. */
export async function lockResource(db: TestDatabase, resource: string): Promise<() => Promise<void>> {
  const client = await db.pool.connect();
  await client.query("begin");
  await client.query(`select from ${db.schema}.resources where id = $1 for no key update`, [resource]);
  return async () => {
    await client.query("rollback");
    client.release();
  };
}
