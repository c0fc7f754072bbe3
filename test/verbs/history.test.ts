import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  databaseNow,
  historyOf,
  minute,
  preCheckout,
  receipt,
  receiptOf,
} from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test("B11: every transition records who, what, why and when", async () => {
  const booking = await book(db.bookonce, { claim: "at_checkout", customer: "ivan", actor: "bot:helper" });
  const checkoutId = "q-1";
  await preCheckout(db.bookonce, booking, { checkoutId });
  const paid = await receipt(db.bookonce, booking, { chargeId: "c-1" });
  const surplus = await receipt(db.bookonce, booking, { chargeId: "c-2" });
  await db.bookonce.cancel({ bookingId: booking.id, administrator: "olga", reason: "closed that day" });
  const entries = await db.bookonce.bookings.history(booking.id);
  const surplusPayment = surplus.outcome === "surplus" ? surplus.payment.id : "";
  expect(entries).toMatchObject([
    { type: "booking_reserved", actor: "bot:helper", version: 1, data: { state: "pending" } },
    { type: "booking_held", actor: "telegram_stars", version: 2, data: { checkoutId } },
    { type: "booking_confirmed", actor: "telegram_stars", version: 3, data: { chargeId: "c-1" } },
    {
      type: "payment_surplus",
      actor: "telegram_stars",
      version: null,
      data: { chargeId: "c-2", reason: "already_paid" },
    },
    {
      type: "refund_requested",
      data: { amount: 500, currency: "XTR", reason: "already_paid", paymentId: surplusPayment },
    },
    { type: "booking_cancelled", actor: "olga", version: 4, data: { reason: "closed that day" } },
    {
      type: "refund_requested",
      data: { reason: "cancelled", paymentId: paid.outcome === "booked" ? paid.payment.id : "" },
    },
  ]);
  const times = entries.map((entry) => entry.at.getTime());
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(Math.abs((await databaseNow(db)).getTime() - (times.at(-1) ?? 0))).toBeLessThan(minute);
});

test("B11: a repeat adds nothing to the history", async () => {
  const booking = await book(db.bookonce);
  const charge = receiptOf(booking);
  await db.bookonce.confirmPayment(charge);
  await db.bookonce.confirmPayment(charge);
  await db.bookonce.sweep();
  expect(await historyOf(db.bookonce, booking)).toEqual(["booking_reserved", "booking_confirmed"]);
});

test("B11: who held this slot at 14:03 can be answered, long after the hold lapsed", async () => {
  const own = await createFrozenDatabase();
  const resources = [await aResource(own.bookonce)];
  const first = await book(own.bookonce, { resources });
  const duringFirst = await databaseNow(own);
  await own.clock.advance(15 * minute);
  const between = await databaseNow(own);
  await own.clock.advance(1);
  const second = await book(own.bookonce, { resources });
  await own.bookonce.sweep();
  const duringSecond = await databaseNow(own);
  const holder = async (at: Date) => {
    const { rows } = await own.pool.query<{ booking_id: string }>(
      `select booking_id from ${own.schema}.claims where resource_id = $1 and during @> $2::timestamptz and live @> $3::timestamptz`,
      [resources[0], first.start, at],
    );
    return rows.map((row) => row.booking_id);
  };
  expect(await holder(duringFirst)).toEqual([first.id]);
  expect(await holder(between)).toEqual([]);
  expect(await holder(duringSecond)).toEqual([second.id]);
  expect(await historyOf(own.bookonce, first)).toEqual(["booking_reserved", "booking_expired"]);
  await own.drop();
});

test("every text comes back as it was given: scripts, emoji, quotes and SQL", async () => {
  const title = `Стрижка ✂️ "O'Brien" \\ ; drop table bookings; -- ’صباح`;
  const data = { note: "line\nbreak\ttab", deep: { list: [1, 2.5, -0.1, true, null, "𝒳"] }, ключ: "значение" };
  const booking = await book(db.bookonce, { title, data, customer: "клиент:42" });
  expect(booking).toMatchObject({ title, data, customer: "клиент:42" });
  expect(await db.bookonce.bookings.get(booking.id)).toEqual(booking);
});
