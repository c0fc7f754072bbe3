import { setTimeout as sleep } from "node:timers/promises";
import { BookonceError } from "../core/error.ts";
import { classify } from "../database/failure.ts";
import type { Database, Transaction, TransactionOptions } from "../database/port.ts";
import { Batcher, type Job } from "./batcher.ts";
import type { Command } from "./command.ts";
import { type Settings, transact, transactWithin } from "./transact.ts";

export interface EngineOptions extends Settings {
  readonly database: Database;
  readonly batchSize: number;
  readonly batchesInFlight: number;
  readonly timeouts: Timeouts;
}

/** Time-outs of every transaction of ours, in milliseconds. */
export interface Timeouts {
  readonly lockMs: number;
  readonly statementMs: number;
  readonly idleMs: number;
}

// Reads and workers: long enough for a busy pool, short enough that a connection that went silent does not hold them for ever.
const transactionBudgetMs = 30_000;

/** Runs commands: batched, retried within their budget, and each alone when its batch fails. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #batcher: Batcher;
  readonly #joined = new WeakMap<Transaction, Promise<unknown>>();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#batcher = new Batcher({
      size: options.batchSize,
      inFlight: options.batchesInFlight,
      run: (jobs, requeue) => this.#runBatch(jobs, requeue),
    });
  }

  /** Every verb is idempotent, so a command whose commit was lost on the way is simply run again. */
  run<Outcome>(
    command: Command<Outcome>,
    options: { readonly budgetMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Outcome> {
    return this.#batcher.submit(command, options);
  }

  /**
   * Inside the caller's transaction: no batch and no retry, for a failed statement has already ended it. Calls that were not awaited
   * run one after another all the same: a lock does not part two commands of one transaction.
   */
  runWithin<Outcome>(command: Command<Outcome>, transaction: Transaction): Promise<Outcome> {
    const before = this.#joined.get(transaction) ?? Promise.resolve();
    const running = before.then(() => this.#runJoined(command, transaction));
    this.#joined.set(
      transaction,
      running.catch(() => undefined),
    );
    return running;
  }

  async #runJoined<Outcome>(command: Command<Outcome>, transaction: Transaction): Promise<Outcome> {
    const { lockMs, statementMs } = this.#options.timeouts;
    try {
      return await transactWithin(command, transaction, this.#options, {
        lockTimeoutMs: lockMs,
        statementTimeoutMs: statementMs,
      });
    } catch (error) {
      throw toBookonceError(error, "Your transaction has failed; roll it back and run it again.");
    }
  }

  /**
   * A transaction of one's own for reads and workers, with the same time-outs and errors. All of them may run twice, so a connection
   * that was lost (while it lay idle, say) is nobody's trouble but ours.
   */
  async transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), transactionBudgetMs);
    const either = signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]);
    try {
      return await this.#attempt(work, either);
    } catch (error) {
      throw toBookonceError(error, "Repeating the call is safe.");
    } finally {
      clearTimeout(timer);
    }
  }

  async #attempt<Result>(work: (transaction: Transaction) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#options.database.transaction(this.#transactionOptions(signal), work);
      } catch (error) {
        const failure = classify(error);
        if ((failure !== "lost" && failure !== "conflict") || attempt === 4 || signal.aborted) throw error;
      }
      await sleep(retryDelay(attempt));
    }
  }

  #transactionOptions(signal: AbortSignal, lockMs: number = this.#options.timeouts.lockMs): TransactionOptions {
    const { statementMs, idleMs } = this.#options.timeouts;
    return { lockTimeoutMs: lockMs, statementTimeoutMs: statementMs, idleTimeoutMs: idleMs, signal };
  }

  async #runBatch(jobs: readonly Job[], requeue: (job: Job, delayMs: number) => void): Promise<void> {
    const abort = new AbortController();
    const lastDeadline = Math.max(...jobs.map((job) => job.deadline));
    const timer = setTimeout(() => abort.abort(), Math.max(0, lastDeadline - performance.now()));
    try {
      const options = this.#transactionOptions(abort.signal, this.#lockMs(jobs));
      const outcomes = await this.#options.database.transaction(options, (transaction) =>
        transact(jobs, transaction, this.#options),
      );
      for (const [index, job] of jobs.entries()) job.settle({ outcome: outcomes[index] });
    } catch (error) {
      for (const job of jobs) this.#failed(job, error, jobs.length > 1, requeue);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A command that runs alone for the first time waits a tenth as long: its batch has waited in full just now, and if it is the one
   * that waits for a stuck lock, the neighbours that it has held up are next.
   */
  #lockMs(jobs: readonly Job[]): number {
    const { lockMs } = this.#options.timeouts;
    const firstAlone = jobs.length === 1 && jobs[0]?.attempts === 1;
    return firstAlone ? Math.ceil(lockMs / 10) : lockMs;
  }

  #failed(job: Job, error: unknown, hadNeighbours: boolean, requeue: (job: Job, delayMs: number) => void): void {
    job.attempts += 1;
    const failure = classify(error);
    const again = hadNeighbours || failure === "lost" || failure === "conflict" || failure === "busy";
    const delayMs = hadNeighbours ? 0 : retryDelay(job.attempts);
    // No time left for another attempt: say so now, with the reason, rather than let the timer say "no answer".
    if (again && performance.now() + delayMs < job.deadline) requeue(job, delayMs);
    else job.settle({ error: toBookonceError(error, "Repeating the call is safe.") });
  }
}

/** 10 ms, 20 ms, 40 ms … at most half a second, with jitter so that those who collided once do not collide again. */
function retryDelay(attempts: number): number {
  return Math.min(10 * 2 ** (attempts - 1), 500) * (0.5 + Math.random());
}

/** Raw database errors never leave the library (O6). */
export function toBookonceError(error: unknown, advice: string): BookonceError {
  if (error instanceof BookonceError) return error;
  switch (classify(error)) {
    case "lost":
      return new BookonceError(
        "unavailable",
        `The database could not be reached, or the connection was lost. ${advice}`,
        {
          retryable: true,
          cause: error,
        },
      );
    case "conflict":
      return new BookonceError("unavailable", `Another transaction was in the way. ${advice}`, {
        retryable: true,
        cause: error,
      });
    case "busy":
      return new BookonceError("unavailable", `The database is busy: a lock or a statement took too long. ${advice}`, {
        retryable: true,
        cause: error,
      });
    case "not_migrated":
      return new BookonceError(
        "not_migrated",
        "The tables of bookonce are missing or older than this version: run migrate().",
        {
          cause: error,
        },
      );
    case "unexpected":
      return new BookonceError("internal", "An unexpected error; its cause has the details. Nothing was written.", {
        cause: error,
      });
  }
}
