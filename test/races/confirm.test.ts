import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  bookFree,
  count,
  historyOf,
  hoursLater,
  minute,
  preCheckout,
  receipt,
  reserve,
  tally,
  unique,
} from "../support/fixtures.ts";
import { racers } from "../support/racers.ts";

// R04: whether a booking is confirmed is decided under its lock, by whoever comes first.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const rounds = 40;
const confirmations = () => count(db, "events", "type = 'booking_confirmed'");

describe("R04: two workers confirm one booking at the same moment", () => {
  test("a free one, one of them for its customer and one as an administrator: one transition and one event", async () => {
    const { shop, finish } = racers(db, 2);
    const first = { customer: 0, olga: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const { id, customer } = await bookFree(db.bookonce);
      const workers = [
        () => shop(0).confirm({ bookingId: id, customer }),
        () => shop(1).confirm({ bookingId: id, administrator: "olga" }),
      ];
      const outcomes = await tally((round % 2 === 0 ? workers : workers.reverse()).map((act) => act()));
      expect(outcomes).toEqual({ confirmed: 1, already_confirmed: 1 });
      const history = await db.bookonce.bookings.history(id);
      expect(history.map(({ type }) => type)).toEqual(["booking_reserved", "booking_confirmed"]);
      expect(await db.bookonce.bookings.get(id)).toMatchObject({ state: "confirmed", version: 2 });
      first[history[1]?.actor === "olga" ? "olga" : "customer"] += 1;
    }
    console.log(`confirmed by its customer ${first.customer} times, by the administrator ${first.olga} times`);
    expect(await confirmations()).toBe(rounds);
    expect(await finish()).toMatchObject({ deadlocks: 0 });
  });

  test("one with a price, an administrator and its payment: one transition, and money that bought nothing goes back", async () => {
    const { shop, finish } = racers(db, 2);
    for (let round = 0; round < rounds; round += 1) {
      const held = await book(db.bookonce);
      const workers = [
        () => shop(0).confirm({ bookingId: held.id, administrator: "olga" }),
        () => receipt(shop(1), held),
      ];
      const outcomes = await tally((round % 2 === 0 ? workers : workers.reverse()).map((act) => act()));
      expect([
        { confirmed: 1, surplus: 1 },
        { booked: 1, already_confirmed: 1 },
      ]).toContainEqual(outcomes);
    }
    expect(await confirmations()).toBe(rounds);
    expect(await db.bookonce.audit()).toMatchObject({ ok: true, unaccounted: 0 });
    expect(await finish()).toMatchObject({ deadlocks: 0 });
  });
});

describe("R04: two workers approve two requests that overlap by half an hour", () => {
  const halfLater = (round: number) => new Date(hoursLater(2 * round).getTime() + 30 * minute);

  test("confirmed as they are made: one is confirmed, the other is told that the time is taken", async () => {
    const { shop, finish } = racers(db, 2);
    const resources = [await aResource(db.bookonce)];
    for (let round = 0; round < rounds; round += 1) {
      const starts = [hoursLater(2 * round), halfLater(round)];
      const ask = (start: Date, turn: number) =>
        shop(turn).reserveSlot({
          customer: unique("customer"),
          resources,
          start,
          duration: { minutes: 60 },
          confirm: true,
        });
      const order = round % 2 === 0 ? starts : starts.reverse();
      expect(await tally(order.map(ask))).toEqual({ reserved: 1, slot_taken: 1 });
    }
    expect(await confirmations()).toBe(rounds);
    expect(await finish()).toMatchObject({ deadlocks: 0 });
  });

  test("as invoices that claimed nothing: one is approved and confirmed by its payment, the other's payment goes back", async () => {
    const { shop, finish } = racers(db, 2);
    const resources = [await aResource(db.bookonce)];
    for (let round = 0; round < rounds; round += 1) {
      const claim = "at_checkout";
      const invoices = [
        await book(db.bookonce, { resources, start: hoursLater(2 * round), claim }),
        await book(db.bookonce, { resources, start: halfLater(round), claim }),
      ];
      expect(await tally(invoices.map((invoice, turn) => preCheckout(shop(turn), invoice)))).toEqual({
        approved: 1,
        slot_taken: 1,
      });
      expect(await tally(invoices.map((invoice, turn) => receipt(shop(turn), invoice)))).toEqual({
        booked: 1,
        late: 1,
      });
      const told = (await Promise.all(invoices.map((invoice) => historyOf(db.bookonce, invoice)))).flat();
      expect(told.filter((type) => type === "booking_confirmed")).toHaveLength(1);
    }
    expect(await reserve(db.bookonce, { resources, start: halfLater(0) })).toMatchObject({ reason: "slot_taken" });
    expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { bought: rounds, returning: rounds } });
    expect(await finish()).toMatchObject({ deadlocks: 0 });
  });
});
