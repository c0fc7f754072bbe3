import { createHash, randomUUID } from "node:crypto";
import type {
  BookingView,
  Bookonce,
  CallOptions,
  ConfirmPaymentInput,
  ConfirmPaymentOutcome,
  PreCheckoutInput,
  PreCheckoutOutcome,
  ReserveSlotInput,
  ReserveSlotOutcome,
} from "bookonce";
import { type TestDatabase, testSchema } from "./database.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Any instance of the library, whatever its driver. */
export type Shop = Omit<Bookonce, "within">;

/** A name that no other test of the file uses. */
export function unique(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 8)}`;
}

/** Far ahead of every clock that a test moves. */
export const soon: Date = new Date(Math.ceil(Date.now() / day) * day + 100 * day + 10 * hour);

/** Another whole hour, counted from {@link soon}. */
export function hoursLater(hours: number): Date {
  return new Date(soon.getTime() + hours * hour);
}

export async function aResource(shop: Shop, prefix = "anna"): Promise<string> {
  return (await shop.resources.put({ id: unique(prefix) })).id;
}

/** Asks for an hour of a resource of its own for 500 Stars, unless told otherwise. */
export async function reserve(shop: Shop, over: Partial<ReserveSlotInput> = {}): Promise<ReserveSlotOutcome> {
  const resources = over.resources ?? [await aResource(shop)];
  const length = over.end === undefined && over.duration === undefined ? { duration: { minutes: 60 } } : {};
  const price = { amount: 500, currency: "XTR" };
  return shop.reserveSlot({ customer: unique("customer"), start: soon, price, ...length, ...over, resources });
}

/** The same where nothing may refuse. */
export async function book(shop: Shop, over: Partial<ReserveSlotInput> = {}): Promise<BookingView> {
  const outcome = await reserve(shop, over);
  if (outcome.outcome !== "reserved") throw new Error(`not reserved: ${JSON.stringify(outcome)}`);
  return outcome.booking;
}

/** The same without a price: free, and only held. */
export async function bookFree(shop: Shop, over: Partial<ReserveSlotInput> = {}): Promise<BookingView> {
  const resources = over.resources ?? [await aResource(shop)];
  const input = { customer: unique("customer"), start: soon, duration: { minutes: 60 }, ...over, resources };
  const outcome = await shop.reserveSlot(input);
  if (outcome.outcome !== "reserved") throw new Error(`not reserved: ${JSON.stringify(outcome)}`);
  return outcome.booking;
}

/** The query that Telegram sends when the buyer presses Pay. */
export function query(booking: BookingView, over: Partial<PreCheckoutInput> = {}): PreCheckoutInput {
  return { ...charged(booking), checkoutId: unique("query"), ...over };
}

/** The receipt that Telegram sends when it has charged. */
export function receiptOf(booking: BookingView, over: Partial<ConfirmPaymentInput> = {}): ConfirmPaymentInput {
  return { ...charged(booking), chargeId: unique("charge"), ...over };
}

function charged(booking: BookingView) {
  return {
    provider: "telegram_stars",
    account: "bot",
    payload: booking.payload,
    payer: booking.payer ?? booking.customer,
    amount: booking.price?.amount ?? 500,
    currency: booking.price?.currency ?? "XTR",
  };
}

export function preCheckout(
  shop: Shop,
  booking: BookingView,
  over: Partial<PreCheckoutInput> = {},
  options: CallOptions = {},
): Promise<PreCheckoutOutcome> {
  return shop.decidePreCheckout(query(booking, over), options);
}

export function receipt(
  shop: Shop,
  booking: BookingView,
  over: Partial<ConfirmPaymentInput> = {},
): Promise<ConfirmPaymentOutcome> {
  return shop.confirmPayment(receiptOf(booking, over));
}

/** A paid booking, and the charge id that paid it. */
export async function sell(
  shop: Shop,
  over: Partial<ReserveSlotInput> = {},
): Promise<{ booking: BookingView; chargeId: string; paymentId: string }> {
  const held = await book(shop, over);
  const chargeId = unique("charge");
  const paid = await receipt(shop, held, { chargeId });
  if (paid.outcome !== "booked") throw new Error(`not booked: ${paid.outcome}`);
  return { booking: paid.booking, chargeId, paymentId: paid.payment.id };
}

/** A charge that came when its hold was over: its refund is queued. */
export async function lateCharge(
  db: TestDatabase,
  over: Partial<ConfirmPaymentInput> = {},
): Promise<{ booking: BookingView; refundId: string; paymentId: string; chargeId: string }> {
  const booking = await book(db.bookonce);
  await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
  const late = await receipt(db.bookonce, booking, over);
  if (late.outcome !== "late" || late.refund === null) throw new Error(`not late: ${late.outcome}`);
  return { booking, refundId: late.refund.id, paymentId: late.payment.id, chargeId: late.payment.chargeId };
}

/** The clock of all decisions, as a test has moved it. */
export async function databaseNow(db: TestDatabase): Promise<Date> {
  const { rows } = await db.pool.query<{ now: Date }>(`select ${db.schema}.clock() as now`);
  return rows[0]?.now ?? new Date(Number.NaN);
}

export async function count(db: TestDatabase, table: string, where = "true", values: unknown[] = []): Promise<number> {
  const { rows } = await db.pool.query<{ n: number }>(
    `select count(*)::int as n from ${db.schema}.${table} where ${where}`,
    values,
  );
  return rows[0]?.n ?? -1;
}

/** Our tables that hold what happened; the list of migrations is none of them. */
export async function tablesOf(db: TestDatabase): Promise<string[]> {
  const { rows } = await db.pool.query<{ tablename: string }>(
    "select tablename from pg_tables where schemaname = $1 and tablename <> 'migrations' order by 1",
    [testSchema],
  );
  return rows.map((row) => row.tablename);
}

/** A digest of everything that is stored: equal before and after means that nothing was written. */
export async function digestOf(db: TestDatabase): Promise<string> {
  const hash = createHash("sha256");
  for (const table of await tablesOf(db)) {
    const { rows } = await db.pool.query<{ text: string }>(
      `select t::text as text from ${db.schema}.${table} t order by 1`,
    );
    hash.update(JSON.stringify(rows));
  }
  return hash.digest("hex");
}

/** The history of a booking, as names. */
export async function historyOf(shop: Shop, booking: { readonly id: string }): Promise<string[]> {
  return (await shop.bookings.history(booking.id)).map((entry) => entry.type);
}

/** Outcomes counted by name; a rejection is counted by its error's name and code, so that a raw SQLSTATE shows. */
export async function tally(
  outcomes: readonly Promise<{ readonly outcome: string; readonly reason?: string }>[],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(outcomes)) {
    const name =
      result.status === "fulfilled"
        ? (result.value.reason ?? result.value.outcome)
        : `error ${describe(result.reason)}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? ` ${String(error.code)}` : "";
  return `${error.name}${code}: ${error.message}`;
}

/** Resolves when so many sessions of this database wait for a lock: a race can then be let go on, in a known order. */
export async function untilBlocked(db: TestDatabase, sessions = 1): Promise<void> {
  for (;;) {
    const { rows } = await db.pool.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if ((rows[0]?.n ?? 0) >= sessions) return;
  }
}
