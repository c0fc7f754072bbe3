import { BookonceError } from "./core/error.ts";
import { knownProviders, type Providers } from "./core/providers.ts";
import type { Database } from "./database/port.ts";
import { Engine, toBookonceError } from "./engine/engine.ts";
import type { Wait } from "./store/health.ts";
import { allMigrationSql, type MigrateResult, migrate } from "./store/migrate.ts";
import { createStore, type Store } from "./store/store.ts";
import { type AttendInput, type AttendOutcome, attend } from "./verbs/attend.ts";
import { type AuditReport, audit } from "./verbs/audit.ts";
import { type Bookings, bookings } from "./verbs/bookings.ts";
import { type CancelInput, type CancelOutcome, type CancelPreview, cancel, previewCancel } from "./verbs/cancel.ts";
import { type ConfirmInput, type ConfirmOutcome, confirm } from "./verbs/confirm.ts";
import { type ConfirmPaymentInput, type ConfirmPaymentOutcome, confirmPayment } from "./verbs/confirm-payment.ts";
import { type Cursors, cursors } from "./verbs/cursors.ts";
import { decidePreCheckout, type PreCheckoutInput, type PreCheckoutOutcome } from "./verbs/decide-pre-checkout.ts";
import { type DoctorReport, doctor, waits } from "./verbs/doctor.ts";
import { type Events, events } from "./verbs/events.ts";
import { type Slots, slots } from "./verbs/find-slots.ts";
import type { CallOptions } from "./verbs/input.ts";
import { type Payments, payments } from "./verbs/payments.ts";
import { type PoliciesInput, parsePolicies } from "./verbs/policies.ts";
import { type Reanchored, type ReanchorInput, reanchor } from "./verbs/reanchor.ts";
import { type Refunds, refunds } from "./verbs/refunds.ts";
import { checkReminderRules, type ReminderRule, type Reminders, reminders } from "./verbs/reminders.ts";
import { type RescheduleInput, type RescheduleOutcome, reschedule } from "./verbs/reschedule.ts";
import { type ReserveSlotInput, type ReserveSlotOutcome, reserveSlot } from "./verbs/reserve-slot.ts";
import { type Resources, resources } from "./verbs/resources.ts";
import { type Reviews, reviews } from "./verbs/reviews.ts";
import { joinedRunner, ownRunner, type Runner } from "./verbs/runner.ts";
import { type Services, serviceSource, services } from "./verbs/services.ts";
import { type SweepReport, sweep } from "./verbs/sweep.ts";
import { admitTime } from "./verbs/time-rules.ts";
import { type TransferInput, type TransferOutcome, transfer } from "./verbs/transfer.ts";
import { type VoidApprovalInput, type VoidApprovalOutcome, voidApproval } from "./verbs/void-approval.ts";
import { type PassOn, type Waitlist, type WaitlistVerbs, waitlist, waitlistVerbs } from "./verbs/waiting-list.ts";

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

