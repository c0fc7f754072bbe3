import { setTimeout as sleep } from "node:timers/promises";
import { createTelegram, fetchApi } from "bookonce/telegram";
import type { FakeUser, PayOptions } from "bookonce/testing";
import { expect } from "vitest";
import { ask, buttonsOf, openDay, saidTo, timesOn } from "../support/bot-buyer.ts";
import { type BotWorld, price } from "../support/bot-world.ts";
import type { Random } from "../support/random.ts";

/** A person whose bot says nothing for so long tries again: in these tests it has been killed. */
const impatient = { timeout: 8_000 };
const purse = 1_000_000;

/** Many short slots, so that a crowd does not run out of them; and a clock that waits for no delivery, for there is always one. */
export const crowded = {
  env: { WORK_FROM: "0", WORK_TO: "24", MINUTES: "30", DAYS_AHEAD: "8" },
  telegram: { settleMilliseconds: 50 },
};

/** What a purchase suffers at Telegram, besides what happens to the bot. */
const misfortunes: readonly [NonNullable<PayOptions["faults"]>, ...NonNullable<PayOptions["faults"]>[]] = [
  {},
  {},
  {},
  {},
  { receipt: "lost" },
  { receipt: "twice-new-update-id" },
  { receipt: "twice-same-update-id" },
  { charges: 2 },
  { chargeDelay: { minutes: 10 } },
  { clientSeesFailure: true },
  { preCheckoutTwice: true },
  { receiptBeforeAnswerReturns: true },
  { neverCharge: true },
];

/** People who buy and cancel, again and again, whatever becomes of the bot. */
export class Crowd {
  readonly people: readonly FakeUser[];
  readonly #world: BotWorld;
  readonly #random: Random;
  readonly #outcomes: Record<string, number> = {};
  readonly #delayed: Promise<unknown>[] = [];

  constructor(world: BotWorld, random: Random, size: number) {
    this.#world = world;
    this.#random = random;
    this.people = Array.from({ length: size }, () => world.telegram.user({ stars: purse }));
  }

  /** Everybody buys until told to stop. Resolves to how the purchases ended, by name. */
  async buyUntil(over: () => boolean): Promise<Readonly<Record<string, number>>> {
    await Promise.all(
      this.people.map(async (person) => {
        const random = this.#random.fork();
        while (!over()) {
          // A bot that is down says nothing for a while: the person gives up, and tries again.
          const ended = await this.#purchase(person, random).catch(() => "gave up waiting for the bot");
          this.#outcomes[ended] = (this.#outcomes[ended] ?? 0) + 1;
        }
      }),
    );
    return this.#outcomes;
  }

