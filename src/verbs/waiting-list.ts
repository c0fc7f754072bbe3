import { z } from "zod";
import type { Policies } from "../core/policies.ts";
import type { Engine } from "../engine/engine.ts";
import type { Store } from "../store/store.ts";
import { type EntriesRead, waitingListLookups } from "../store/waiting-list.ts";
import { callOptions, withOptions } from "./call-options.ts";
import { type CallOptions, identifier, parseInput, uuid } from "./input.ts";
import { type Patience, restOf } from "./patience.ts";
import { ownRunner, type Runner } from "./runner.ts";
import { serviceSource } from "./services.ts";
import { type JoinWaitlistInput, type JoinWaitlistOutcome, joinWaitlist } from "./waiting-list-join.ts";
import {
  type DeclineOfferInput,
  type DeclineOfferOutcome,
  declineOffer,
  type LeaveWaitlistInput,
  type LeaveWaitlistOutcome,
  leaveWaitlist,
} from "./waiting-list-leave.ts";
import { Ticker, type WaitlistReport } from "./waiting-list-tick.ts";
import { viewEntries, type WaitlistEntryView } from "./waiting-list-views.ts";
import { eitherOr, eitherOrMessage, type Who, whoShape } from "./who.ts";

/** The verbs of the waiting list that can also run inside a transaction of yours. In there, what they free is offered by the next tick. */
export interface WaitlistVerbs {
  /**
   * Puts a customer on the waiting list of a service, for a window of time (B12). The same wish again is the same entry.
   *
   * @example
   * ```ts
   * import type { Bookonce } from "bookonce";
   *
   * export async function wait(bookonce: Bookonce) {
   *   const joined = await bookonce.waitlist.join({
   *     customer: "telegram:42",
   *     service: "haircut",
   *     from: "2027-01-15T10:00:00+05:00",
   *     to: "2027-01-15T19:00:00+05:00",
   *     consent: { text: "Tell me when a place is free (v1)" },
   *   });
   *   return joined.outcome === "refused" ? joined.reason : joined.entry.id;
   * }
   * ```
   *
   * @throws BookonceError `invalid_input`, `unavailable`
   */
  join(input: JoinWaitlistInput, options?: CallOptions): Promise<JoinWaitlistOutcome>;
  /** Takes her off the list: at once, also while a place is being offered to her; that is then offered to the next. */
  leave(input: LeaveWaitlistInput, options?: CallOptions): Promise<LeaveWaitlistOutcome>;
  /** "Not this one": the place is offered to the next; she keeps waiting for another. Accepting is confirming or paying the booking. */
  decline(input: DeclineOfferInput, options?: CallOptions): Promise<DeclineOfferOutcome>;
}

/** Freed places, offered to one person at a time (B12). */
export interface Waitlist extends WaitlistVerbs {
  /**
   * Offers what is free to those who wait, first come, first served: each offer is a booking held for the customer, and the event
   * `waitlist_offered` tells her. Run it in a loop, in any number of processes; `sweep` runs it too, and so does each of our verbs that
   * frees a place. Nothing is ever wrong because it has not run: an offer is over at its instant.
   *
   * @example
   * ```ts
   * import type { Bookonce } from "bookonce";
   *
   * export async function serve(bookonce: Bookonce) {
   *   await bookonce.waitlist.tick();
   *   await bookonce.events.run(async ({ type, booking }) => {
   *     if (type !== "waitlist_offered" || booking?.state !== "held") return;
   *     console.log(`${booking.customer}: a place is free at ${booking.start}, yours until ${booking.holdExpiresAt}`);
   *   });
   * }
   * ```
   *
   * @throws BookonceError `unavailable`
   */
  tick(options?: CallOptions): Promise<WaitlistReport>;
  /** An entry, to its customer or an administrator; null for everybody else. */
  get(input: { readonly entryId: string } & Who): Promise<WaitlistEntryView | null>;
  /** A customer's entries that are in line, in order, 100 at most. */
  ofCustomer(customer: string): Promise<readonly WaitlistEntryView[]>;
  /** For administrators: who is in line (or, with `all`, who ever was), in order. */
  list(input?: WaitlistListInput): Promise<readonly WaitlistEntryView[]>;
  /**
   * The place in line, from 1, among those whose windows overlap: a number, and nothing about the others. Null when the entry is not in
   * line, or not the customer's.
   */
  position(input: { readonly entryId: string } & Who): Promise<number | null>;
}

