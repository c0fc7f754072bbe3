import type { BookonceEvent } from "bookonce";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  count,
  lateCharge,
  preCheckout,
  query,
  receipt,
  receiptOf,
  tally,
  unique,
} from "../support/fixtures.ts";
import { racers } from "../support/racers.ts";

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const rounds = 25;

test("case B15: the same receipt twenty times over two instances: one booking, one charge, one message", async () => {
  const { shop, finish } = racers(db, 2);
  for (let round = 0; round < 10; round += 1) {
    const booking = await book(db.bookonce);
    const charge = receiptOf(booking);
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => shop(index).confirmPayment(charge)));
    expect(new Set(outcomes.map((outcome) => outcome.outcome))).toEqual(new Set(["booked"]));
    expect(outcomes.filter((outcome) => outcome.outcome === "booked" && !outcome.repeated)).toHaveLength(1);
  }
  const seen: BookonceEvent[] = [];
  await db.bookonce.events.run(async (event) => void seen.push(event));
  expect(seen.filter((event) => event.type === "booking_confirmed")).toHaveLength(10);
  expect(await count(db, "payments")).toBe(10);
  expect(await finish()).toMatchObject({ deadlocks: 0 });
});

test("the same charge id for two bookings at once: it buys one of them, and the other is an incident", async () => {
  const { shop, finish } = racers(db, 2);
  for (let round = 0; round < rounds; round += 1) {
    const bookings = [await book(db.bookonce), await book(db.bookonce)];
    const chargeId = unique("charge");
    const outcomes = await tally(bookings.map((booking, index) => receipt(shop(index), booking, { chargeId })));
    expect(outcomes).toEqual({ booked: 1, conflict: 1 });
  }
  expect(await count(db, "payments")).toBe(rounds);
  expect(await count(db, "events", "type = 'payment_conflict'")).toBe(rounds);
  expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { bought: rounds } });
  expect(await finish()).toMatchObject({ deadlocks: 0 });
});

test("two charges for one booking at once: one buys it, the other is surplus and goes back", async () => {
  const { shop } = racers(db, 2);
  for (let round = 0; round < rounds; round += 1) {
    const booking = await book(db.bookonce);
    expect(await tally([0, 1].map((index) => receipt(shop(index), booking)))).toEqual({ booked: 1, surplus: 1 });
  }
  expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { bought: rounds, returning: rounds } });
});

test("the same query id for two bookings at once: one is approved, the other is an incident", async () => {
  const { shop, finish } = racers(db, 2);
  for (let round = 0; round < rounds; round += 1) {
    const bookings = [await book(db.bookonce), await book(db.bookonce)];
    const checkoutId = unique("query");
    const outcomes = await tally(bookings.map((booking, index) => preCheckout(shop(index), booking, { checkoutId })));
    expect(outcomes).toEqual({ approved: 1, conflict: 1 });
  }
  expect(await count(db, "checkouts")).toBe(rounds);
  expect(await finish()).toMatchObject({ deadlocks: 0 });
});

test("the same query at once in four instances: one decision, and everybody hears it", async () => {
  const { shop } = racers(db, 4);
  for (let round = 0; round < rounds; round += 1) {
    const asked = query(await book(db.bookonce, { claim: "at_checkout" }));
    const outcomes = await Promise.all([0, 1, 2, 3].map((index) => shop(index).decidePreCheckout(asked)));
    expect(outcomes.filter((outcome) => outcome.outcome === "approved")).toHaveLength(4);
    expect(outcomes.filter((outcome) => outcome.outcome === "approved" && !outcome.repeated)).toHaveLength(1);
  }
  expect(await count(db, "claims")).toBe(rounds);
});

test("S7: two queries for one booking at once: one yes", async () => {
  const { shop } = racers(db, 2);
  for (let round = 0; round < rounds; round += 1) {
    const booking = await book(db.bookonce, { claim: round % 2 === 0 ? "now" : "at_checkout" });
    const outcomes = await tally([0, 1].map((index) => preCheckout(shop(index), booking)));
    expect(outcomes).toEqual({ approved: 1, payment_in_progress: 1 });
  }
});

