import { randomUUID } from "node:crypto";
import type { Context } from "../core/context.ts";
import { BookonceError } from "../core/error.ts";
import { expire } from "../core/expire.ts";
import { type OfferPlace, offerPlace } from "../core/offer-place.ts";
import { planOffers } from "../core/plan-offers.ts";
import type { Policies } from "../core/policies.ts";
import { type SettleOutcome, settleEntry } from "../core/settle-entry.ts";
import { applyChanges } from "../core/state.ts";
import type { Interval } from "../core/time.ts";
import type { WaitingEntry } from "../core/waiting-entry.ts";
import type { Engine } from "../engine/engine.ts";
import { keys } from "../store/keys.ts";
import { toEntry } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import { type LineRow, type WaitingListLookups, waitingListLookups } from "../store/waiting-list.ts";
import type { CallOptions } from "./input.ts";
import { command, ownRunner, type Runner } from "./runner.ts";
import { type ServiceSource, type ServiceView, serviceSource } from "./services.ts";
import { admitTime } from "./time-rules.ts";
import { candidateSource, keysOfLine } from "./waiting-list-candidates.ts";
import { lockAndRead } from "./wanted.ts";

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

const linePage = 500;
const lapsedPage = 500;
const budgetMs = 10_000;

type Settled = SettleOutcome["outcome"];

/** One pass over the waiting list: by any number of processes at once, each offer decided under its locks. */
export class Ticker {
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #policies: Policies;
  readonly #runner: Runner;
  readonly #lookups: WaitingListLookups;
  readonly #services: ServiceSource;

  constructor(engine: Engine, store: Store, policies: Policies) {
    this.#engine = engine;
    this.#store = store;
    this.#policies = policies;
    this.#runner = ownRunner(engine);
    this.#lookups = waitingListLookups(store.queries);
    this.#services = serviceSource(store);
  }

  /** `during`: only for services that somebody waits for at that time. */
  async tick(during: Interval | null, options: CallOptions): Promise<WaitlistReport> {
    const services = await this.#runner.read<string[]>(this.#lookups.services(during), options);
    if (services.length === 0) return { offered: 0, lapsed: 0, ended: 0, unservable: 0 };
    // First, so that what lapsed can be offered to the next, and whoever let it lapse to another place.
    const lapsed = await this.#writeLapsed(options);
    let offered = 0;
    const settled: Settled[] = [];
    for (const id of services) {
      const service = await this.#services(this.#runner, id, options);
      let after = 0;
      let blocked = false;
      for (;;) {
        const line = await this.#runner.read<LineRow[]>(
          this.#lookups.line({ service: id, after, limit: linePage }),
          options,
        );
        if (line.length === 0) break;
        const served = await this.#serve(service, line.map(toEntry), blocked, options);
        offered += served.offered;
        settled.push(...served.settled);
        blocked = served.blocked;
        if (line.length < linePage) break;
        after = line.at(-1)?.number ?? after;
      }
    }
    const count = (outcome: Settled): number => settled.filter((one) => one === outcome).length;
    return { offered, lapsed, ended: count("ended"), unservable: count("unservable") };
  }

  async #writeLapsed(options: CallOptions): Promise<number> {
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

  async #serve(
    service: ServiceView | null,
    line: readonly WaitingEntry[],
    blocked: boolean,
    options: CallOptions,
  ): Promise<{ offered: number; settled: Settled[]; blocked: boolean }> {
    const open = service?.active === true ? service : null;
    const entryIds = line.map((entry) => entry.id);
    const statement = this.#store.reader.statement(keys(open === null ? { entryIds } : keysOfLine(open, line)));
    const [result = null] = await this.#engine.transaction(
      (tx) => tx.send([statement], { last: true }),
      options.signal,
    );
    const { state, now } = this.#store.reader.parse(result);
    // Ids and tokens of a plan are never stored: each offer draws its own under the locks.
    const context: Context = {
      now,
      policies: this.#policies,
      providers: {},
      admitTime,
      newId: randomUUID,
      newToken: randomUUID,
    };

    let current = state;
    const settling = line.filter(({ id }) => {
      const { outcome, changes } = settleEntry(current, { entryId: id, servable: open !== null }, context);
      current = applyChanges(current, changes);
      return outcome.outcome !== "kept";
    });
    const settled = await Promise.all(settling.map((entry) => this.#settle(entry, open !== null, options)));
    if (open === null || blocked) return { offered: 0, settled, blocked };

    const inLine = line.map(({ id }) => current.entries.get(id)).filter((entry) => entry !== undefined);
    const plan = planOffers(current, inLine, candidateSource(open, current, context), context);
    return { offered: await this.#offerInTurn(plan.offers, line, options), settled, blocked: plan.blocked };
  }

  /**
   * One after another, as they stand in the line: which member of a pool the first gets decides whether there is one for the second.
   * One that fails keeps nobody behind it waiting.
   */
  async #offerInTurn(
    offers: readonly OfferPlace[],
    line: readonly WaitingEntry[],
    options: CallOptions,
  ): Promise<number> {
    let offered = 0;
    const failures: unknown[] = [];
    for (const offer of offers) {
      try {
        if ((await this.#offer(offer, line, options)) === "offered") offered += 1;
      } catch (error) {
        if (!(error instanceof BookonceError && error.code === "internal")) throw error;
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return offered;
  }

  #settle({ id, customer }: WaitingEntry, servable: boolean, options: CallOptions): Promise<Settled> {
    return this.#runner.run(
      command(
        keys({ customers: [customer], entryIds: [id] }),
        (state, context) => settleEntry(state, { entryId: id, servable }, context),
        (outcome) => outcome.outcome,
      ),
      options,
      budgetMs,
    );
  }

  #offer(offer: OfferPlace, line: readonly WaitingEntry[], options: CallOptions): Promise<"offered" | "refused"> {
    const customer = line.find((entry) => entry.id === offer.entryId)?.customer ?? null;
    return this.#runner.run(
      command(
        lockAndRead({ ...offer.candidate.wanted, customer }, { entryIds: [offer.entryId] }),
        (state, context) => offerPlace(state, offer, context),
        (outcome) => outcome.outcome,
      ),
      options,
      budgetMs,
    );
  }
}