  async #purchase(person: FakeUser, random: Random): Promise<string> {
    // From the third day on: whatever o'clock it is, a booking that can be cancelled for nothing.
    const screen = await openDay(person, 2 + random.below(3), impatient);
    const time = timesOn(screen)[random.below(3)];
    if (time === undefined) return "sold out";
    await person.press(time, { on: screen });
    const answer = await person.chat.waitFor(
      (message) => message.invoice !== undefined || /taken|no answer in time/.test(message.text),
      {
        after: screen,
        ...impatient,
      },
    );
    if (answer.invoice === undefined) return "taken before the invoice";
    const faults = random.pick(misfortunes);
    const paying = person.pay(answer, { faults });
    if (faults.chargeDelay !== undefined) {
      this.#delayed.push(paying);
      return "charged later";
    }
    const outcome = await paying;
    if (outcome.outcome === "failed" && faults.clientSeesFailure) await person.pay(answer);
    if (outcome.outcome === "paid" && random.chance(0.4)) await this.#cancelSomething(person);
    return outcome.outcome === "failed" ? `failed ${outcome.reason}` : outcome.outcome;
  }

  async #cancelSomething(person: FakeUser): Promise<void> {
    const list = await ask(person, "/bookings", /^Your bookings|no bookings/, impatient);
    const [cancel] = buttonsOf(list, "cancel:");
    if (cancel !== undefined) await person.press(cancel, { on: list });
  }

  /** Lets time pass at Telegram and in the database, until nothing is on its way any more. */
  async settle(): Promise<void> {
    // The charges that hang at Telegram come first.
    await this.#world.telegram.clock.advance({ minutes: 11 });
    await Promise.all(this.#delayed);
    const deadline = performance.now() + 90_000;
    for (;;) {
      await this.#world.telegram.clock.advance({ minutes: 3 });
      await this.#world.clock.advance(3 * 60_000);
      await this.#world.bookonce.sweep();
      const left = await this.#onItsWay();
      if (Object.values(left).every((count) => count === 0)) break;
      if (performance.now() > deadline) throw new Error(`still on its way: ${JSON.stringify(left)}`);
      await sleep(100);
    }
  }

  async #onItsWay(): Promise<Record<string, number>> {
    const { rows } = await this.#world.pool.query(`select
      (select count(*) from bookonce.refunds where state <> 'completed')::int as refunds,
      (select count(*) from bookonce.events where delivered_at is null)::int as news,
      (select count(*) from bookonce.bookings where state = 'held')::int as holds`);
    const { charges } = await this.#world.telegram.ledger.read();
    const found = await Promise.all(charges.map(({ chargeId }) => this.#world.bookonce.payments.find({ chargeId })));
    return {
      ...rows[0],
      updates: (await this.#world.telegram.updates.pending()).length,
      charges: found.filter((payments) => payments.length === 0).length,
    };
  }

  /** Nothing lost, nothing doubled, nothing stuck: the database and Telegram's ledger say the same (O2). */
  async expectAllAccounted(): Promise<{ charges: number; refunds: number; bookings: number }> {
    const { bookonce, telegram, pool, bot } = this.#world;
    const audit = await bookonce.audit();
    expect(audit.problems).toEqual([]);
    expect(audit.payments).toMatchObject({ unaccounted: 0, returning: 0, review: 0, kept: 0 });

    const ledger = await telegram.ledger.read();
    expect(ledger.problems).toEqual([]);
    const payments = await pool.query(`select p.external_id as "chargeId", p.disposition, b.state, b.customer,
        (select count(*)::int from bookonce.refunds r where r.payment_id = p.id and r.state = 'completed') as refunds
      from bookonce.payments p join bookonce.bookings b on b.id = p.booking_id`);
    // Each charge of the ledger is one payment here, and each is a live booking or was returned, once.
    expect(payments.rows.map(({ chargeId }) => chargeId).sort()).toEqual(
      ledger.charges.map(({ chargeId }) => chargeId).sort(),
    );
    const returned = new Set(ledger.refunds.map(({ chargeId }) => chargeId));
    expect(returned.size).toBe(ledger.refunds.length);
    const wrong = payments.rows.filter(({ chargeId, disposition, state, refunds }) => {
      const bought = disposition === "booked" && state === "confirmed";
      return refunds !== (bought ? 0 : 1) || returned.has(chargeId) === bought;
    });
    expect(wrong).toEqual([]);
    const confirmed = await pool.query("select customer from bookonce.bookings where state = 'confirmed'");
    expect(confirmed.rowCount).toBe(ledger.charges.length - ledger.refunds.length);

    // The wallets, and the bot's own.
    for (const person of this.people) {
      const own = ledger.charges.filter(({ userId }) => userId === person.id);
      const kept = own.filter(({ chargeId }) => !returned.has(chargeId)).length;
      expect(await person.stars()).toBe(purse - kept * price);
      // At least once: a process that dies between telling and writing it down tells again.
      const mine = confirmed.rows.filter(({ customer }) => customer === `telegram:${person.id}`).length;
      expect((await saidTo(person, /^You are booked/)).length).toBeGreaterThanOrEqual(mine);
      expect((await saidTo(person, /have been returned/)).length).toBeGreaterThanOrEqual(own.length - kept);
    }
    expect(ledger.balances).toEqual([{ bot: bot.id, stars: (confirmed.rowCount ?? 0) * price }]);

    const beside = createTelegram({
      bookonce,
      api: fetchApi({ token: bot.token, apiRoot: telegram.url }),
      botId: bot.id,
    });
    expect(await beside.auditLedger()).toMatchObject({ ok: true, starsOnlyHere: 0 });
    expect(await beside.reconcile({ fromStart: true })).toMatchObject({ recovered: [], externalRefunds: [] });
    return { charges: ledger.charges.length, refunds: returned.size, bookings: confirmed.rowCount ?? 0 };
  }
}
