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

/** Runs commands: batched, retried within their budget, and each alone when its batch fails. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #batcher: Batcher;

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

  /** Inside the caller's transaction: no queue and no retry, for a failed statement has already ended it. */
  async runWithin<Outcome>(command: Command<Outcome>, transaction: Transaction): Promise<Outcome> {
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

  /** A transaction of one's own for reads and workers, with the same time-outs and errors. */
  async transaction<Result>(work: (transaction: Transaction) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    try {
      return await this.#options.database.transaction(this.#transactionOptions(signal), work);
    } catch (error) {
      throw toBookonceError(error, "Repeating the call is safe.");
    }
  }

  #transactionOptions(signal: AbortSignal | undefined): TransactionOptions {
    const { lockMs, statementMs, idleMs } = this.#options.timeouts;
    const timeouts = { lockTimeoutMs: lockMs, statementTimeoutMs: statementMs, idleTimeoutMs: idleMs };
    return signal === undefined ? timeouts : { ...timeouts, signal };
  }

  async #runBatch(jobs: readonly Job[], requeue: (job: Job, delayMs: number) => void): Promise<void> {
    const abort = new AbortController();
    const lastDeadline = Math.max(...jobs.map((job) => job.deadline));
    const timer = setTimeout(() => abort.abort(), Math.max(0, lastDeadline - performance.now()));
    try {
      const commands = jobs.map((job) => job.command);
      const outcomes = await this.#options.database.transaction(this.#transactionOptions(abort.signal), (transaction) =>
        transact(commands, transaction, this.#options),
      );
      for (const [index, job] of jobs.entries()) job.settle({ outcome: outcomes[index] });
    } catch (error) {
      for (const job of jobs) this.#failed(job, error, jobs.length > 1, requeue);
    } finally {
      clearTimeout(timer);
    }
  }

  #failed(job: Job, error: unknown, hadNeighbours: boolean, requeue: (job: Job, delayMs: number) => void): void {
    job.attempts += 1;
    const failure = classify(error);
    const again = hadNeighbours || failure === "transient" || failure === "busy";
    if (!again) return job.settle({ error: toBookonceError(error, "") });
    const delayMs = hadNeighbours ? 0 : retryDelay(job.attempts);
    // No time left for another attempt: say so now, with the reason, rather than let the timer say "no answer".
    if (performance.now() + delayMs >= job.deadline) {
      return job.settle({ error: toBookonceError(error, "Repeating the call is safe.") });
    }
    job.alone = true;
    requeue(job, delayMs);
  }
}

/** 10 ms, 20 ms, 40 ms … at most half a second, with jitter so that those who collided once do not collide again. */
function retryDelay(attempts: number): number {
  return Math.min(10 * 2 ** (attempts - 1), 500) * (0.5 + Math.random());
}

function toBookonceError(error: unknown, advice: string): BookonceError {
  if (error instanceof BookonceError) return error;
  switch (classify(error)) {
    case "transient":
      return new BookonceError("unavailable", `The database connection failed. ${advice}`, { retryable: true, cause: error });
    case "busy":
      return new BookonceError("unavailable", `The database is busy: a lock or a statement took too long. ${advice}`, {
        retryable: true,
        cause: error,
      });
    case "not_migrated":
      return new BookonceError("not_migrated", "The tables of bookonce are missing or older than this version: run migrate().", {
        cause: error,
      });
    case "unexpected":
      return new BookonceError("internal", "An unexpected error; its cause has the details. Nothing was written.", {
        cause: error,
      });
  }
}
