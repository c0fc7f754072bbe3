import { type Bookonce, createBookonce, type Database, type Statement, type Transaction } from "bookonce";
import type { PgClient } from "bookonce/pg";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { book, preCheckout, receipt, sell, soon, unique } from "../support/fixtures.ts";

/**
 * With a year of bookings in the tables, every statement of the verbs must find its rows by an index. The statements are not written
 * down here: they are recorded from verbs that run, and explained with the values they were sent with.
 */

let db: TestDatabase;
let recorded: Statement[] = [];
let shop: Bookonce<PgClient>;

beforeAll(async () => {
  db = await createTestDatabase();
  await fill(db.pool, db.schema);
  shop = createBookonce({ database: recording(db.database), schema: testSchema, batch: { inFlight: 1 } });
}, 120_000);
afterAll(() => db.drop());

function recording(database: Database<PgClient>): Database<PgClient> {
  const listen = (transaction: Transaction): Transaction => ({
    send(statements, options) {
      recorded.push(...statements);
      return transaction.send(statements, options);
    },
  });
  return {
    transaction: (options, work) => database.transaction(options, (transaction) => work(listen(transaction))),
    join: (caller) => database.join(caller),
  };
}

/** 20 000 bookings of 200 resources and 5 000 customers: past and future, some lapsed, all paid, all refunded in part. */
async function fill(pool: pg.Pool, s: string): Promise<void> {
  await pool.query(
    `insert into ${s}.resources (id, name, created_at) select 'r' || n, 'r' || n, now() from generate_series(0, 199) n`,
  );
  await pool.query(`insert into ${s}.bookings (id, token, customer, payer, state, wanted_ids, quantities, resource_ids, starts_at,
      ends_at, day_starts_at, day_ends_at, price_amount,
      price_currency, hold_expires_at, policy, version, request_id, request_digest, data, created_at, confirmed_at)
    select gen_random_uuid(), 'bo1_' || n, 'customer ' || n % 5000, 'customer ' || n % 5000,
      case when n % 10 = 0 then 'expired' else 'confirmed' end, array['r' || n % 200], '{1}', array['r' || n % 200],
      now() + (n / 200 - 80) * interval '1 day', now() + (n / 200 - 80) * interval '1 day' + interval '1 hour',
      now() + (n / 200 - 80) * interval '1 day', now() + (n / 200 - 79) * interval '1 day', 5, 'XTR',
      now() - interval '1 hour', '{}', 1, 'request ' || n, 'digest', '{}', now(), now()
    from generate_series(0, 19999) n`);
  await pool.query(`insert into ${s}.claims (booking_id, number, resource_id, starts_at, ends_at, live_from, live_until)
    select id, 1, resource_ids[1], starts_at, ends_at, now() - interval '90 days', case when state = 'expired' then now() - interval '89 days' end
    from ${s}.bookings`);
  await pool.query(`insert into ${s}.checkouts (provider, account, external_id, token, payer, amount, currency, booking_id, decision, decided_at)
    select 'telegram_stars', 'bot', 'old ' || token, token, payer, 5, 'XTR', id, 'approved', now() from ${s}.bookings`);
  await pool.query(`insert into ${s}.payments (id, provider, account, external_id, token, payer, amount, currency, booking_id, disposition,
      received_at, details)
    select gen_random_uuid(), 'telegram_stars', 'bot', 'old ' || token, token, payer, 5, 'XTR', id,
      case when state = 'expired' then 'late' else 'booked' end, now(), '{}' from ${s}.bookings`);
  await pool.query(`insert into ${s}.refunds (id, payment_id, booking_id, amount, currency, reason, state, attempts, requested_at, due_at,
      completed_at)
    select gen_random_uuid(), id, booking_id, 1, 'XTR', 'goodwill', 'completed', 1, now(), now(), now() from ${s}.payments`);
  await pool.query(`insert into ${s}.events (booking_id, type, at, actor, version, data, delivered_at)
    select id, type, now(), 'test', 1, '{}', now() from ${s}.bookings, unnest(array['booking_reserved', 'booking_confirmed']) type`);
  await pool.query("vacuum analyze");
}

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly Node[];
}

interface Explained {
  readonly text: string;
  readonly nodes: readonly Node[];
}

