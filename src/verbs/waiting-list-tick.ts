import type { BookonceError } from "../core/error.ts";
import { expire } from "../core/expire.ts";
import type { Policies } from "../core/policies.ts";
import type { Interval } from "../core/time.ts";
import { type Engine, toBookonceError } from "../engine/engine.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { type WaitingListLookups, waitingListLookups } from "../store/waiting-list.ts";
import type { Patience } from "./patience.ts";
import { command, ownRunner, type Runner } from "./runner.ts";
import { type ServiceSource, serviceSource } from "./services.ts";
import { LineServer, type Served, type Settled } from "./waiting-list-serve.ts";

/** What a tick did. */
export interface WaitlistReport {
  /** Offers made: each is held for one customer, who is told by its `waitlist_offered`. */
  readonly offered: number;
  /** Offers that had run out and were written down, so that their customers are told. */
  readonly lapsed: number;
  /** Entries whose window is over. */
  readonly ended: number;
  /** Entries whose service was found switched off. */
  readonly unservable: number;
}

const lapsedPage = 500;
const budgetMs = 10_000;

/** One pass over the waiting list: by any number of processes at once, each offer decided under its locks. */
export class Ticker {
  readonly #runner: Runner;
  readonly #lookups: WaitingListLookups;
  readonly #services: ServiceSource;
  readonly #lines: LineServer;

  constructor(engine: Engine, store: Store, policies: Policies) {
    this.#runner = ownRunner(engine);
    this.#lookups = waitingListLookups(store.queries);
    this.#services = serviceSource(store);
    this.#lines = new LineServer(engine, store, policies);
  }

  /** `during`: only for services that somebody waits for at that time. */
  async tick(during: Interval | null, options: Patience): Promise<WaitlistReport> {
    const services = await this.#runner.read<string[]>(this.#lookups.services(during), options);
    if (services.length === 0) return { offered: 0, lapsed: 0, ended: 0, unservable: 0 };
    // First, so that what lapsed can be offered to the next, and whoever let it lapse to another place.
    const lapsed = await this.#writeLapsed(options);
    const served: Served[] = [];
    for (const id of services) served.push(await this.#serve(id, options));
    const [failure] = served.flatMap((one) => one.failures);
    if (failure !== undefined) throw failure;
    const settled = served.flatMap((one) => one.settled);
    const count = (outcome: Settled): number => settled.filter((one) => one === outcome).length;
    const offered = served.reduce((sum, one) => sum + one.offered, 0);
    return { offered, lapsed, ended: count("ended"), unservable: count("unservable") };
  }

  /** What is wrong with one service is told when all the others have been served. */
  async #serve(id: string, options: Patience): Promise<Served> {
    try {
      const service = await this.#services(this.#runner, id, options);
      return await this.#lines.serve(id, service?.active === true ? service : null, options);
    } catch (error) {
      const failure: BookonceError = toBookonceError(error, "Repeating the call is safe.");
      if (failure.code !== "internal") throw failure;
      return { offered: 0, settled: [], failures: [failure] };
    }
  }

  async #writeLapsed(options: Patience): Promise<number> {
    const ids = await this.#runner.read<string[]>(this.#lookups.lapsed(lapsedPage), options);
    const outcomes = await Promise.all(
      ids.map((bookingId) =>
        this.#runner.run(
          command(
            keys({ bookingIds: [bookingId] }),
            (state, context) => expire(state, { bookingId }, context),
            (outcome) => outcome.outcome,
          ),
          options,
          budgetMs,
        ),
      ),
    );
    return outcomes.filter((outcome) => outcome === "expired").length;
  }
}
