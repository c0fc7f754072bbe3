import { setTimeout as sleep } from "node:timers/promises";
import type { Bookonce } from "bookonce";
import type { PgClient } from "bookonce/pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { Random, seedOfRun } from "../support/random.ts";
import { entry, hour, offering, offerOf, sold, ten, waits } from "../support/waiting.ts";

// R66b and its relatives: offers are made by any number of processes while they are accepted, declined, left and run out.
let db: TestDatabase;
let shops: (Bookonce<PgClient> & { close(): Promise<void> })[];
beforeAll(async () => {
  db = await createTestDatabase();
  shops = Array.from({ length: 3 }, () => db.another());
});
afterAll(async () => {
  await Promise.all(shops.map((shop) => shop.close()));
  expect(await number("select deadlocks as n from pg_stat_database where datname = current_database()")).toBe(0);
  await db.drop();
});

let round = 0;
let service: string;
beforeEach(async () => {
  round += 1;
  service = `service-${round}`;
  await offering(db.bookonce, service);
});

const shop = (turn: number): Bookonce<PgClient> => shops[turn % shops.length] ?? db.bookonce;
const ticks = (): Promise<unknown> => Promise.all(shops.map((one) => one.waitlist.tick()));
const hourOf = (n: number) => {
  const start = new Date(ten.getTime() + n * hour);
  return { start, window: { from: start, to: new Date(start.getTime() + hour) } };
};

async function number(text: string, values: unknown[] = []): Promise<number> {
  const { rows } = await db.pool.query<{ n: string }>(text, values);
  return Number(rows[0]?.n);
}

/** Bookings of the service that stand at this hour: confirmed, or held and alive. */
const standing = (start: Date): Promise<number> =>
  number(
    `select count(*) as n from ${db.schema}.bookings where service_id = $1 and starts_at = $2
      and (state = 'confirmed' or (state = 'held' and hold_expires_at > ${db.schema}.clock()))`,
    [service, start],
  );

const offersTo = (entryId: string): Promise<number> =>
  number(`select count(*) as n from ${db.schema}.bookings where waitlist_entry_id = $1`, [entryId]);
const messagesTo = (entryId: string): Promise<number> =>
  number(`select count(*) as n from ${db.schema}.events where type = 'waitlist_offered' and data ->> 'entryId' = $1`, [
    entryId,
  ]);

describe("R66b, B12", () => {
  test("workers that see one freed place make one offer of it, and tell one person once", async () => {
    for (let n = 0; n < 25; n += 1) {
      const { start, window } = hourOf(n);
      const booking = await sold(db.bookonce, service, "owner", { start });
      const waiting = await Promise.all([1, 2, 3].map((w) => waits(shop(w), service, `w${w}-${n}`, window)));
      await Promise.all([db.bookonce.cancel({ bookingId: booking.id, customer: "owner" }), ticks(), ticks()]);
      const made = await Promise.all(waiting.map(({ id }) => offersTo(id)));
      const told = await Promise.all(waiting.map(({ id }) => messagesTo(id)));
      expect(made.toSorted()).toEqual([0, 0, 1]);
      expect(told).toEqual(made);
      expect(await standing(start)).toBe(1);
      await Promise.all(waiting.map(({ id }) => shop(n).waitlist.leave({ entryId: id, administrator: "test" })));
    }
  });

  test("accept at the instant of expiry wins if, and only if, it was decided before it; else the next is offered", async () => {
    const wins = { accepted: 0, lapsed: 0 };
    let ahead = 0;
    let margin = 40;
    for (let n = 0; n < 40; n += 1) {
      const { start, window } = hourOf(n);
      const [first, second] = [
        await waits(shop(n), service, `f${n}`, window),
        await waits(shop(n), service, `s${n}`, window),
      ];
      await shop(n).waitlist.tick();
      const offer = await offerOf(db.bookonce, first);
      const until = offer.holdExpiresAt?.getTime() ?? 0;
      // So near its end that it wins as often as it loses; the workers try to pass it on all the while.
      const step = until - (Date.now() + ahead) - margin;
      ahead += step;
      await db.clock.advance(step);
      const [accepted] = await Promise.all([shop(n).confirm({ bookingId: offer.id, customer: `f${n}` }), ticks()]);
      await ticks();
      if (accepted.outcome === "confirmed") {
        wins.accepted += 1;
        margin -= 7;
        expect(accepted.booking.confirmedAt?.getTime()).toBeLessThan(until);
        expect(await entry(db.bookonce, first)).toMatchObject({ state: "used" });
        expect(await offersTo(second.id)).toBe(0);
      } else {
        wins.lapsed += 1;
        margin += 7;
        expect(accepted).toMatchObject({ outcome: "refused", reason: "hold_lapsed" });
        expect(await messagesTo(second.id)).toBe(1);
      }
      expect(await standing(start)).toBeLessThanOrEqual(1);
      await Promise.all(
        [first, second].map(({ id }) => shop(n).waitlist.leave({ entryId: id, administrator: "test" })),
      );
    }
    // Both must have been seen, or the test has shown nothing.
    expect(wins.accepted).toBeGreaterThan(3);
    expect(wins.lapsed).toBeGreaterThan(3);
  });
});

