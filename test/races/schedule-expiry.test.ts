import { setImmediate } from "node:timers/promises";
import type { BookingView, Bookonce, Refunder } from "bookonce";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aResource, book, bookFree, minute, receipt, tally, unique } from "../support/fixtures.ts";
import { racers } from "../support/racers.ts";
import { createSteppedDatabase, monday, type SteppedDatabase } from "../support/schedule-clock.ts";
import { expectSound } from "../support/schedule-invariants.ts";

// B6: a hold is confirmed while somebody wants its place, and its end is there. The clock stands until it is set, so that the end
// comes when we say, and not when the machine is quick enough.
let db: SteppedDatabase;
beforeEach(async () => {
  db = await createSteppedDatabase();
});
afterEach(() => db.drop());

type Shop = Omit<Bookonce, "within">;

type Answer = { readonly outcome: string; readonly reason?: string };

const orders = [
  ["mine", "rival", "sweeper"],
  ["rival", "mine", "sweeper"],
  ["sweeper", "rival", "mine"],
  ["mine", "sweeper", "rival"],
] as const;
const untroubled = { deadlocks: 0, rollbacks: 0 };
const hold = { minutes: 10 };
const want = (shop: Shop, { start, resources }: BookingView) =>
  shop.reserveSlot({ customer: unique("rival"), resources: [...resources], start, duration: { minutes: 60 } });

/** A free hold is confirmed by its customer, one with a price by its payment. */
const ways = [
  { way: "its customer", hold: bookFree, confirm: confirmFree, kept: "confirmed", lost: "hold_lapsed" },
  { way: "its payment", hold: book, confirm: receipt, kept: "booked", lost: "late" },
] as const;

function confirmFree(shop: Shop, booking: BookingView) {
  return shop.confirm({ bookingId: booking.id, customer: booking.customer });
}

/** What came too late goes back: nothing may be left of it. */
async function giveBack(): Promise<void> {
  const refund: Refunder["refund"] = async () => ({ answer: "refunded", by: "telegram" });
  await db.bookonce.refunds.run({ provider: "telegram_stars", refund }, { limit: 1_000 });
}

test.each(
  ways.flatMap((way) => [
    { ...way, when: "a millisecond before the end", before: 1, mine: way.kept, rival: "slot_taken" },
    { ...way, when: "at the very end", before: 0, mine: way.lost, rival: "reserved" },
  ]),
)(
  "confirmed by $way $when, with a rival: one of them has the place",
  async ({ hold: take, confirm, before, ...then }) => {
    const { shop, finish } = racers(db, 2);
    const anna = await aResource(db.bookonce);
    for (let round = 0; round < 30; round += 1) {
      const now = monday + round * 60 * minute;
      await db.set(now);
      const booking = await take(db.bookonce, { resources: [anna], start: new Date(now + 120 * minute), hold });
      await db.set(now + 10 * minute - before);
      const turns = [() => confirm(shop(0), booking), () => want(shop(1), booking)];
      const racing = (round % 2 === 0 ? turns : turns.reverse()).map((go) => go());
      expect(await tally(racing)).toEqual({ [then.mine]: 1, [then.rival]: 1 });
    }
    expect(await finish()).toEqual(untroubled);
    await giveBack();
    await expectSound(db);
  },
);

test.each(ways)(
  "confirmed by $way while the end comes: he keeps it, or the rival has it, and never both",
  async ({ hold: take, confirm, kept, lost }) => {
    const { shop, finish } = racers(db, 3);
    const anna = await aResource(db.bookonce);
    const seen: Record<string, number> = {};
    let crossed = 0;
    // When the clock moves, counted from the start of the race: sooner after a race that it came too late for, and the other way round.
    // So it stays where the race is decided, on a quick machine and on a slow one.
    let delayMs = 2;
    for (let round = 0; round < 150; round += 1) {
      const now = monday + round * 60 * minute;
      await db.set(now);
      const booking = await take(db.bookonce, { resources: [anna], start: new Date(now + 120 * minute), hold });
      const end = booking.holdExpiresAt?.getTime() ?? 0;
      await db.set(end - 1);
      let answered = 0;
      const answer = async (asked: Promise<Answer>): Promise<string> => {
        const { outcome, reason } = await asked;
        answered += 1;
        return reason ?? outcome;
      };
      const racer = {
        mine: () => answer(confirm(shop(0), booking)),
        rival: () => answer(want(shop(1), booking)),
        sweeper: () => shop(2).sweep(),
      };
      const started = performance.now();
      const racing = new Map((orders[round % orders.length] ?? []).map((who) => [who, racer[who]()] as const));
      while (performance.now() - started < delayMs) await setImmediate();
      await db.set(end);
      if (answered === 0) crossed += 1;
      const [mine, rival] = await Promise.all([racing.get("mine"), racing.get("rival"), racing.get("sweeper")]);
      const result = `${mine} ${rival}`;
      seen[result] = (seen[result] ?? 0) + 1;
      // The third: the rival was too early, and he too late.
      expect([`${kept} slot_taken`, `${lost} reserved`, `${lost} slot_taken`]).toContain(result);
      delayMs = Math.max(0, delayMs + (mine === kept ? -0.4 : 0.4));
    }
    console.log(`${crossed} of 150 ends came while both were on their way: ${JSON.stringify(seen)}`);
    expect(crossed).toBeGreaterThan(20);
    expect(seen[`${kept} slot_taken`]).toBeGreaterThan(0);
    expect(seen[`${lost} reserved`]).toBeGreaterThan(0);
    expect(await finish()).toEqual(untroubled);
    await giveBack();
    await expectSound(db);
  },
);
