import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  book,
  count,
  databaseNow,
  day,
  digestOf,
  historyOf,
  hour,
  minute,
  preCheckout,
  receipt,
  reserve,
  sell,
} from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

describe("B9: only the owner or an administrator cancels", () => {
  test("a stranger is told the same as for a booking that is not there", async () => {
    const booking = await book(db.bookonce);
    const before = await digestOf(db);
    const stranger = await db.bookonce.cancel({ bookingId: booking.id, customer: "maria" });
    const nothing = await db.bookonce.cancel({ bookingId: "00000000-0000-4000-8000-000000000000", customer: "maria" });
    expect(stranger).toEqual({ outcome: "refused", reason: "unknown_booking" });
    expect(nothing).toEqual(stranger);
    expect(await digestOf(db)).toBe(before);
  });

  test("the id of a booking is the same in capitals", async () => {
    const booking = await book(db.bookonce);
    const outcome = await db.bookonce.cancel({ bookingId: booking.id.toUpperCase(), customer: booking.customer });
    expect(outcome).toMatchObject({ outcome: "cancelled", booking: { id: booking.id } });
  });

  test("a held booking: the slot is free at once, the row remains, nothing is returned", async () => {
    const booking = await book(db.bookonce);
    const outcome = await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer, reason: "ill" });
    expect(outcome).toMatchObject({
      outcome: "cancelled",
      refund: null,
      booking: { state: "cancelled", cancelledBy: booking.customer, cancelReason: "ill", amountDue: null, version: 2 },
    });
    expect((await reserve(db.bookonce, { resources: booking.resources })).outcome).toBe("reserved");
    expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "cancelled" });
  });

  test("again: already cancelled with the first facts, and nothing is freed twice, even if the slot was sold again", async () => {
    const { booking } = await sell(db.bookonce);
    await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer, reason: "first" });
    const next = await sell(db.bookonce, { resources: booking.resources });
    const before = await digestOf(db);
    const again = await db.bookonce.cancel({ bookingId: booking.id, administrator: "olga", reason: "second" });
    expect(again).toMatchObject({
      outcome: "already_cancelled",
      booking: { cancelReason: "first", cancelledBy: booking.customer },
    });
    expect(await digestOf(db)).toBe(before);
    expect(await db.bookonce.bookings.get(next.booking.id)).toMatchObject({ state: "confirmed" });
    expect(await count(db, "claims", "resource_id = $1 and live_until is null", booking.resources.slice())).toBe(1);
  });

  test("release, refund task, void approval and history are one commit", async () => {
    const held = await book(db.bookonce);
    await preCheckout(db.bookonce, held);
    await receipt(db.bookonce, held);
    const outcome = await db.bookonce.cancel({ bookingId: held.id, administrator: "olga" });
    expect(outcome).toMatchObject({
      outcome: "cancelled",
      refund: { amount: 500, reason: "cancelled", state: "pending" },
    });
    const { rows } = await db.pool.query(
      `select count(distinct xmin::text) as transactions from (
        select xmin from ${db.schema}.bookings where id = $1
        union all select xmin from ${db.schema}.claims where booking_id = $1
        union all select xmin from ${db.schema}.refunds where booking_id = $1
        union all select xmin from ${db.schema}.checkouts where booking_id = $1
        union all select xmin from ${db.schema}.events where booking_id = $1 and type in ('booking_cancelled', 'refund_requested')) x`,
      [held.id],
    );
    expect(rows).toEqual([{ transactions: "1" }]);
    expect((await historyOf(db.bookonce, held)).slice(-2)).toEqual(["booking_cancelled", "refund_requested"]);
  });

  test("a payment that arrives after the cancel is returned, and revives nothing (C8)", async () => {
    const own = await createFrozenDatabase({ policies: { latePayment: "rebookIfFree" } });
    const booking = await book(own.bookonce);
    await preCheckout(own.bookonce, booking);
    await own.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
    expect(await receipt(own.bookonce, booking)).toMatchObject({ outcome: "late", refund: { reason: "cancelled" } });
    expect(await own.bookonce.bookings.get(booking.id)).toMatchObject({ state: "cancelled" });
    await own.drop();
  });

  test("a lapsed hold is over already", async () => {
    const own = await createFrozenDatabase();
    const booking = await book(own.bookonce);
    await own.clock.advance(15 * minute);
    const asked = { bookingId: booking.id, customer: booking.customer };
    expect(await own.bookonce.cancel(asked)).toMatchObject({
      outcome: "already_expired",
      booking: { state: "expired" },
    });
    await own.bookonce.sweep();
    expect(await own.bookonce.cancel(asked)).toMatchObject({ outcome: "already_expired" });
    await own.drop();
  });
});

