import { BookonceError } from "./core/error.ts";
import { knownProviders, type Providers } from "./core/providers.ts";
import type { Database } from "./database/port.ts";
import { Engine, toBookonceError } from "./engine/engine.ts";
import { allMigrationSql, type MigrateResult, migrate } from "./store/migrate.ts";
import { createStore } from "./store/store.ts";
import { type AuditReport, audit } from "./verbs/audit.ts";
import { type Bookings, bookings } from "./verbs/bookings.ts";
import { type CancelInput, type CancelOutcome, cancel } from "./verbs/cancel.ts";
import { type ConfirmPaymentInput, type ConfirmPaymentOutcome, confirmPayment } from "./verbs/confirm-payment.ts";
import { type Cursors, cursors } from "./verbs/cursors.ts";
import { decidePreCheckout, type PreCheckoutInput, type PreCheckoutOutcome } from "./verbs/decide-pre-checkout.ts";
import { type Events, events } from "./verbs/events.ts";
import type { CallOptions } from "./verbs/input.ts";
import { type Payments, payments } from "./verbs/payments.ts";
import { type PoliciesInput, parsePolicies } from "./verbs/policies.ts";
import { type Refunds, refunds } from "./verbs/refunds.ts";
import { type ReserveSlotInput, type ReserveSlotOutcome, reserveSlot } from "./verbs/reserve-slot.ts";
import { type Resources, resources } from "./verbs/resources.ts";
import { type Reviews, reviews } from "./verbs/reviews.ts";
import { joinedRunner, ownRunner, type Runner } from "./verbs/runner.ts";
import { type SweepReport, sweep } from "./verbs/sweep.ts";
import { type VoidApprovalInput, type VoidApprovalOutcome, voidApproval } from "./verbs/void-approval.ts";

/** Settings of an instance. */
export interface BookonceOptions<Caller = never> {
  /** How to reach PostgreSQL: `pgDatabase` of `bookonce/pg`, `kyselyDatabase` of `bookonce/kysely`, `pgliteDatabase` of `bookonce/pglite`. */
  readonly database: Database<Caller>;
  /** The schema of our tables. Default `"bookonce"`. A schema per business spreads businesses over servers later. */
  readonly schema?: string;
  readonly policies?: PoliciesInput;
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
}

/** An instance: verbs, reads, outboxes and care. Any number of processes may have one on the same database (O1). */
export interface Bookonce<Caller = never> extends Verbs {
  /** Creates or updates our tables. Safe to call from every process at start. @throws BookonceError `unavailable` */
  migrate(): Promise<MigrateResult>;
  /** The SQL that `migrate` runs, for people who use a tool of their own. */
  migrationSql(): string;
  readonly resources: Resources;
  readonly bookings: Bookings;
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly reviews: Reviews;
  readonly events: Events;
  readonly cursors: Cursors;
  /** Writes down what has lapsed, so that customers are told. Correctness does not depend on it (B6). */
  sweep(options?: CallOptions): Promise<SweepReport>;
  /** Where every payment is, and everything that must not be (O2). */
  audit(): Promise<AuditReport>;
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
  if (schema.length === 0 || Buffer.byteLength(schema) > 63 || schema.includes("\u0000")) {
    throw new BookonceError("invalid_input", "schema: must be a PostgreSQL name of 1 to 63 bytes");
  }
  const store = createStore(schema);
  const engine = new Engine({
    database,
    store,
    policies: parsePolicies(options.policies ?? {}),
    providers: { ...knownProviders, ...options.providers },
    batchSize: batch.size ?? 64,
    batchesInFlight: batch.inFlight ?? 2,
    timeouts: {
      lockMs: timeouts.lockMs ?? 1_000,
      statementMs: timeouts.statementMs ?? 3_000,
      idleMs: timeouts.idleMs ?? 5_000,
    },
  });
  return {
    ...verbs(ownRunner(engine)),
    migrate: () =>
      migrate(database, schema).catch((error: unknown) => {
        throw toBookonceError(error, "Repeating the call is safe.");
      }),
    migrationSql: () => allMigrationSql(schema),
    resources: resources(engine, store),
    bookings: bookings(engine, store),
    payments: payments(engine, store),
    refunds: refunds(engine, store),
    reviews: reviews(engine, store),
    events: events(engine, store),
    cursors: cursors(engine, store),
    sweep: (callOptions) => sweep(engine, store, callOptions),
    audit: () => audit(engine, store),
    within: (caller) => verbs(joinedRunner(engine, database.join(caller))),
  };
}

function verbs(runner: Runner): Verbs {
  return {
    reserveSlot: (input, options) => reserveSlot(runner, input, options),
    decidePreCheckout: (input, options) => decidePreCheckout(runner, input, options),
    confirmPayment: (input, options) => confirmPayment(runner, input, options),
    voidApproval: (input, options) => voidApproval(runner, input, options),
    cancel: (input, options) => cancel(runner, input, options),
  };
}