/** The verbs that can also run inside a transaction of yours. */
export interface Verbs {
  /**
   * Makes a booking: holds a slot, or only promises an invoice for it, or confirms it if it is free (S1, B2, B8).
   *
   * @example
   * ```ts
   * import type { Bookonce } from "bookonce";
   *
   * export async function book(bookonce: Bookonce) {
   *   const reserved = await bookonce.reserveSlot({
   *     customer: "telegram:42",
   *     resources: ["anna"],
   *     start: "2027-01-15T10:00:00+05:00",
   *     duration: { minutes: 60 },
   *     price: { amount: 500, currency: "XTR" },
   *   });
   *   if (reserved.outcome === "refused") return reserved.reason; // "slot_taken", "in_past" …
   *   return reserved.booking.payload; // goes into the invoice
   * }
   * ```
   *
   * @throws BookonceError `invalid_input`, `not_migrated`
   */
  reserveSlot(input: ReserveSlotInput, options?: CallOptions): Promise<ReserveSlotOutcome>;
  /**
   * Decides whether a provider may charge, and takes or keeps the slot for it (S2–S7). Commits first: answer the provider with what
   * this returned, and never the other way round (S8). Fails closed: no decision in time is `declined`, `unavailable`.
   *
   * @throws BookonceError `invalid_input`, `not_migrated`
   */
  decidePreCheckout(input: PreCheckoutInput, options?: CallOptions): Promise<PreCheckoutOutcome>;
  /**
   * Records a charge and what it bought, in one transaction (S9–S13). The same charge again changes nothing.
   *
   * @throws BookonceError `unavailable`: the payment is not stored; do not acknowledge the receipt, and call again.
   */
  confirmPayment(input: ConfirmPaymentInput, options?: CallOptions): Promise<ConfirmPaymentOutcome>;
  /** The provider said that its approval came too late to be used (S7): another attempt may be approved while the hold lives. */
  voidApproval(input: VoidApprovalInput, options?: CallOptions): Promise<VoidApprovalOutcome>;
  /**
   * Cancels a booking: release, refund task and history in one transaction (B9). Again: `already_cancelled`.
   *
   * @throws BookonceError `invalid_input`, `unavailable`
   */
  cancel(input: CancelInput, options?: CallOptions): Promise<CancelOutcome>;
  /** What `cancel` would do at this instant, with a `quote` that `cancel` can be held to (B9). Changes nothing. */
  previewCancel(input: Omit<CancelInput, "reason" | "quote">, options?: CallOptions): Promise<CancelPreview>;
  /** Confirms a booking without a payment: a free one, or (an administrator) one that is paid at the place. */
  confirm(input: ConfirmInput, options?: CallOptions): Promise<ConfirmOutcome>;
  /** Moves a booking: the new place is claimed and the old one released in one transaction; refused, it is as it was (B10). */
  reschedule(input: RescheduleInput, options?: CallOptions): Promise<RescheduleOutcome>;
  /** Gives a confirmed booking to another customer; no place is taken or freed. */
  transfer(input: TransferInput, options?: CallOptions): Promise<TransferOutcome>;
  /** Marks that the customer came. An attended booking is not refunded unless its policy says so. */
  checkIn(input: AttendInput, options?: CallOptions): Promise<AttendOutcome>;
  /** Marks that she did not. */
  markNoShow(input: AttendInput, options?: CallOptions): Promise<AttendOutcome>;
  /** Who waits for a place, and what is offered to whom (B12). */
  readonly waitlist: WaitlistVerbs;
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
  const { database, schema = "bookonce", batch = {}, timeouts = {} } = options;
  // The migrations put the name into a comment and into function bodies quoted with $$.
  if (schema.length === 0 || Buffer.byteLength(schema) > 63 || /\p{Cc}|\$\$/u.test(schema) || !schema.isWellFormed()) {
    throw new BookonceError(
      "invalid_input",
      "schema: must be a PostgreSQL name of 1 to 63 bytes, without control characters or $$",
    );
  }
  const store = createStore(schema);
  const policies = parsePolicies(options.policies ?? {});
  const providers = { ...knownProviders, ...options.providers };
  const engine = new Engine({
    database,
    store,
    policies,
    providers,
    admitTime,
    batchSize: batch.size ?? 64,
    batchesInFlight: batch.inFlight ?? 2,
    timeouts: {
      lockMs: timeouts.lockMs ?? 1_000,
      statementMs: timeouts.statementMs ?? 3_000,
      idleMs: timeouts.idleMs ?? 5_000,
    },
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
    reminders: reminders(engine, store, checkReminderRules(options.reminders ?? [])),
    cursors: cursors(engine, store),
    async sweep(callOptions) {
      const report = await sweep(engine, store, callOptions);
      await waiting.list.tick(callOptions);
      return report;
    },
    reanchor: (input, callOptions) => reanchor(ownRunner(engine), store, serviceSource(store), input, callOptions),
    audit: () => audit(engine, store, providers),
    doctor: () => doctor(engine, store),
    waits: () => waits(engine, store),
    within: (caller) => verbs(joinedRunner(engine, database.join(caller)), store),
  };
}

function verbs(runner: Runner, store: Store): Verbs {
  const source = serviceSource(store);
  return {
    reserveSlot: (input, options) => reserveSlot(runner, source, input, options),
    decidePreCheckout: (input, options) => decidePreCheckout(runner, input, options),
    confirmPayment: (input, options) => confirmPayment(runner, input, options),
    voidApproval: (input, options) => voidApproval(runner, input, options),
    cancel: (input, options) => cancel(runner, input, options),
    previewCancel: (input, options) => previewCancel(runner, input, options),
    confirm: (input, options) => confirm(runner, input, options),
    reschedule: (input, options) => reschedule(runner, store, source, input, options),
    transfer: (input, options) => transfer(runner, input, options),
    checkIn: (input, options) => attend(runner, "attended", input, options),
    markNoShow: (input, options) => attend(runner, "no_show", input, options),
    waitlist: waitlistVerbs(runner, store),
  };
}

/** The verbs that free a place, each followed by the offer of it to those who wait. */
function passingOn(own: Verbs, passOn: PassOn): Verbs {
  return {
    ...own,
    async reserveSlot(input, options) {
      const outcome = await own.reserveSlot(input, options);
      if (outcome.outcome === "reserved" && outcome.replaced !== null) await passOn(outcome.replaced, options);
      return outcome;
    },
    async cancel(input, options) {
      const outcome = await own.cancel(input, options);
      if (outcome.outcome === "cancelled") await passOn(outcome.booking, options);
      return outcome;
    },
    async reschedule(input, options) {
      const outcome = await own.reschedule(input, options);
      if (outcome.outcome === "rescheduled") await passOn(outcome.before, options);
      return outcome;
    },
  };
}
