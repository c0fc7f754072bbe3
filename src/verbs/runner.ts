import type { Context } from "../core/context.ts";
import { isBookonceError } from "../core/error.ts";
import type { Decision, State } from "../core/state.ts";
import type { Instant } from "../core/time.ts";
import type { Statement, Transaction } from "../database/port.ts";
import type { Command } from "../engine/command.ts";
import type { Engine } from "../engine/engine.ts";
import type { Keys } from "../store/keys.ts";
import { budgetLeft, type Patience } from "./patience.ts";
import { read } from "./reader.ts";

/** Where a verb's command runs: in a transaction of ours, or in the caller's. */
export interface Runner {
  run<Outcome>(command: Command<Outcome>, options: Patience, defaultBudgetMs: number): Promise<Outcome>;
  /** A read without locks, in the same place. */
  read<Result>(statement: Statement, options: Patience): Promise<Result>;
  /** True inside the caller's transaction, where a failure has ended that transaction and must be thrown. */
  readonly joined: boolean;
}

export function ownRunner(engine: Engine): Runner {
  return {
    joined: false,
    run: (command, options, defaultBudgetMs) =>
      engine.run(command, { budgetMs: budgetLeft(options, defaultBudgetMs), signal: options.signal }),
    read: (statement, options) => read(engine, statement, options),
  };
}

export function joinedRunner(engine: Engine, transaction: Transaction): Runner {
  return {
    joined: true,
    run: (command) => engine.runWithin(command, transaction),
    async read(statement) {
      const [result] = await transaction.send([statement]);
      return JSON.parse(result ?? "null");
    },
  };
}

/** A command from a pure decision, its outcome turned into what the user sees, at the instant of the decision. */
export function command<Outcome, View>(
  keys: Keys,
  decide: (state: State, context: Context) => Decision<Outcome>,
  view: (outcome: Outcome, now: Instant) => View,
): Command<View> {
  return {
    keys,
    decide(state, context) {
      const { outcome, changes } = decide(state, context);
      return { outcome: view(outcome, context.now), changes };
    },
  };
}

/** Fail closed: when the database did not answer in time, the given refusal. Anything else is thrown. */
export function unlessUnavailable<Refusal>(runner: Runner, refusal: Refusal): (error: unknown) => Refusal {
  return (error) => {
    if (!runner.joined && isBookonceError(error) && error.code === "unavailable") return refusal;
    throw error;
  };
}
