import { BookonceError } from "../core/error.ts";
import type { Command } from "./command.ts";

/** A command on its way, with its own deadline. */
export interface Job {
  readonly command: Command<unknown>;
  /** After this instant (performance.now) nobody waits for the answer any more. */
  readonly deadline: number;
  attempts: number;
  /** True after its batch failed: it runs alone from now on, so that it cannot fail because of its neighbours. */
  alone: boolean;
  readonly settle: (result: { readonly outcome: unknown } | { readonly error: unknown }) => void;
  readonly isOver: () => boolean;
}

export interface BatcherOptions {
  /** Commands in one transaction at most. */
  readonly size: number;
  /** Transactions in flight at most: while they are, arriving commands gather. */
  readonly inFlight: number;
  /** Runs the jobs in one transaction and settles or re-queues each. */
  readonly run: (jobs: readonly Job[], requeue: (job: Job, delayMs: number) => void) => Promise<void>;
}

/**
 * The process's queue: a command that finds a free place starts at once; those that arrive while the database is busy travel
 * together. Nothing here outlives the process, and nothing depends on it (O1).
 */
export class Batcher {
  readonly #options: BatcherOptions;
  #queue: Job[] = [];
  #running = 0;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  submit<Outcome>(
    command: Command<Outcome>,
    options: { readonly budgetMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    let over = false;
    const finish = (act: () => void): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", giveUp);
      act();
    };
    const giveUp = (): void => finish(() => reject(timedOut(options.budgetMs, options.signal?.reason)));
    const timer = setTimeout(giveUp, options.budgetMs);
    options.signal?.addEventListener("abort", giveUp, { once: true });
    if (options.signal?.aborted === true) giveUp();

    this.#queue.push({
      command,
      deadline: performance.now() + options.budgetMs,
      attempts: 0,
      alone: false,
      isOver: () => over,
      settle: (result) =>
        finish(() => ("error" in result ? reject(result.error) : resolve(result.outcome as Outcome))),
    });
    this.#pump();
    return promise;
  }

  #pump(): void {
    while (this.#running < this.#options.inFlight) {
      const jobs = this.#take();
      if (jobs.length === 0) return;
      this.#running += 1;
      this.#options
        .run(jobs, (job, delayMs) => this.#requeue(job, delayMs))
        .catch((error: unknown) => {
          for (const job of jobs) job.settle({ error });
        })
        .finally(() => {
          this.#running -= 1;
          this.#pump();
        });
    }
  }

  /** The next batch: one job that must run alone, or as many as may travel together. */
  #take(): Job[] {
    this.#queue = this.#queue.filter((job) => !job.isOver());
    if (this.#queue[0]?.alone === true) return this.#queue.splice(0, 1);
    const firstAlone = this.#queue.findIndex((job) => job.alone);
    const available = firstAlone === -1 ? this.#queue.length : firstAlone;
    return this.#queue.splice(0, Math.min(available, this.#options.size));
  }

  #requeue(job: Job, delayMs: number): void {
    const enqueue = (): void => {
      // In front: it has waited longest.
      this.#queue.unshift(job);
      this.#pump();
    };
    if (delayMs <= 0) enqueue();
    else setTimeout(enqueue, delayMs);
  }
}

function timedOut(budgetMs: number, reason: unknown): BookonceError {
  const details = { retryable: true, cause: reason };
  return new BookonceError(
    "unavailable",
    `No answer from the database within ${budgetMs} ms (or the caller gave up). Whether it was stored is unknown; repeating the call is safe.`,
    details,
  );
}