/** The plans of the statements that were recorded while `work` ran. */
async function plansOf(work: () => Promise<unknown>): Promise<Explained[]> {
  recorded = [];
  await work();
  const statements = new Map(recorded.map((statement) => [statement.text, statement]));
  const explained: Explained[] = [];
  for (const { text, values } of statements.values()) {
    const { rows } = await db.pool.query<{ "QUERY PLAN": { Plan: Node }[] }>(`explain (format json) ${text}`, [
      ...values,
    ]);
    explained.push({ text, nodes: (rows[0]?.["QUERY PLAN"] ?? []).flatMap(({ Plan }) => flatten(Plan)) });
  }
  return explained;
}

function flatten(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

// 200 resources are three pages, and 20 000 refunds a few hundred: reading them all is as good as an index.
const large: ReadonlySet<string> = new Set(["bookings", "claims", "checkouts", "payments", "events"]);

function scanned({ nodes }: Explained): string[] {
  return nodes
    .filter((node) => node["Node Type"] === "Seq Scan" && large.has(node["Relation Name"] ?? ""))
    .map((node) => node["Relation Name"] ?? "");
}

const many = Array.from({ length: 64 }, (_, index) => index);
let hours = 0;

/** A free hour of one of the resources, another each time. */
function slot() {
  hours += 1;
  return { resources: [`r${hours % 200}`], start: new Date(soon.getTime() + hours * 3_600_000) };
}

const queue = { provider: "telegram_stars", refund: async () => ({ answer: "refunded", by: "test" }) as const };

const works: Readonly<Record<string, () => Promise<unknown>>> = {
  "one reservation": () => book(shop, { ...slot(), requestId: unique("request") }),
  "a batch of reservations": () => Promise.all(many.map(() => book(shop, { ...slot(), requestId: unique("request") }))),
  "pre-checkout": async () => preCheckout(shop, await book(shop, slot())),
  "a batch of pre-checkouts": async () => {
    const bookings = await Promise.all(many.map(() => book(shop, { ...slot(), claim: "at_checkout" })));
    recorded = [];
    await Promise.all(bookings.map((booking) => preCheckout(shop, booking)));
  },
  "a receipt": () => sell(shop, slot()),
  "a batch of receipts": async () => {
    const bookings = await Promise.all(many.map(() => book(shop, slot())));
    recorded = [];
    await Promise.all(bookings.map((booking) => receipt(shop, booking)));
  },
  "a cancellation, and the refund": async () => {
    const { booking } = await sell(shop, slot());
    await shop.cancel({ bookingId: booking.id, customer: booking.customer });
    await shop.refunds.run(queue);
  },
  "a batch of cancellations": async () => {
    const sold = await Promise.all(many.map(() => sell(shop, slot())));
    recorded = [];
    await Promise.all(sold.map(({ booking }) => shop.cancel({ bookingId: booking.id, customer: booking.customer })));
  },
  "the outbox of events": () => shop.events.run(async () => undefined, { limit: 3 }),
  "the sweep": async () => {
    await book(shop, slot());
    await db.clock.advance(3_600_000);
    await shop.sweep();
    await db.clock.reset();
  },
  "the reads": async () => {
    const { booking, paymentId } = await sell(shop, slot());
    recorded = [];
    await shop.bookings.get(booking.id);
    await shop.bookings.busy({ resources: ["r6"], from: soon, to: new Date(soon.getTime() + 86_400_000) });
    await shop.bookings.history(booking.id);
    await shop.refunds.ofPayment(paymentId);
    await shop.payments.find({ bookingId: booking.id });
    await shop.refunds.list();
    await shop.reviews.list();
  },
};

describe("with 20 000 bookings", () => {
  test.each(Object.entries(works))("%s reads no large table from end to end", async (_, work) => {
    const explained = await plansOf(work);
    expect(explained.length).toBeGreaterThan(0);
    const bad = explained.filter((one) => scanned(one).length > 0);
    expect(bad.map((one) => ({ scanned: scanned(one), text: one.text }))).toEqual([]);
  });

  test.each(["one reservation", "a batch of reservations", "a batch of pre-checkouts"])(
    "%s finds rival claims by the index of the exclusion constraint",
    async (name) => {
      const explained = await plansOf(works[name] ?? (() => Promise.reject(new Error(name))));
      const readers = explained.filter(({ nodes }) => nodes.some((node) => node["Index Name"] === "claims_exclusive"));
      expect(readers).toHaveLength(1);
    },
  );
});
