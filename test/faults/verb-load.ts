import { setTimeout as sleep } from "node:timers/promises";
import { type BookingView, type Bookonce, createBookonce, isBookonceError, type Refunder } from "bookonce";
import { type OwnedPgDatabase, pgDatabase } from "bookonce/pg";
import { databaseClock } from "bookonce/testing";
import pg from "pg";
import { expect } from "vitest";
import { hoursLater } from "../support/fixtures.ts";
import type { Random } from "../support/random.ts";

const price = { amount: 500, currency: "XTR" } as const;
const resources = ["anna", "boris"] as const;

/**
 * The verbs under load from several instances, with a provider of the test's own that charges, delivers receipts until they are
 * stored, and returns money. Whatever the database does, a verb answers, or says that it is unavailable.
 */
export class VerbLoad {
  readonly #databases: readonly OwnedPgDatabase[];
  readonly #instances: readonly Bookonce<never>[];
  readonly #url: string;
  readonly #random: Random;
  /** What the provider has charged and given back: charge ids. */
  readonly #charged = new Set<string>();
  readonly #returned = new Set<string>();
  /** How calls ended, by name. */
  readonly outcomes: Record<string, number> = {};
  /** Rejections that are none of ours. Must stay empty. */
  readonly strange: string[] = [];

  constructor(url: string, random: Random, instances: number) {
    this.#url = url;
    this.#random = random;
    this.#databases = Array.from({ length: instances }, () => pgDatabase({ connectionString: url }));
    this.#instances = this.#databases.map((database) => createBookonce({ database }));
  }

  async prepare(): Promise<void> {
    await this.#instance(0).migrate();
    for (const id of resources) await this.#instance(0).resources.put({ id });
  }