describe("B9: the policy is judged by the clock at that moment", () => {
  const inTwoDays = async (of: TestDatabase) => new Date((await databaseNow(of)).getTime() + 2 * day);

  test("free until a day before; then the money is kept, and said so; an administrator returns it", async () => {
    const own = await createFrozenDatabase();
    const start = await inTwoDays(own);
    const [inTime, late, byStaff] = [
      await sell(own.bookonce, { start }),
      await sell(own.bookonce, { start }),
      await sell(own.bookonce, { start }),
    ];
    // At the last instant of the free time.
    await own.clock.advance(day);
    const cancel = (booking: { id: string; customer: string }) =>
      own.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
    expect(await cancel(inTime.booking)).toMatchObject({ outcome: "cancelled", refund: { amount: 500 } });
    await own.clock.advance(1);
    expect(await cancel(late.booking)).toMatchObject({ outcome: "cancelled", refund: null });
    const staff = await own.bookonce.cancel({ bookingId: byStaff.booking.id, administrator: "olga" });
    expect(staff).toMatchObject({ outcome: "cancelled", refund: { amount: 500 }, booking: { cancelledBy: "olga" } });
    expect(await own.bookonce.audit()).toMatchObject({ ok: true, payments: { kept: 1, returning: 2 } });
    await own.drop();
  });

  test("a policy that forbids late cancels refuses them, and leaves the booking as it was", async () => {
    const shop = db.another({ policies: { cancellation: { refundUntil: { hours: 72 }, afterwards: "forbidden" } } });
    const start = await inTwoDays(db);
    const { booking } = await sell(shop, { start });
    const before = await digestOf(db);
    const refused = await shop.cancel({ bookingId: booking.id, customer: booking.customer });
    expect(refused).toMatchObject({ outcome: "refused", reason: "forbidden_by_policy", booking: { id: booking.id } });
    expect(await digestOf(db)).toBe(before);
    const held = await book(shop, { start });
    expect(await shop.cancel({ bookingId: held.id, customer: held.customer })).toMatchObject({ outcome: "cancelled" });
    expect(await shop.cancel({ bookingId: booking.id, administrator: "olga" })).toMatchObject({
      refund: { amount: 500 },
    });
  });
});

describe("a booking keeps the policy under which it was made", () => {
  test("whatever an instance with other policies is asked to do with it later", async () => {
    const own = await createFrozenDatabase({
      policies: { cancellation: { refundUntil: { hours: 1 } }, settlementGrace: { minutes: 30 } },
    });
    const strict = own.another({
      policies: {
        cancellation: { refundUntil: { hours: 100 }, afterwards: "forbidden" },
        settlementGrace: { seconds: 1 },
        latePayment: "rebookIfFree",
      },
    });
    const start = new Date(Date.now() + 10 * hour);
    const paid = await sell(own.bookonce, { start });
    const [approved, lapsing] = [await book(own.bookonce, { start }), await book(own.bookonce, { start })];
    const yes = await preCheckout(strict, approved);
    expect(yes.outcome === "approved" && yes.holdExpiresAt.getTime() - approved.createdAt.getTime()).toBeGreaterThan(
      29 * minute,
    );
    expect(await strict.cancel({ bookingId: paid.booking.id, customer: paid.booking.customer })).toMatchObject({
      outcome: "cancelled",
      refund: { amount: 500 },
    });
    await own.clock.advance(15 * minute);
    expect(await receipt(strict, lapsing)).toMatchObject({ outcome: "late" });
    // And what the strict instance makes is strict everywhere.
    const strictly = await sell(strict, { start });
    expect(
      await own.bookonce.cancel({ bookingId: strictly.booking.id, customer: strictly.booking.customer }),
    ).toMatchObject({ reason: "forbidden_by_policy" });
    const again = await book(strict, { start });
    await own.clock.advance(15 * minute);
    expect(await receipt(own.bookonce, again)).toMatchObject({ outcome: "booked" });
    await own.drop();
  });
});