/** What `waitlist.list` takes. */
export interface WaitlistListInput {
  readonly service?: string;
  readonly all?: boolean;
  /** Default 100, at most 1 000. */
  readonly limit?: number;
}

const entrySchema = z.strictObject({ entryId: uuid, ...whoShape }).refine(eitherOr, eitherOrMessage);
const listSchema = z.strictObject({
  service: identifier.optional(),
  all: z.boolean().default(false),
  limit: z.number().int().min(1).max(1000).default(100),
});
const none: Patience = {};

export function waitlistVerbs(runner: Runner, store: Store): WaitlistVerbs {
  const source = serviceSource(store);
  const lookups = waitingListLookups(store.queries);
  return {
    join: withOptions("waitlist.join", (input: JoinWaitlistInput, options) =>
      joinWaitlist(runner, source, input, options),
    ),
    leave: withOptions("waitlist.leave", (input: LeaveWaitlistInput, options) =>
      leaveWaitlist(runner, lookups, input, options),
    ),
    decline: withOptions("waitlist.decline", (input: DeclineOfferInput, options) =>
      declineOffer(runner, input, options),
    ),
  };
}

/** A place in time that became free. */
interface Freed {
  readonly start: Date;
  readonly end: Date;
}

export type PassOn = (freed: Freed, options: Patience) => Promise<void>;

export function waitlist(engine: Engine, store: Store, policies: Policies): { list: Waitlist; passOn: PassOn } {
  const runner = ownRunner(engine);
  const lookups = waitingListLookups(store.queries);
  const own = waitlistVerbs(runner, store);
  const ticker = new Ticker(engine, store, policies);
  const passOn = passingOn(ticker);
  const list: Waitlist = {
    join: own.join,
    async leave(input, given) {
      const options = callOptions("waitlist.leave", given);
      const outcome = await own.leave(input, restOf(options));
      if (outcome.outcome === "left" && outcome.released !== null) await passOn(outcome.released, options);
      return outcome;
    },
    async decline(input, given) {
      const options = callOptions("waitlist.decline", given);
      const outcome = await own.decline(input, restOf(options));
      if (outcome.outcome === "declined") await passOn(outcome.booking, options);
      return outcome;
    },
    async tick(options) {
      return ticker.tick(null, callOptions("waitlist.tick", options));
    },
    async get(input) {
      const { entryId, customer } = parseInput("waitlist.get", entrySchema, input);
      const filter = { id: entryId, ...(customer !== undefined && { customer }), inLine: false, limit: 1 };
      return viewEntries(await runner.read<EntriesRead>(lookups.entries(filter), none))[0] ?? null;
    },
    async ofCustomer(name) {
      const customer = parseInput("waitlist.ofCustomer", identifier, name);
      return viewEntries(await runner.read<EntriesRead>(lookups.entries({ customer, inLine: true, limit: 100 }), none));
    },
    async list(input = {}) {
      const { service, all, limit } = parseInput("waitlist.list", listSchema, input);
      const filter = { ...(service !== undefined && { service }), inLine: !all, limit };
      return viewEntries(await runner.read<EntriesRead>(lookups.entries(filter), none));
    },
    async position(input) {
      const { entryId, customer = null } = parseInput("waitlist.position", entrySchema, input);
      const before = await runner.read<number | null>(lookups.before({ id: entryId, customer }), none);
      return before === null ? null : before + 1;
    },
  };
  return { list, passOn };
}

const dayMs = 86_400_000;

/**
 * What a verb has freed is offered to the next before the verb answers. The verb is done, whatever becomes of this: should it fail,
 * the next tick makes the offer.
 */
function passingOn(ticker: Ticker): PassOn {
  return async ({ start, end }, options) => {
    const around = { start: start.getTime() - dayMs, end: end.getTime() + dayMs };
    await ticker.tick(around, options).catch(() => undefined);
  };
}