describe("a cancel runs beside", () => {
  test("a receipt: cancelled after it was paid and refunded, or paid too late and refunded; never both, never neither", async () => {
    const { shop, finish } = racers(db, 2);
    for (let round = 0; round < rounds; round += 1) {
      const booking = await book(db.bookonce);
      const asked = { bookingId: booking.id, customer: booking.customer };
      const both = [() => shop(0).cancel(asked), () => receipt(shop(1), booking)];
      const outcomes = await tally((round % 2 === 0 ? both : both.reverse()).map((act) => act()));
      expect([
        { cancelled: 1, booked: 1 },
        { cancelled: 1, late: 1 },
      ]).toContainEqual(outcomes);
      expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "cancelled" });
    }
    expect(await count(db, "refunds")).toBe(rounds);
    expect(await count(db, "claims", "live_until is null")).toBe(0);
    expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { returning: rounds } });
    expect(await finish()).toMatchObject({ deadlocks: 0 });
  });

  test("a pre-checkout: either it is declined, or its approval is void; the charge is late either way", async () => {
    const { shop, finish } = racers(db, 2);
    for (let round = 0; round < rounds; round += 1) {
      const booking = await book(db.bookonce, { claim: round % 4 < 2 ? "now" : "at_checkout" });
      const asked = { bookingId: booking.id, customer: booking.customer };
      const both = [() => shop(0).cancel(asked), () => preCheckout(shop(1), booking)];
      const outcomes = await Promise.all((round % 2 === 0 ? both : both.reverse()).map((act) => act()));
      const answers = outcomes.map((outcome) => ("reason" in outcome ? outcome.reason : outcome.outcome)).sort();
      expect([
        ["approved", "cancelled"],
        ["cancelled", "cancelled"],
      ]).toContainEqual(answers);
      expect(await receipt(db.bookonce, booking)).toMatchObject({ outcome: "late", refund: { reason: "cancelled" } });
    }
    expect(await count(db, "checkouts", "decision = 'approved' and voided_at is null")).toBe(0);
    expect(await count(db, "claims", `live @> ${db.schema}.clock()`)).toBe(0);
    expect(await finish()).toMatchObject({ deadlocks: 0 });
  });

  test("another cancel: one cancels, the other hears that it is done", async () => {
    const { shop } = racers(db, 2);
    for (let round = 0; round < rounds; round += 1) {
      const booking = await book(db.bookonce);
      const asked = { bookingId: booking.id, customer: booking.customer };
      expect(await tally([0, 1].map((index) => shop(index).cancel(asked)))).toEqual({
        cancelled: 1,
        already_cancelled: 1,
      });
    }
    expect(await count(db, "events", "type = 'booking_cancelled'")).toBe(rounds);
  });
});

test("under rebookIfFree two late payments race for one slot: one gets it, the other goes back", async () => {
  const { shop, finish } = racers(db, 2, { policies: { latePayment: "rebookIfFree" } });
  for (let round = 0; round < 20; round += 1) {
    const resources = [await aResource(db.bookonce)];
    const invoices = [
      await book(shop(0), { resources, claim: "at_checkout" }),
      await book(shop(1), { resources, claim: "at_checkout" }),
    ];
    expect(await tally(invoices.map((invoice, index) => receipt(shop(index), invoice)))).toEqual({
      booked: 1,
      late: 1,
    });
  }
  expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { bought: 20, returning: 20 } });
  expect(await finish()).toMatchObject({ deadlocks: 0 });
});

test("four refund workers at once: every refund is called once and completed once", async () => {
  const { shop, finish } = racers(db, 4);
  const due = await Promise.all(Array.from({ length: 60 }, () => lateCharge(db)));
  const called: string[] = [];
  const refunder = {
    provider: "telegram_stars",
    async refund({ refund }: { readonly refund: { readonly id: string } }) {
      called.push(refund.id);
      return { answer: "refunded", by: "telegram" } as const;
    },
  };
  const reports = await Promise.all([0, 1, 2, 3].map((index) => shop(index).refunds.run(refunder, { limit: 100 })));
  expect(reports.reduce((sum, report) => sum + report.completed, 0)).toBe(60);
  expect([...called].sort()).toEqual(due.map((one) => one.refundId).sort());
  expect(await count(db, "events", "type = 'refund_completed'")).toBe(60);
  expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { returned: 60 } });
  expect(await finish()).toMatchObject({ deadlocks: 0 });
});