describe("R66, B12", () => {
  test("who leaves while a place becomes free has no offer and no booking, and the next is offered it", async () => {
    const ends = { offered: 0, none: 0 };
    let delay = 20;
    for (let n = 0; n < 25; n += 1) {
      const { start, window } = hourOf(n);
      const booking = await sold(db.bookonce, service, "owner", { start });
      const [first, second] = [
        await waits(shop(n), service, `f${n}`, window),
        await waits(shop(n), service, `s${n}`, window),
      ];
      const leave = async () => {
        await sleep(delay);
        return shop(n + 1).waitlist.leave({ entryId: first.id, customer: `f${n}` });
      };
      const [left] = await Promise.all([
        leave(),
        shop(n).cancel({ bookingId: booking.id, customer: "owner" }),
        ticks(),
      ]);
      expect(left).toMatchObject({ outcome: "left" });
      await ticks();
      expect(await entry(db.bookonce, first)).toMatchObject({ state: "left", offer: null });
      expect(
        await number(
          `select count(*) as n from ${db.schema}.bookings where waitlist_entry_id = $1 and state <> 'cancelled'`,
          [first.id],
        ),
      ).toBe(0);
      expect(await messagesTo(second.id)).toBe(1);
      const offered = (await offersTo(first.id)) > 0;
      ends[offered ? "offered" : "none"] += 1;
      delay = Math.max(0, delay + (offered ? -7 : 7));
      await shop(n).waitlist.leave({ entryId: second.id, administrator: "test" });
    }
    expect(ends.offered).toBeGreaterThan(0);
    expect(ends.none).toBeGreaterThan(0);
  });

  test("accept and leave at once: one of them happened", async () => {
    const seen = new Set<string>();
    for (let n = 0; n < 25; n += 1) {
      const { window } = hourOf(n);
      const first = await waits(shop(n), service, `f${n}`, window);
      await shop(n).waitlist.tick();
      const offer = await offerOf(db.bookonce, first);
      const [accepted, left] = await Promise.all([
        shop(n).confirm({ bookingId: offer.id, customer: `f${n}` }),
        shop(n + 1).waitlist.leave({ entryId: first.id, customer: `f${n}` }),
      ]);
      const state = (await entry(db.bookonce, first)).state;
      seen.add(state);
      if (accepted.outcome === "confirmed") expect([left.outcome, state]).toEqual(["already_over", "used"]);
      else expect([accepted, left.outcome, state]).toMatchObject([{ reason: "cancelled" }, "left", "left"]);
    }
    expect([...seen].toSorted()).toEqual(["left", "used"]);
  });
});

