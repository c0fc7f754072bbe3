import type { BookingView } from "bookonce";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestDatabase } from "../support/database.ts";
import { createTestDatabase } from "../support/database.ts";
import { aResource, book, bookFree, count, hoursLater, minute, receiptOf, sell, unique } from "../support/fixtures.ts";
import { racers } from "../support/racers.ts";
import { expectSound } from "../support/schedule-invariants.ts";

// B9, B10: what exists already is moved, cancelled or paid for, while others want its place.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const untroubled = { deadlocks: 0, rollbacks: 0 };
const free = (start: Date, resources: string[]) => ({
  customer: unique("rival"),
  resources,
  start,
  duration: { minutes: 60 },
});

async function now(booking: BookingView): Promise<BookingView> {
  const found = await db.bookonce.bookings.get(booking.id);
  if (found === null) throw new Error(`${booking.id} is lost`);
  return found;
}

describe("reschedule", () => {
  test("and somebody who wants the new place: one of them has it, and the booking is there or as it was", async () => {
    const { shop, finish } = racers(db, 2);
    const anna = await aResource(db.bookonce);
    const seen = new Set<string>();
    for (let round = 0; round < 120; round += 1) {
      const at = (hours: number) => hoursLater(4 * round + hours);
      const { booking } = await sell(db.bookonce, { resources: [anna], start: at(0) });
      const target = new Date(at(1).getTime() + 30 * minute * (round % 2));
      const [moved, rival] = await Promise.all([
        shop(round).reschedule({ bookingId: booking.id, customer: booking.customer, start: target }),
        shop(round + 1).reserveSlot(free(at(1), [anna])),
      ]);
      seen.add(`${moved.outcome} ${rival.outcome}`);
      if (moved.outcome === "rescheduled") {
        expect(rival).toMatchObject({ outcome: "refused", reason: "slot_taken" });
        expect(await now(booking)).toMatchObject({ start: target, version: booking.version + 1, state: "confirmed" });
      } else {
        expect(moved).toMatchObject({ outcome: "refused", reason: "slot_taken" });
        expect(rival.outcome).toBe("reserved");
        expect(await now(booking)).toEqual(booking);
      }
    }
    console.log([...seen].sort().join(", "));
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test("and somebody who wants the old place: he has it, or was too early", async () => {
    const { shop, finish } = racers(db, 2);
    const anna = await aResource(db.bookonce);
    for (let round = 0; round < 80; round += 1) {
      const at = (hours: number) => hoursLater(4 * round + hours);
      const booking = await bookFree(db.bookonce, { resources: [anna], start: at(0) });
      const [moved, rival] = await Promise.all([
        shop(round).reschedule({ bookingId: booking.id, customer: booking.customer, start: at(1) }),
        shop(round + 1).reserveSlot(free(at(0), [anna])),
      ]);
      expect(moved.outcome).toBe("rescheduled");
      if (rival.outcome !== "reserved") expect(rival).toMatchObject({ outcome: "refused", reason: "slot_taken" });
      // The old place is free now, unless he has it.
      const again = await shop(0).reserveSlot(free(at(0), [anna]));
      expect([rival.outcome, again.outcome].sort()).toEqual(["refused", "reserved"]);
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test("one booking moved to two places at once is in one of them, once", async () => {
    const { shop, finish } = racers(db, 3);
    const [anna, boris] = [await aResource(db.bookonce), await aResource(db.bookonce)];
    for (let round = 0; round < 100; round += 1) {
      const at = (hours: number) => hoursLater(4 * round + hours);
      const { booking } = await sell(db.bookonce, { resources: [anna], start: at(0) });
      const by = { bookingId: booking.id, customer: booking.customer };
      const outcomes = await Promise.all([
        shop(0).reschedule({ ...by, start: at(1) }),
        shop(1).reschedule({ ...by, start: at(2) }),
        shop(2).reschedule({ ...by, resources: [boris] }),
      ]);
      // One after the other, each from where the one before has left it.
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(["rescheduled", "rescheduled", "rescheduled"]);
      const moved = outcomes.flatMap((one) => (one.outcome === "rescheduled" ? [one.booking] : []));
      const last = moved.find(({ version }) => version === booking.version + 3);
      expect(moved.map(({ version }) => version - booking.version).sort()).toEqual([1, 2, 3]);
      expect(await now(booking)).toEqual(last);
      expect(await count(db, "claims", "booking_id = $1 and live_until is null", [booking.id])).toBe(1);
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test("two bookings that want each other's place: neither is lost and they never overlap", async () => {
    const { shop, finish } = racers(db, 2);
    const [anna, boris] = [await aResource(db.bookonce), await aResource(db.bookonce)];
    for (let round = 0; round < 100; round += 1) {
      const at = (hours: number) => hoursLater(4 * round + hours);
      // On one resource, or over two: the second pair would wait for each other without an order of locks.
      const other = round % 2 === 0 ? anna : boris;
      const one = (await sell(db.bookonce, { resources: [anna], start: at(0) })).booking;
      const two = (await sell(db.bookonce, { resources: [other], start: at(1) })).booking;
      const outcomes = await Promise.all([
        shop(round).reschedule({ bookingId: one.id, customer: one.customer, start: two.start, resources: [other] }),
        shop(round + 1).reschedule({ bookingId: two.id, customer: two.customer, start: one.start, resources: [anna] }),
      ]);
      expect(outcomes).toMatchObject([{ reason: "slot_taken" }, { reason: "slot_taken" }]);
      expect([await now(one), await now(two)]).toEqual([one, two]);
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test("a row of bookings that all move up one place: whoever finds it free moves, and nobody is lost", async () => {
    const { shop, finish } = racers(db, 4);
    const anna = await aResource(db.bookonce);
    for (let round = 0; round < 30; round += 1) {
      const at = (hours: number) => hoursLater(8 * round + hours);
      const row = await Promise.all(
        [0, 1, 2, 3].map((hours) => bookFree(shop(hours), { resources: [anna], start: at(hours) })),
      );
      const outcomes = await Promise.all(
        row.map((booking, turn) =>
          shop(turn).reschedule({ bookingId: booking.id, customer: booking.customer, start: at(turn + 1) }),
        ),
      );
      // The last of the row has nobody in its way.
      expect(outcomes[3]?.outcome).toBe("rescheduled");
      for (const [index, booking] of row.entries()) {
        const moved = outcomes[index]?.outcome === "rescheduled";
        expect(await now(booking)).toMatchObject({ state: "held", start: at(index + (moved ? 1 : 0)) });
      }
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });

  test("and cancel: cancelled in the end, wherever it was, and nothing is taken any more", async () => {
    const { shop, finish } = racers(db, 2);
    const anna = await aResource(db.bookonce);
    for (let round = 0; round < 80; round += 1) {
      const at = (hours: number) => hoursLater(4 * round + hours);
      const { booking } = await sell(db.bookonce, { resources: [anna], start: at(0) });
      const by = { bookingId: booking.id, customer: booking.customer };
      const [moved, gone] = await Promise.all([
        shop(round).reschedule({ ...by, start: at(1) }),
        shop(round + 1).cancel(by),
      ]);
      expect(gone).toMatchObject({ outcome: "cancelled", refund: { amount: 500 } });
      if (moved.outcome !== "rescheduled") expect(moved).toMatchObject({ outcome: "refused", reason: "cancelled" });
      expect(await now(booking)).toMatchObject({ state: "cancelled" });
      expect(await count(db, "claims", "booking_id = $1 and live_until is null", [booking.id])).toBe(0);
    }
    expect(await finish()).toEqual(untroubled);
    await expectSound(db);
  });
});

test("cancel and the receipt: cancelled either way, and the money goes back once", async () => {
  const { shop, finish } = racers(db, 3);
  const anna = await aResource(db.bookonce);
  const seen: Record<string, number> = {};
  for (let round = 0; round < 120; round += 1) {
    const booking = await book(db.bookonce, { resources: [anna], start: hoursLater(round) });
    const charge = receiptOf(booking);
    const by = { bookingId: booking.id, customer: booking.customer };
    const [gone, paid, again] = await Promise.all([
      shop(round).cancel(by),
      shop(round + 1).confirmPayment(charge),
      shop(round + 2).confirmPayment(charge),
    ]);
    seen[paid.outcome] = (seen[paid.outcome] ?? 0) + 1;
    expect(["booked", "late"]).toContain(paid.outcome);
    expect(again.outcome).toBe(paid.outcome);
    expect(gone.outcome).toBe("cancelled");
    expect(await now(booking)).toMatchObject({ state: "cancelled" });
    expect(await count(db, "refunds", "booking_id = $1 and amount = 500", [booking.id])).toBe(1);
    expect(await count(db, "refunds", "booking_id = $1", [booking.id])).toBe(1);
  }
  console.log(JSON.stringify(seen));
  expect(await finish()).toEqual(untroubled);
  await expectSound(db);
});