  #instance(index: number): Bookonce<never> {
    const instance = this.#instances[index % this.#instances.length];
    if (instance === undefined) throw new Error("there is no instance");
    return instance;
  }

  /** Everything at once, until told to stop; receipts that are not stored yet are delivered to the end. */
  async runUntil(over: () => boolean): Promise<void> {
    const customers = Array.from({ length: 12 }, (_, index) => this.#buy(index, over));
    const workers = this.#instances.flatMap((instance) => [
      this.#work(over, () => instance.refunds.run(this.#refunder())),
      this.#work(over, () => instance.events.run(async () => undefined)),
      this.#work(over, () => instance.sweep()),
      this.#work(over, () => instance.audit()),
    ]);
    await Promise.all([...customers, ...workers]);
  }

  async #work(over: () => boolean, work: () => Promise<unknown>): Promise<void> {
    while (!over()) {
      await this.#note("worker", work);
      await sleep(50);
    }
  }

  async #buy(index: number, over: () => boolean): Promise<void> {
    const random = this.#random.fork();
    for (let purchase = 0; !over(); purchase += 1) {
      const instance = this.#instance(random.below(this.#instances.length));
      const booking = await this.#reserve(instance, index, random);
      if (booking === null) continue;
      const asked = {
        provider: "telegram_stars",
        account: "bot",
        payload: booking.payload,
        payer: booking.customer,
        ...price,
      };
      const id = `${index}-${purchase}`;
      const decided = await this.#note("decidePreCheckout", () =>
        instance.decidePreCheckout({ ...asked, checkoutId: `query-${id}` }, { budgetMs: 1_500 }),
      );
      // Some charges come although the bot never said yes.
      if (decided?.outcome !== "approved" && !random.chance(0.2)) continue;
      await this.#charge(random, { ...asked, chargeId: `charge-${id}` });
      if (random.chance(0.1)) await this.#charge(random, { ...asked, chargeId: `charge-${id}-again` });
      if (!random.chance(0.5)) continue;
      await this.#note("cancel", () => instance.cancel({ bookingId: booking.id, customer: booking.customer }));
    }
  }

  async #reserve(instance: Bookonce<never>, index: number, random: Random): Promise<BookingView | null> {
    const reserved = await this.#note("reserveSlot", () =>
      instance.reserveSlot(
        {
          customer: `customer-${index}`,
          resources: [random.pick(resources)],
          start: hoursLater(random.below(500)),
          duration: { minutes: 60 },
          price,
          claim: random.chance(0.5) ? "now" : "at_checkout",
        },
        { budgetMs: 1_500 },
      ),
    );
    return reserved !== undefined && "booking" in reserved ? reserved.booking : null;
  }

  /** The receipt is delivered again, to whichever instance, until it is stored: as Telegram does for a webhook that answers 503. */
  async #charge(random: Random, receipt: Parameters<Bookonce["confirmPayment"]>[0]): Promise<void> {
    this.#charged.add(receipt.chargeId);
    for (;;) {
      const instance = this.#instance(random.below(this.#instances.length));
      const stored = await this.#note("confirmPayment", () => instance.confirmPayment(receipt, { budgetMs: 1_500 }));
      if (stored !== undefined) return;
      await sleep(50);
    }
  }

  #refunder(): Refunder {
    return {
      provider: "telegram_stars",
      refund: async ({ payment: { chargeId } }) => {
        if (this.#returned.has(chargeId)) return { answer: "refunded", by: "known already" };
        this.#returned.add(chargeId);
        // The money has gone back, and the answer is lost every other time.
        if (chargeId.charCodeAt(chargeId.length - 1) % 2 === 0) return { answer: "unknown", error: "no answer" };
        return { answer: "refunded", by: "now" };
      },
    };
  }

  async #note<Result>(verb: string, call: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await call();
      this.#count(verb, describe(result));
      return result;
    } catch (error) {
      const ours = isBookonceError(error) && error.code === "unavailable";
      if (!ours)
        this.strange.push(`${verb}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      this.#count(verb, ours ? "unavailable" : "strange");
      return undefined;
    }
  }

  #count(verb: string, ended: string): void {
    const name = verb === "worker" ? `worker ${ended === "unavailable" ? ended : "done"}` : `${verb} ${ended}`;
    this.outcomes[name] = (this.outcomes[name] ?? 0) + 1;
  }

  /** Nothing lost, doubled or stuck, once refunds in doubt have been asked for again. */
  async expectAllAccounted(): Promise<{ charges: number; refunds: number; bookings: number }> {
    const [database] = this.#databases;
    if (database === undefined) throw new Error("there is no database");
    const instance = this.#instance(0);
    const clock = databaseClock(database);
    for (let rounds = 0; (await instance.refunds.list()).length > 0; rounds += 1) {
      if (rounds === 200) throw new Error(`refunds are stuck: ${JSON.stringify(await instance.refunds.list())}`);
      await clock.advance(10 * 60_000);
      await instance.refunds.run(this.#refunder());
    }
    await clock.advance(3_600_000);
    await instance.sweep();
    const audit = await instance.audit();
    expect(audit.problems).toEqual([]);
    expect(audit.payments).toMatchObject({ unaccounted: 0, returning: 0, review: 0, kept: 0 });

    const client = new pg.Client({ connectionString: this.#url });
    await client.connect();
    const payments = await client.query<{ chargeId: string; bought: boolean; refunds: number }>(`select
      p.external_id as "chargeId", p.disposition = 'booked' and b.state = 'confirmed' as bought,
      (select count(*)::int from bookonce.refunds r where r.payment_id = p.id and r.state = 'completed') as refunds
      from bookonce.payments p join bookonce.bookings b on b.id = p.booking_id`);
    const confirmed = await client.query("select from bookonce.bookings where state = 'confirmed'");
    await client.end();
    expect(payments.rows.map(({ chargeId }) => chargeId).sort()).toEqual([...this.#charged].sort());
    const wrong = payments.rows.filter(
      ({ chargeId, bought, refunds }) => refunds !== (bought ? 0 : 1) || this.#returned.has(chargeId) === bought,
    );
    expect(wrong).toEqual([]);
    expect(confirmed.rowCount).toBe(this.#charged.size - this.#returned.size);
    return { charges: this.#charged.size, refunds: this.#returned.size, bookings: confirmed.rowCount ?? 0 };
  }

  /** What the instances do while the database is away. */
  migrate(): Promise<unknown> {
    return this.#instance(1).migrate();
  }

  async close(): Promise<void> {
    await Promise.all(this.#databases.map((database) => database.close()));
  }
}

function describe(result: unknown): string {
  if (typeof result !== "object" || result === null || !("outcome" in result)) return "done";
  return "reason" in result ? String(result.reason) : String(result.outcome);
}
