import type { BookingView, PoliciesInput, ServiceView } from "bookonce";
import type { Context } from "../../src/core/context.ts";
import type { Booking, NewEvent } from "../../src/core/model.ts";
import type { Policies } from "../../src/core/policies.ts";
import { knownProviders } from "../../src/core/providers.ts";
import { applyChanges, type Decision, emptyState, type State } from "../../src/core/state.ts";
import { parsePolicies } from "../../src/verbs/policies.ts";
import { admitTime } from "../../src/verbs/time-rules.ts";
import type { Shop } from "./fixtures.ts";
import { digestOf } from "./schedule-digest.ts";
import { type Answer, edgeOf, plainState } from "./schedule-judge.ts";
import type { furnish, Wish } from "./schedule-shop.ts";
import type { By, ScheduleStep } from "./schedule-steps.ts";
import type { Ticked } from "./schedule-tick.ts";

/** One booking on both sides. */
export interface Pair {
  readonly model: string;
  readonly id: string;
  readonly payload: string;
  readonly payer: string;
  readonly price: BookingView["price"];
  /** Through whom it is paid: they differ in what can be returned. */
  readonly provider: string;
  readonly wish: Wish;
}

/** One entry of the waiting list on both sides. */
export interface EntryPair {
  readonly model: string;
  readonly id: string;
}

/** What became of a step. */
export interface Taken {
  readonly database: unknown;
  readonly model: unknown;
  readonly answer: Answer;
  /** Whether a plain reading of the rules allows the answer. */
  readonly plausible: boolean;
  /** The booking whose place was given back, as it was: somebody may be waiting for it. */
  readonly freed?: Booking | null;
  /** What the waiting list was offered in the step itself. */
  readonly ticked?: Ticked;
}

/**
 * The shop over PostgreSQL and the state that the pure core makes of the same commands. The core has its own ids and tokens; bookings
 * are paired in the order in which they were made.
 */
export class Sides {
  state: State;
  now: number;
  readonly events: NewEvent[] = [];
  readonly pairs: Pair[] = [];
  readonly entries: EntryPair[] = [];
  readonly shop: Shop;
  readonly policies: Policies;
  readonly services: ReadonlyMap<string, ServiceView>;
  /** The quotes of previews, by booking; both sides make the same of the same terms. */
  readonly quotes = new Map<string, string>();
  /** Reminders that were dealt with, by booking and version, and whether they are on their way. */
  readonly reminders = new Map<string, { readonly booking: string; readonly version: number; waits: boolean }>();
  /** The event of the newest offer that was paired. */
  lastOffer = "0";
  #ids = 0;

  constructor(
    shop: Shop,
    policies: PoliciesInput,
    now: number,
    { resources, services }: Awaited<ReturnType<typeof furnish>>,
  ) {
    this.shop = shop;
    this.policies = parsePolicies(policies);
    this.services = new Map(services.map((service) => [service.id, service]));
    this.now = now;
    const unchosen = resources.map((one) => [one.id, { ...one, lastChosenAt: null }] as const);
    this.state = { ...emptyState, resources: new Map(unchosen) };
  }

  get names(): readonly EntryPair[] {
    return [...this.pairs, ...this.entries];
  }

  /** What the model calls it. */
  nameOf(id: string | null): string | null {
    return this.names.find((one) => one.id === id)?.model ?? id;
  }

  /** By turns, so that there are some of each. */
  nextProvider(): string {
    return this.pairs.length % 2 === 1 ? "telegram_payments" : "telegram_stars";
  }

  newId(): string {
    this.#ids += 1;
    return `m${String(this.#ids).padStart(4, "0")}`;
  }

  context(): Context {
    return {
      now: this.now,
      policies: this.policies,
      providers: knownProviders,
      admitTime,
      newId: () => this.newId(),
      newToken: () => `bko1_${this.newId()}`,
    };
  }

  decide<Outcome>(decision: Decision<Outcome>): Outcome {
    this.state = applyChanges(this.state, decision.changes);
    this.events.push(...(decision.changes.events ?? []));
    return decision.outcome;
  }

  /** The two answers in words that both sides have, judged by what there was before. */
  taken<Outcome extends Answer>(
    database: object,
    decision: Decision<Outcome>,
    judge: (answer: Outcome, before: State) => boolean,
    freed: (answer: Outcome) => Booking | null = () => null,
  ): Taken {
    const before = this.state;
    const model = this.decide(decision);
    return {
      database: digestOf(database, this.names),
      model: digestOf(model, this.names),
      answer: model,
      plausible: judge(model, before),
      freed: freed(model),
    };
  }

  /** Counted from the newest. One whose hold has only just lapsed is among the standing: about it there is most to be decided. */
  pair({ booking, among }: { readonly booking: number; readonly among: "standing" | "all" }): Pair | undefined {
    const standing = this.pairs.filter((one) =>
      ["held", "pending", "confirmed"].includes(plainState(this.booking(one), this.now - 1_000)),
    );
    const from = among === "standing" && standing.length > 0 ? standing : this.pairs;
    return from.at(-1 - (booking % Math.max(1, from.length)));
  }

  /** The newest one that a customer may exchange. */
  holdOf(customer: string): Pair | undefined {
    return this.pairs.findLast((pair) => {
      const booking = this.booking(pair);
      return booking.customer === customer && ["held", "pending"].includes(plainState(booking, this.now));
    });
  }

  booking({ model }: Pair): Booking {
    const booking = this.state.bookings.get(model);
    if (booking === undefined) throw new Error(`no booking ${model}`);
    return booking;
  }

  /** Who asks, as it stands with the booking now: it may have been given away. */
  who(by: By, pair: Pair) {
    return whoAsks(by, this.booking(pair).customer);
  }

  /** Where the clock goes to; it never goes back. */
  timeOf(step: Extract<ScheduleStep, { do: "advance" | "reach" }>): number {
    if (step.do === "advance") return this.now + step.ms;
    const pair = this.pair(step);
    return pair === undefined ? this.now : Math.max(this.now, edgeOf(this.booking(pair), step.what) + step.offsetMs);
  }
}

export function whoAsks(by: By, owner: string) {
  const customer = by === "administrator" ? null : by === "stranger" ? "stranger" : owner;
  return {
    verb: customer === null ? { administrator: "olga" } : { customer },
    core: { customer, actor: customer ?? "olga" },
  };
}
