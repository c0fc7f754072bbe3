import { knownProviders, type Providers } from "./core/providers.ts";
import type { Database } from "./database/port.ts";
import { Engine, toBookonceError } from "./engine/engine.ts";
import type { Wait } from "./store/health.ts";
import { allMigrationSql, type MigrateResult, migrate } from "./store/migrate.ts";
import { createStore } from "./store/store.ts";
import { type AuditReport, audit } from "./verbs/audit.ts";
import { type Bookings, bookings } from "./verbs/bookings.ts";
import { callOptions as checkCallOptions, withOptions } from "./verbs/call-options.ts";
import { type Cursors, cursors } from "./verbs/cursors.ts";
import { type DoctorReport, doctor, waits } from "./verbs/doctor.ts";
import { type Events, events } from "./verbs/events.ts";
import { type Slots, slots } from "./verbs/find-slots.ts";
import type { CallOptions } from "./verbs/input.ts";
import { checkInstanceOptions, expectCaller } from "./verbs/instance-options.ts";
import { restOf } from "./verbs/patience.ts";
import { type Payments, payments } from "./verbs/payments.ts";
import { type PoliciesInput, parsePolicies } from "./verbs/policies.ts";
import { type Reanchored, type ReanchorInput, reanchor } from "./verbs/reanchor.ts";
import { type Refunds, refunds } from "./verbs/refunds.ts";
import { checkReminderRules, type ReminderRule, type Reminders, reminders } from "./verbs/reminders.ts";
import { type Resources, resources } from "./verbs/resources.ts";
import { type Reviews, reviews } from "./verbs/reviews.ts";
import { joinedRunner, ownRunner } from "./verbs/runner.ts";
import { type Services, serviceSource, services } from "./verbs/services.ts";
import { type SweepReport, sweep } from "./verbs/sweep.ts";
import { admitTime } from "./verbs/time-rules.ts";
import { passingOn, type Verbs, verbs } from "./verbs/verbs.ts";
import { type Waitlist, waitlist } from "./verbs/waiting-list.ts";

export { type RepeatOptions, repeat } from "./verbs/repeat.ts";

/** Settings of an instance. */
export interface BookonceOptions<Caller = never> {
  /** How to reach PostgreSQL: `pgDatabase` of `bookonce/pg`, `kyselyDatabase` of `bookonce/kysely`, `pgliteDatabase` of `bookonce/pglite`. */
  readonly database: Database<Caller>;
  /** The schema of our tables. Default `"bookonce"`. A schema per business spreads businesses over servers later. */
  readonly schema?: string;
  readonly policies?: PoliciesInput;
  /** Which reminders there are; customers opt in to them. */
  readonly reminders?: readonly ReminderRule[];
  /** Payment providers of your own, and what they can do. */
  readonly providers?: Providers;
  /** How commands travel together. The defaults were measured; see docs/ARCHITECTURE.md. */
  readonly batch?: { readonly size?: number; readonly inFlight?: number };
  /** Time-outs of every transaction of ours, local to it, in milliseconds. Defaults: lock 1 000, statement 3 000, idle 5 000. */
  readonly timeouts?: { readonly lockMs?: number; readonly statementMs?: number; readonly idleMs?: number };
}

/** An instance: verbs, reads, outboxes and care. Any number of processes may have one on the same database (O1). */
export interface Bookonce<Caller = never> extends Verbs {
  /** Creates or updates our tables. Safe to call from every process at start. @throws BookonceError `unavailable` */
  migrate(): Promise<MigrateResult>;
  /** The SQL that `migrate` runs, for people who use a tool of their own. */
  migrationSql(): string;
  readonly resources: Resources;
  readonly services: Services;
  readonly slots: Slots;
  readonly waitlist: Waitlist;
  readonly bookings: Bookings;
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly reviews: Reviews;
  readonly events: Events;
  readonly reminders: Reminders;
  readonly cursors: Cursors;
  /**
   * Writes down what has lapsed, so that customers are told, and offers what is free to those who wait. Correctness does not depend on
   * it (B6).
   */
  sweep(options?: CallOptions): Promise<SweepReport>;
  /**
   * Finds the bookings to come whose zone has other rules now than when they were made: what was agreed is the time on the wall, so
   * they move with it, after the conflicts are checked, and never silently (B15). A dry run unless told otherwise.
   */
  reanchor(input: ReanchorInput, options?: CallOptions): Promise<readonly Reanchored[]>;
  /** Where every payment is, and everything that must not be (O2). */
  audit(): Promise<AuditReport>;
  /** What makes bots lose time, messages or money, and who waits for whom (O3, B4). Throws for nothing that it can report. */
  doctor(): Promise<DoctorReport>;
  /** Who waits for whom in the database right now, and for how long; longest first. */
  waits(): Promise<readonly Wait[]>;
  /**
   * The verbs inside a transaction of yours: your rows and ours commit or roll back together (O4). It must be READ COMMITTED. There is
   * no queue and no retry in there; an error means that the transaction has failed.
   */
  within(caller: Caller): Verbs;
}

/**
 * Makes an instance. Opens no connection by itself.
 *
 * @example
 * ```ts
 * import { createBookonce } from "bookonce";
 * import { pgDatabase } from "bookonce/pg";
 *
 * const bookonce = createBookonce({
 *   database: pgDatabase({ connectionString: "postgres://localhost/bot" }),
 *   policies: { hold: { minutes: 10 }, cancellation: { refundUntil: { hours: 12 } } },
 * });
 * await bookonce.migrate();
 * await bookonce.resources.put({ id: "anna", name: "Anna" });
 * ```
 *
 * @throws BookonceError `invalid_input`
 */
export function createBookonce<Caller = never>(options: BookonceOptions<Caller>): Bookonce<Caller> {
  const { schema, providers: declared, batch, timeouts } = checkInstanceOptions(options);
  const { database } = options;
  const store = createStore(schema);
  const policies = parsePolicies(options.policies === undefined ? {} : options.policies);
  const providers = { ...knownProviders, ...declared };
  const engine = new Engine({
    database,
    store,
    policies,
    providers,
    admitTime,
    batchSize: batch.size,
    batchesInFlight: batch.inFlight,
    timeouts,
  });
  const waiting = waitlist(engine, store, policies);
  return {
    ...passingOn(verbs(ownRunner(engine), store), waiting.passOn),
    migrate: () =>
      migrate(database, schema).catch((error: unknown) => {
        throw toBookonceError(error, "Repeating the call is safe.");
      }),
    migrationSql: () => allMigrationSql(schema),
    resources: resources(engine, store),
    services: services(engine, store),
    slots: slots(engine, store),
    waitlist: waiting.list,
    bookings: bookings(engine, store),
    payments: payments(engine, store),
    refunds: refunds(engine, store),
    reviews: reviews(engine, store),
    events: events(engine, store),
    reminders: reminders(engine, store, checkReminderRules(options.reminders === undefined ? [] : options.reminders)),
    cursors: cursors(engine, store),
    async sweep(given) {
      const callOptions = checkCallOptions("sweep", given);
      const report = await sweep(engine, store, callOptions);
      await waiting.list.tick(restOf(callOptions));
      return report;
    },
    reanchor: withOptions("reanchor", (input: ReanchorInput, callOptions) =>
      reanchor(ownRunner(engine), store, serviceSource(store), input, callOptions),
    ),
    audit: () => audit(engine, store, providers),
    doctor: () => doctor(engine, store),
    waits: () => waits(engine, store),
    within(caller) {
      expectCaller(caller);
      return verbs(joinedRunner(engine, database.join(caller)), store);
    },
  };
}
