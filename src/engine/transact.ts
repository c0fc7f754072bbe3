import { randomBytes, randomUUID } from "node:crypto";
import type { AdmitTime, Context } from "../core/context.ts";
import { BookonceError } from "../core/error.ts";
import type { Policies } from "../core/policies.ts";
import type { Providers } from "../core/providers.ts";
import { applyTo, type Changes, workingCopy } from "../core/state.ts";
import { tokenPrefix } from "../core/token.ts";
import { isAnswered } from "../database/failure.ts";
import type { Statement, Transaction } from "../database/port.ts";
import { mergeKeys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import type { Command } from "./command.ts";

/** What all decisions of an instance share. */
export interface Settings {
  readonly store: Store;
  readonly policies: Policies;
  readonly providers: Providers;
  readonly admitTime: AdmitTime;
}

/** A command of a batch, and whether anybody still waits for its answer. */
export interface Asked {
  readonly command: Command<unknown>;
  readonly isOver: () => boolean;
}

/**
 * One transaction for a batch of commands: lock → read → decide → write. Each command decides on the state that the one before it
 * has left. The statements of the last flight carry the COMMIT, unless the transaction is the caller's.
 *
 * What is over when the locks are had is not decided any more: who was told "no answer" shall not find it done, as far as that can be
 * known (S3). Its outcome is undefined, and nobody looks at it.
 */
export async function transact(
  asked: readonly Asked[],
  transaction: Transaction,
  { store, policies, providers, admitTime }: Settings,
): Promise<unknown[]> {
  const keys = mergeKeys(asked.map(({ command }) => command.keys));
  const results = await transaction.send([...store.locks.statements(keys), store.reader.statement(keys)]);
  const { now, state: before } = store.reader.parse(results.at(-1) ?? null);
  const context: Context = { now, policies, providers, admitTime, newId: randomUUID, newToken };

  const state = workingCopy(before);
  const changes: Changes[] = [];
  const outcomes = asked.map(({ command, isOver }) => {
    if (isOver()) return undefined;
    const decision = command.decide(state, context);
    applyTo(state, decision.changes);
    changes.push(decision.changes);
    return decision.outcome;
  });
  await transaction.send(store.writer.statements(before, changes), { last: true });
  return outcomes;
}

/** 128 random bits in 22 characters, behind a prefix that tells our invoice payloads from a bot's other ones (S1). */
function newToken(): string {
  return `${tokenPrefix}${randomBytes(16).toString("base64url")}`;
}

interface CallerSettings {
  readonly isolation: string;
  readonly read_only: string;
  readonly lock_timeout: string;
  readonly statement_timeout: string;
}

/**
 * The same inside a transaction of the caller's (O4): a batch of one, our time-outs set for the length of it and the caller's put
 * back. Refused where the guarantee would not hold: above READ COMMITTED, where a read after the lock would still show what was there
 * before the wait, and on a connection without an open transaction, where a lock ends with its statement.
 */
export async function transactWithin<Outcome>(
  command: Command<Outcome>,
  transaction: Transaction,
  settings: Settings,
  timeouts: { readonly lockTimeoutMs: number; readonly statementTimeoutMs: number },
): Promise<Outcome> {
  // A setting that is local to a transaction is gone with the next statement where there is none.
  const mark = randomUUID();
  const [before] = await transaction.send([{ text: callerSettings, values: [mark] }]);
  const caller = JSON.parse(before ?? "") as CallerSettings;
  if (caller.isolation !== "read committed" && caller.isolation !== "read uncommitted") {
    throw new BookonceError(
      "unsupported_isolation",
      `This transaction is ${caller.isolation.toUpperCase()}; bookonce needs READ COMMITTED, because what it reads after a lock must be what the lock waited for.`,
    );
  }
  if (caller.read_only === "on") {
    throw new BookonceError("unsupported_isolation", "This transaction is READ ONLY; bookonce has to write in it.");
  }
  const ours = { lock_timeout: `${timeouts.lockTimeoutMs}`, statement_timeout: `${timeouts.statementTimeoutMs}` };
  const [seen] = await transaction.send([setTimeouts(ours)]);
  if (seen !== mark) {
    throw new BookonceError(
      "unsupported_isolation",
      "There is no open transaction on the connection that within() was given: send BEGIN first, or pass the transaction itself.",
    );
  }
  try {
    const [outcome] = await transact([{ command, isOver: () => false }], transaction, settings);
    await transaction.send([setTimeouts(caller)]);
    // transact() answers each command with what that command's decide() returned.
    return outcome as Outcome;
  } catch (error) {
    // After an error of the server's the transaction takes no statement, and its roll-back puts the settings back.
    if (!isAnswered(error)) await transaction.send([setTimeouts(caller)]).catch(() => undefined);
    throw error;
  }
}

const callerSettings = `select json_build_object(
  'isolation', current_setting('transaction_isolation'),
  'read_only', current_setting('transaction_read_only'),
  'lock_timeout', current_setting('lock_timeout'),
  'statement_timeout', current_setting('statement_timeout'),
  'mark', set_config('bookonce.within', $1::text, true))::text as result`;

function setTimeouts(values: { readonly lock_timeout: string; readonly statement_timeout: string }): Statement {
  return {
    text: `select current_setting('bookonce.within', true) as result,
      set_config('lock_timeout', $1::text, true), set_config('statement_timeout', $2::text, true)`,
    values: [values.lock_timeout, values.statement_timeout],
  };
}