test("B12: a stranger who asks for the freed time and the one who waits for it never both have it", async () => {
  const winners = { stranger: 0, waiter: 0 };
  for (let n = 0; n < 20; n += 1) {
    const { start, window } = hourOf(n);
    const first = await waits(shop(n), service, `f${n}`, window);
    const ask = () => shop(n + 1).reserveSlot({ customer: `x${n}`, service, start, confirm: true });
    const [asked] = await Promise.all(n % 2 === 0 ? [ask(), ticks()] : [Promise.resolve().then(ask), ticks()]);
    const offered = await offersTo(first.id);
    expect(asked.outcome === "reserved" ? 1 : 0).toBe(1 - offered);
    expect(await messagesTo(first.id)).toBe(offered);
    winners[offered === 1 ? "waiter" : "stranger"] += 1;
    await shop(n).waitlist.leave({ entryId: first.id, administrator: "test" });
  }
  expect(winners.stranger + winners.waiter).toBe(20);
});

test("B12: a storm of everything at once: no deadlock, no raw error, no place sold twice, one message per offer", async () => {
  await db.bookonce.resources.put({ id: "hall", kind: "counted", capacity: 3 });
  await db.bookonce.services.put({ id: "class", duration: { minutes: 60 }, resources: ["hall"] });
  const { start, window } = hourOf(0);
  const random = new Random(seedOfRun("waiting-list storm"));
  const until = Date.now() + 10_000;
  // A stream each, so that what one draws does not depend on how fast the others are.
  const one = async (customer: string, turn: number, dealt: Random): Promise<void> => {
    const own = shop(turn);
    while (Date.now() < until) {
      const waiting = await own.waitlist.join({
        customer,
        service: "class",
        ...window,
        quantity: 1 + dealt.below(2),
        consent: { text: "v1" },
      });
      await own.waitlist.tick();
      if (waiting.outcome === "refused") throw new Error(waiting.reason);
      const { offer, id } = await entry(own, waiting.entry);
      const dice = dealt.below(4);
      if (offer === null && dice === 0) await own.waitlist.leave({ entryId: id, customer });
      if (offer === null && dice === 1) await own.reserveSlot({ customer, service: "class", start, confirm: true });
      if (offer !== null && dice === 0) await own.waitlist.decline({ bookingId: offer.id, customer });
      if (offer !== null && dice === 1) await own.waitlist.leave({ entryId: id, customer });
      if (offer !== null && dice > 1) await own.confirm({ bookingId: offer.id, customer });
      for (const booking of await own.bookings.ofCustomer(customer)) {
        if (booking.state === "confirmed") await own.cancel({ bookingId: booking.id, customer });
      }
    }
  };
  await Promise.all(Array.from({ length: 9 }, (_, turn) => one(`storm-${turn}`, turn, random.fork())));
  const offers = await number(
    `select count(*) as n from ${db.schema}.bookings where service_id = 'class' and waitlist_entry_id is not null`,
  );
  const messages = await number(
    `select count(*) as n from ${db.schema}.events e join ${db.schema}.bookings b on b.id = e.booking_id
      where e.type = 'waitlist_offered' and b.service_id = 'class'`,
  );
  expect(offers).toBeGreaterThan(10);
  expect(messages).toBe(offers);
  // Everything that ever held a place of the hall, at the moments when it began to: never more than three.
  const most = await number(
    `select max(taken) as n from (select sum(other.quantity) as taken from ${db.schema}.claims moment
      join ${db.schema}.claims other on other.resource_id = 'hall' and other.live @> moment.live_from
      where moment.resource_id = 'hall' and not isempty(moment.live) group by moment.booking_id, moment.number) peaks`,
  );
  expect(most).toBeLessThanOrEqual(3);
  expect(await db.bookonce.audit()).toMatchObject({ problems: [] });
});
