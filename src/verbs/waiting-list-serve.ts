import { randomUUID } from "node:crypto";
import type { Context } from "../core/context.ts";
import { BookonceError } from "../core/error.ts";
import { type OfferPlace, offerPlace } from "../core/offer-place.ts";
import { type Plan, planOffers } from "../core/plan-offers.ts";
import type { Policies } from "../core/policies.ts";
import { type SettleOutcome, settleEntry } from "../core/settle-entry.ts";
import { applyChanges } from "../core/state.ts";
import type { WaitingEntry } from "../core/waiting-entry.ts";
import type { Engine } from "../engine/engine.ts";
import { keys } from "../store/keys.ts";
import { toEntry } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import { type LineRow, type WaitingListLookups, waitingListLookups } from "../store/waiting-list.ts";
import { type Patience, signalOf } from "./patience.ts";
import { command, ownRunner, type Runner } from "./runner.ts";
import type { ServiceView } from "./services.ts";
import { admitTime } from "./time-rules.ts";
import { candidateSource, keysOfLine } from "./waiting-list-candidates.ts";
import { lockAndRead } from "./wanted.ts";

const linePage = 500;
const budgetMs = 10_000;

// Each time somebody else took what she was about to be offered: whoever stands behind her does not wait for that to end.
const mostRefusals = 3;

export type Settled = SettleOutcome["outcome"];

/** What became of a line, or of a page of it. */
export interface Served {
  readonly offered: number;
  readonly settled: readonly Settled[];
  /** What went wrong with single offers, which kept nobody waiting. */
  readonly failures: readonly BookonceError[];
}

interface Page extends Served {
  /** Policy `strict`: somebody in it cannot be served, and those behind must wait. */
  readonly blocked: boolean;
}

type Tried = "offered" | "refused" | BookonceError;

/** Serves those who wait for one service, in the order of the line. */
export class LineServer {
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #policies: Policies;
  readonly #runner: Runner;
  readonly #lookups: WaitingListLookups;

  constructor(engine: Engine, store: Store, policies: Policies) {
    this.#engine = engine;
    this.#store = store;
    this.#policies = policies;
    this.#runner = ownRunner(engine);
    this.#lookups = waitingListLookups(store.queries);
  }

  /** `service`: as it is offered now; null when it is switched off. */
  async serve(id: string, service: ServiceView | null, options: Patience): Promise<Served> {
    const pages: Page[] = [];
    let after = 0;
    for (;;) {
      const line = await this.#runner.read<LineRow[]>(
        this.#lookups.line({ service: id, after, limit: linePage }),
        options,
      );
      if (line.length === 0) break;
      const blocked = pages.at(-1)?.blocked ?? false;
      pages.push(await this.#servePage(service, line.map(toEntry), blocked, options));
      if (line.length < linePage) break;
      after = line.at(-1)?.number ?? after;
    }
    return {
      offered: pages.reduce((sum, page) => sum + page.offered, 0),
      settled: pages.flatMap((page) => page.settled),
      failures: pages.flatMap((page) => page.failures),
    };
  }

  /**
   * A plan holds as long as all that it looked at does: when an offer of it cannot be made, because somebody took the place meanwhile, the
   * rest would give the second what the first could now have. Then the page is read and planned again.
   */
  async #servePage(
    service: ServiceView | null,
    line: readonly WaitingEntry[],
    blocked: boolean,
    options: Patience,
  ): Promise<Page> {
    let offered = 0;
    const settled: Settled[] = [];
    const failures: BookonceError[] = [];
    const refusals = new Map<string, number>();
    const aside = new Set<string>();
    for (;;) {
      const plan = await this.#plan(service, line, blocked, aside, options);
      settled.push(...plan.settled);
      const tried = await this.#offerInTurn(plan.offers, line, options);
      offered += tried.filter(({ result }) => result === "offered").length;
      for (const { entryId, result } of tried) {
        if (!(result instanceof BookonceError)) continue;
        failures.push(result);
        aside.add(entryId);
      }
      const last = tried.at(-1);
      if (last?.result !== "refused") return { offered, settled, failures, blocked: plan.blocked };
      const times = (refusals.get(last.entryId) ?? 0) + 1;
      refusals.set(last.entryId, times);
      if (times < mostRefusals) continue;
      if (this.#policies.waitingList.order === "strict") return { offered, settled, failures, blocked: true };
      aside.add(last.entryId);
    }
  }

  /** Whose turn is over is written down first; those set aside are passed over. */
  async #plan(
    service: ServiceView | null,
    line: readonly WaitingEntry[],
    blocked: boolean,
    aside: ReadonlySet<string>,
    options: Patience,
  ): Promise<Plan & { readonly settled: readonly Settled[] }> {
    const entryIds = line.map((entry) => entry.id);
    const statement = this.#store.reader.statement(keys(service === null ? { entryIds } : keysOfLine(service, line)));
    const [result = null] = await this.#engine.transaction(
      (tx) => tx.send([statement], { last: true }),
      signalOf(options),
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
      const { outcome, changes } = settleEntry(current, { entryId: id, servable: service !== null }, context);
      current = applyChanges(current, changes);
      return outcome.outcome !== "kept";
    });
    const settled = await Promise.all(settling.map((entry) => this.#settle(entry, service !== null, options)));
    if (service === null || blocked) return { offers: [], settled, blocked };

    const inLine = line
      .filter(({ id }) => !aside.has(id))
      .map(({ id }) => current.entries.get(id))
      .filter((entry) => entry !== undefined);
    return { ...planOffers(current, inLine, candidateSource(service, current, context), context), settled };
  }

  /**
   * One after another, as they stand in the line: which member of a pool the first gets decides whether there is one for the second. The
   * first that is refused is the last: the rest was planned on a place that is gone. One that fails keeps nobody behind it waiting.
   */
  async #offerInTurn(
    offers: readonly OfferPlace[],
    line: readonly WaitingEntry[],
    options: Patience,
  ): Promise<readonly { readonly entryId: string; readonly result: Tried }[]> {
    const tried: { entryId: string; result: Tried }[] = [];
    for (const offer of offers) {
      const result = await this.#offer(offer, line, options).catch((error: unknown) => {
        if (error instanceof BookonceError && error.code === "internal") return error;
        throw error;
      });
      tried.push({ entryId: offer.entryId, result });
      if (result === "refused") break;
    }
    return tried;
  }

  #settle({ id, customer }: WaitingEntry, servable: boolean, options: Patience): Promise<Settled> {
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

  #offer(offer: OfferPlace, line: readonly WaitingEntry[], options: Patience): Promise<"offered" | "refused"> {
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
