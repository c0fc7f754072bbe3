import { within } from "./deferred.ts";

/** A scheduled action that can be called off. */
export interface ClockTimer {
  cancel(): void;
}

interface Entry extends ClockTimer {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

/** The longest delay that `setTimeout` can hold; longer ones would fire at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * The fake's idea of time. Real mode runs with real time and can be pushed forward; manual mode stands still until it is
 * advanced. Timers fire in the order of their due time, and while one fires `now()` is its due time.
 */
export class VirtualClock {
  readonly #manual: boolean;
  readonly #settleMilliseconds: number;
  readonly #started: number = Date.now() - performance.now();
  readonly #busy = new Set<() => Promise<unknown>>();
  readonly #timers = new Set<Entry>();
  #offset = 0;
  #standing: number = Date.now();
  #order = 0;
  #wakeup: NodeJS.Timeout | undefined;
  /** When `#wakeup` rings. */
  #alarm: number = Number.POSITIVE_INFINITY;
  #advancing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(mode: "real" | "manual", settleMilliseconds: number) {
    this.#manual = mode === "manual";
    this.#settleMilliseconds = settleMilliseconds;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#manual ? this.#standing : Math.floor(this.#started + performance.now()) + this.#offset;
  }

  /** Whole seconds since 1970, as the Bot API prints dates. */
  unix(): number {
    return Math.floor(this.now() / 1000);
  }

  schedule(milliseconds: number, run: () => void): ClockTimer {
    const entry: Entry = {
      due: this.now() + Math.max(0, milliseconds),
      order: this.#order++,
      run,
      // The alarm may ring for a cancelled entry: it finds nothing due, and is set anew.
      cancel: () => void this.#timers.delete(entry),
    };
    if (this.#closed) return entry;
    this.#timers.add(entry);
    if (entry.due < this.#alarm) this.#arm(entry);
    return entry;
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.schedule(milliseconds, resolve);
    });
  }

  /** Names work that `advance` should let finish before it moves on, such as webhook deliveries in flight. */
  waitsFor(work: () => Promise<unknown>): void {
    this.#busy.add(work);
  }

  /** Moves time forward, firing what falls due on the way. Calls made meanwhile queue up behind. */
  advance(milliseconds: number): Promise<void> {
    if (!(milliseconds >= 0)) throw new RangeError("The clock only moves forward.");
    const run = this.#advancing.then(() => this.#advanceTo(this.now() + milliseconds));
    this.#advancing = run;
    return run;
  }

  close(): void {
    this.#closed = true;
    this.#timers.clear();
    clearTimeout(this.#wakeup);
  }

  async #advanceTo(target: number): Promise<void> {
    await this.#settle();
    for (let next = this.#next(); next !== undefined && next.due <= target; next = this.#next()) {
      this.#setNow(next.due);
      this.#timers.delete(next);
      next.run();
      await this.#settle();
    }
    this.#setNow(target);
    this.#arm(this.#next());
  }

  /** Lets promises and sockets that were waiting for a timer do their part before time moves again. */
  async #settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    const work = [...this.#busy].map((busy) => busy());
    await within(Promise.allSettled(work), this.#settleMilliseconds);
  }

  #setNow(instant: number): void {
    const missing = instant - this.now();
    if (missing <= 0) return;
    if (this.#manual) this.#standing = instant;
    else this.#offset += missing;
  }

  #next(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#timers) {
      if (!first || entry.due < first.due || (entry.due === first.due && entry.order < first.order)) first = entry;
    }
    return first;
  }

  #arm(next: Entry | undefined): void {
    clearTimeout(this.#wakeup);
    this.#alarm = Number.POSITIVE_INFINITY;
    if (this.#closed || !next) return;
    // A manual clock still runs what is due at once: "in zero milliseconds" needs no advance.
    if (this.#manual && next.due > this.now()) return;
    this.#alarm = next.due;
    const delay = Math.min(Math.max(0, next.due - this.now()), LONGEST_TIMEOUT);
    this.#wakeup = setTimeout(() => this.#runDue(), delay);
  }

  #runDue(): void {
    let next = this.#next();
    for (; next !== undefined && next.due <= this.now(); next = this.#next()) {
      this.#timers.delete(next);
      next.run();
    }
    this.#arm(next);
  }
}
