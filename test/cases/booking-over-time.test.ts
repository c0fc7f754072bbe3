import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  count,
  databaseNow,
  historyOf,
  hour,
  hoursLater,
  minute,
  preCheckout,
  receipt,
  reserve,
  soon,
  tally,
} from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";
import { racers } from "../support/racers.ts";

// Faults that real booking software has shown; the numbers are those of the collection of cases.
const taken = { outcome: "refused", reason: "slot_taken" };

describe("where the clock moves on", () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await createFrozenDatabase({ policies: { latePayment: "rebookIfFree" } });
  });
  afterEach(() => db.drop());

  test("R19: two holds cannot coexist, and a receipt counts at the first second and at the last", async () => {
    const first = await book(db.bookonce);
    await db.clock.advance(1_000);
    expect(await receipt(db.bookonce, first)).toMatchObject({ outcome: "booked" });
    const last = await book(db.bookonce);
    await db.clock.advance(15 * minute - 1);
    expect(await reserve(db.bookonce, { resources: last.resources })).toMatchObject(taken);
    expect(await receipt(db.bookonce, last)).toMatchObject({ outcome: "booked" });
  });

  test("R21: two who pay without a hold: one is confirmed, the other's money goes back", async () => {
    const resources = [await aResource(db.bookonce)];
    const invoices = [
      await book(db.bookonce, { resources, claim: "at_checkout" }),
      await book(db.bookonce, { resources, claim: "at_checkout" }),
    ];
    const outcomes = [];
    for (const invoice of invoices) outcomes.push((await receipt(db.bookonce, invoice)).outcome);
    expect(outcomes).toEqual(["booked", "late"]);
    expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { bought: 1, returning: 1 } });
  });

  test("R31: no worker at all: taken until the hold's last moment, free and shown free from its end", async () => {
    const held = await book(db.bookonce, { hold: { minutes: 10 } });
    const window = { resources: held.resources, from: soon, to: hoursLater(1) };
    await db.clock.advance(10 * minute - 1);
    expect(await reserve(db.bookonce, { resources: held.resources })).toMatchObject(taken);
    expect(await db.bookonce.bookings.busy(window)).toHaveLength(1);
    await db.clock.advance(1);
    expect(await db.bookonce.bookings.busy(window)).toEqual([]);
    expect((await reserve(db.bookonce, { resources: held.resources })).outcome).toBe("reserved");
  });

  test("R41: a guest who pays after the expiry, the place free, gets it under the original booking, and the history says how", async () => {
    const held = await book(db.bookonce);
    await db.clock.advance(15 * minute);
    await db.bookonce.sweep();
    await db.clock.advance(25 * minute);
    const late = await receipt(db.bookonce, held);
    expect(late).toMatchObject({ outcome: "booked", booking: { id: held.id, state: "confirmed" } });
    expect(await historyOf(db.bookonce, held)).toEqual(["booking_reserved", "booking_expired", "booking_confirmed"]);
    expect(await count(db, "claims", "booking_id = $1", [held.id])).toBe(2);
  });

  test("R42: one starts to pay, another takes and pays the slot, then the first payment completes: it goes back", async () => {
    const first = await book(db.bookonce, { hold: { minutes: 10 } });
    await db.clock.advance(12 * minute);
    const second = await book(db.bookonce, { resources: first.resources });
    await db.clock.advance(minute);
    await receipt(db.bookonce, second);
    const kept = await db.bookonce.bookings.get(second.id);
    await db.clock.advance(minute);
    const late = await receipt(db.bookonce, first);
    expect(late).toMatchObject({ outcome: "late", refund: { amount: 500, state: "pending" } });
    expect(await db.bookonce.bookings.get(second.id)).toEqual(kept);
    const { rows } = await db.pool.query(
      `select (select xmin::text from ${db.schema}.payments where booking_id = $1)
        = (select xmin::text from ${db.schema}.refunds where booking_id = $1) as one_commit`,
      [first.id],
    );
    // The trigger that counts refunds has written the payment in the same transaction.
    expect(rows).toEqual([{ one_commit: true }]);
  });

  test("R44: late money is accepted while the place is free and ahead, and never once the time has begun", async () => {
    const start = new Date((await databaseNow(db)).getTime() + 3 * hour);
    const [inTime, tooLate] = [await book(db.bookonce, { start }), await book(db.bookonce, { start })];
    await db.clock.advance(3 * hour - 1);
    expect(await receipt(db.bookonce, inTime)).toMatchObject({ outcome: "booked" });
    await db.clock.advance(1);
    expect(await receipt(db.bookonce, tooLate)).toMatchObject({ outcome: "late", refund: { amount: 500 } });
  });

  test("C8: a payment after a cancel revives nothing", async () => {
    const held = await book(db.bookonce);
    await db.bookonce.cancel({ bookingId: held.id, customer: held.customer });
    await db.clock.advance(minute);
    expect(await receipt(db.bookonce, held)).toMatchObject({ outcome: "late", refund: { reason: "cancelled" } });
    expect(await db.bookonce.bookings.get(held.id)).toMatchObject({ state: "cancelled" });
  });
});

describe("R25: holds, releases, checkouts and payments on three resources from eight workers", () => {
  test("no deadlock, no raw error, and everything adds up", async () => {
    const db = await createTestDatabase();
    const { shop, finish } = racers(db, 4);
    const names = [
      await aResource(db.bookonce, "a"),
      await aResource(db.bookonce, "b"),
      await aResource(db.bookonce, "c"),
    ];
    const worker = async (number: number): Promise<Record<string, number>> => {
      const own = shop(number);
      const outcomes: Record<string, number> = {};
      const note = (counts: Record<string, number>) => {
        for (const [name, n] of Object.entries(counts)) outcomes[name] = (outcomes[name] ?? 0) + n;
      };
      for (let step = 0; step < 30; step += 1) {
        // Every pair of resources, in both orders, over six hours.
        const [one, two] = [names[(number + step) % 3] ?? "", names[(number + 2 * step + 1) % 3] ?? ""];
        const resources = one === two ? [one] : [one, two];
        const claim = step % 2 === 0 ? "now" : "at_checkout";
        const asked = await reserve(own, { resources, start: hoursLater(step % 6), claim });
        note({ [asked.outcome === "refused" ? asked.reason : asked.outcome]: 1 });
        if (asked.outcome !== "reserved") continue;
        note(
          await tally([
            preCheckout(own, asked.booking),
            receipt(own, asked.booking),
            own.cancel({ bookingId: asked.booking.id, customer: asked.booking.customer }),
          ]),
        );
      }
      return outcomes;
    };
    const reports = await Promise.all(Array.from({ length: 8 }, (_, number) => worker(number)));
    const named = new Set(reports.flatMap((report) => Object.keys(report)));
    expect([...named].filter((name) => name.startsWith("error") || name === "busy" || name === "unavailable")).toEqual(
      [],
    );
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
    expect(await finish()).toMatchObject({ deadlocks: 0 });
    await db.drop();
  });
});
