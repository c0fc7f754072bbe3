import { BookonceError } from "../core/error.ts";
import { longestTimerMs } from "../core/time.ts";
import type { Command } from "./command.ts";

/** A command on its way, with its own deadline. */
export interface Job {
  readonly command: Command<unknown>;
  /** After this instant (performance.now) nobody waits for the answer any more. */
  readonly deadline: number;
  attempts: number;
  readonly settle: (result: { readonly outcome: unknown } | { readonly error: unknown }) => void;
  readonly isOver: () => boolean;
}

export interface BatcherOptions {
  /** Commands in one transaction at most. */
  readonly size: number;
  /** Batches in flight at most: while they are, arriving commands gather; what has gathered is shared out evenly. */
  readonly inFlight: number;
  /** Runs the jobs in one transaction and settles or re-queues each. */
  readonly run: (jobs: readonly Job[], requeue: (job: Job, delayMs: number) => void) => Promise<void>;
}

// A batch costs more to begin than a few commands cost in it: fewer are not worth a second one.
const worthSharing = 5;

/**
 * The process's queue: commands that arrive in one turn of the event loop, or while the database is busy, travel together. Nothing here
 * outlives the process, and nothing depends on it (O1).
 *
 * A command whose batch failed comes back to run alone, so that it cannot fail because of its neighbours. Those have places of their
 * own: a command that waits for a stuck lock, time and again until its budget is over, must not keep fresh batches waiting (B4).
 */
export class Batcher {
  readonly #options: BatcherOptions;
  #fresh: Job[] = [];
  #alone: Job[] = [];
  #batches = 0;
  #singles = 0;
  #isDue = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  submit<Outcome>(
    command: Command<Outcome>,
    options: { readonly budgetMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Outcome> {
    const budgetMs = Math.min(options.budgetMs, longestTimerMs);
    if (!(budgetMs >= 0)) {
      const message = "budgetMs: must be a number of milliseconds";
      return Promise.reject(new BookonceError("invalid_input", message, { problems: [{ path: "budgetMs", message }] }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    let over = false;
    const finish = (act: () => void): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", giveUp);
      act();
    };
    const giveUp = (): void => finish(() => reject(timedOut(budgetMs, options.signal?.reason)));
    const timer = setTimeout(giveUp, budgetMs);
    options.signal?.addEventListener("abort", giveUp, { once: true });
    if (options.signal?.aborted === true) giveUp();

    this.#fresh.push({
      command,
      deadline: performance.now() + budgetMs,
      attempts: 0,
      isOver: () => over,
      settle: (result) => finish(() => ("error" in result ? reject(result.error) : resolve(result.outcome as Outcome))),
    });
    this.#pump();
    return promise;
  }

  /**
   * At the end of this turn of the event loop: whoever asks in it travels along, and whoever was answered in it has had the time to ask
   * again. Measured when the first went at once: sixteen callers travelled by one and fourteen for ever, at two thirds of the speed.
   */
  #pump(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#startAll();
    });
  }

  #startAll(): void {
    const { inFlight } = this.#options;
    while (this.#batches < inFlight) {
      const jobs = this.#nextBatch(inFlight - this.#batches);
      if (jobs.length === 0) break;
      this.#batches += 1;
      this.#start(jobs, () => {
        this.#batches -= 1;
      });
    }
    // Twice as many places: each takes one command only, and some of them may be waiting for a lock.
    while (this.#singles < inFlight * 2) {
      this.#alone = this.#alone.filter((job) => !job.isOver());
      const jobs = this.#alone.splice(0, 1);
      if (jobs.length === 0) break;
      this.#singles += 1;
      this.#start(jobs, () => {
        this.#singles -= 1;
      });
    }
  }

  /** An even share of what waits, so that one batch is decided while another is written. */
  #nextBatch(places: number): Job[] {
    this.#fresh = this.#fresh.filter((job) => !job.isOver());
    const waiting = this.#fresh.length;
    const share = waiting < worthSharing ? waiting : Math.ceil(waiting / places);
    return this.#fresh.splice(0, Math.min(share, this.#options.size));
  }

  #start(jobs: readonly Job[], done: () => void): void {
    this.#options
      .run(jobs, (job, delayMs) => this.#requeue(job, delayMs))
      .catch((error: unknown) => {
        for (const job of jobs) job.settle({ error });
      })
      .finally(() => {
        done();
        this.#pump();
      });
  }

  #requeue(job: Job, delayMs: number): void {
    const enqueue = (): void => {
      // Fewest attempts first: the neighbours of a stuck command go before its next try.
      const behind = this.#alone.findIndex((other) => other.attempts > job.attempts);
      this.#alone.splice(behind === -1 ? this.#alone.length : behind, 0, job);
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
