import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  count,
  digestOf,
  historyOf,
  hoursLater,
  minute,
  preCheckout,
  receipt,
  receiptOf,
  reserve,
  sell,
  soon,
  unique,
  untilBlocked,
} from "../support/fixtures.ts";

// Faults that real booking software has shown; the numbers are those of the collection of cases.
const taken = { outcome: "refused", reason: "slot_taken" };

describe("on one database, its clock untouched", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  afterAll(() => db.drop());

  test("R08: another service that begins within the first is refused, though nothing about it is equal", async () => {
    const resources = [await aResource(db.bookonce)];
    await book(db.bookonce, { resources, duration: { minutes: 45 }, title: "X" });
    const half = new Date(soon.getTime() + 30 * minute);
    expect(await reserve(db.bookonce, { resources, start: half, duration: { minutes: 30 }, title: "Y" })).toMatchObject(
      taken,
    );
  });

  test("R16: a second guest for the same time is told nothing of the first; the first gets her own booking back", async () => {
    const resources = [await aResource(db.bookonce)];
    const first = await book(db.bookonce, { resources, requestId: "k1", title: "secret", data: { phone: "123" } });
    const second = await reserve(db.bookonce, { resources, requestId: "k1" });
    expect(second).toEqual({ ...taken, resource: resources[0] });
    const again = await reserve(db.bookonce, { customer: first.customer, resources, requestId: "k1" });
    expect(again).toMatchObject({ outcome: "existing", booking: { id: first.id } });
  });

  test("R18: a booking in checkout blocks others, and never its own buyer", async () => {
    const resources = [await aResource(db.bookonce)];
    const held = await book(db.bookonce, { resources });
    await preCheckout(db.bookonce, held);
    expect(await reserve(db.bookonce, { resources })).toMatchObject(taken);
    expect(await receipt(db.bookonce, held)).toMatchObject({ outcome: "booked" });
  });

  test("R28: the reserver herself is not refused at submit", async () => {
    const resources = [await aResource(db.bookonce)];
    const held = await book(db.bookonce, { resources });
    expect(await reserve(db.bookonce, { resources })).toMatchObject(taken);
    expect(await preCheckout(db.bookonce, held)).toMatchObject({ outcome: "approved" });
    expect(await receipt(db.bookonce, held)).toMatchObject({ outcome: "booked" });
  });

  test("R29: what a cancel has freed is shown free and can be held, again and again: shown means holdable", async () => {
    const resources = [await aResource(db.bookonce)];
    const window = { resources, from: soon, to: hoursLater(1) };
    for (let round = 0; round < 3; round += 1) {
      expect(await db.bookonce.bookings.busy(window)).toEqual([]);
      const { booking } = await sell(db.bookonce, { resources });
      expect(await db.bookonce.bookings.busy(window)).toHaveLength(1);
      expect(await reserve(db.bookonce, { resources })).toMatchObject(taken);
      await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
    }
  });

  test("R30: a hold without a length has the default one, and one of 90 days is refused", async () => {
    expect(await reserve(db.bookonce, { hold: { hours: 90 * 24 } })).toMatchObject({ reason: "hold_too_long" });
    const held = await book(db.bookonce);
    expect((held.holdExpiresAt?.getTime() ?? 0) - held.createdAt.getTime()).toBe(15 * minute);
  });

  test("R32: releasing is idempotent: a second cancel frees nothing of the next owner's", async () => {
    const held = await book(db.bookonce);
    const asked = { bookingId: held.id, customer: held.customer };
    await db.bookonce.cancel(asked);
    const next = await book(db.bookonce, { resources: held.resources });
    expect(await db.bookonce.cancel(asked)).toMatchObject({ outcome: "already_cancelled" });
    expect(await reserve(db.bookonce, { resources: held.resources })).toMatchObject(taken);
    expect(await db.bookonce.bookings.get(next.id)).toEqual(next);
  });

  test("R43: abandoning the payment page and booking again gives the same unpaid booking, with its invoice and its price", async () => {
    const held = await book(db.bookonce, { price: { amount: 50, currency: "XTR" } });
    await preCheckout(db.bookonce, held);
    const again = await reserve(db.bookonce, { customer: held.customer, resources: held.resources });
    expect(again).toMatchObject({
      outcome: "existing",
      booking: { id: held.id, payload: held.payload, state: "held", amountDue: { amount: 50, currency: "XTR" } },
    });
    // Nothing but a payment confirms a booking that has a price.
    const confirming = reserve(db.bookonce, { customer: held.customer, resources: held.resources, confirm: true });
    await expect(confirming).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("R49: the return page and the webhook confirm together: one transition, one message", async () => {
    const held = await book(db.bookonce);
    const charge = receiptOf(held);
    await Promise.all([db.bookonce.confirmPayment(charge), db.another().confirmPayment(charge)]);
    expect(await historyOf(db.bookonce, held)).toEqual(["booking_reserved", "booking_confirmed"]);
  });

  test("R94: a time that is past cannot be booked", async () => {
    expect(await reserve(db.bookonce, { start: new Date(Date.now() - 100 * minute) })).toMatchObject({
      reason: "in_past",
    });
  });

  test("R103: not only the start is checked", async () => {
    const resources = [await aResource(db.bookonce)];
    const at = (minutes: number) => new Date(soon.getTime() + minutes * minute);
    await book(db.bookonce, { resources, start: at(50), end: at(80) });
    const half = { resources, duration: { minutes: 30 } };
    expect(await reserve(db.bookonce, { ...half, start: at(30) })).toMatchObject(taken);
    expect((await reserve(db.bookonce, { ...half, start: at(20) })).outcome).toBe("reserved");
    expect(await reserve(db.bookonce, { resources, start: at(85), end: at(40 + 60) })).toMatchObject({
      outcome: "reserved",
    });
    expect(await reserve(db.bookonce, { resources, start: at(0), end: at(200) })).toMatchObject(taken);
  });

  test("C9: another customer, the very same slot: refused, for the slot decides and not who asks", async () => {
    const { booking } = await sell(db.bookonce);
    expect(await reserve(db.bookonce, { resources: booking.resources, customer: "other@example.org" })).toMatchObject(
      taken,
    );
  });

  test("C11: a process that dies after it has written its request id leaves no trace: the retry succeeds", async () => {
    const resources = [await aResource(db.bookonce)];
    const asked = { customer: "ivan", resources, start: soon, duration: { minutes: 60 }, requestId: unique("r") };
    const client = await db.pool.connect();
    await client.query("begin");
    expect(await db.bookonce.within(client).reserveSlot(asked)).toMatchObject({ outcome: "reserved" });
    const before = await digestOf(db);
    client.release(true);
    const retried = await db.bookonce.reserveSlot(asked);
    expect(retried).toMatchObject({ outcome: "reserved" });
    expect(await digestOf(db)).not.toBe(before);
    expect(await count(db, "bookings", "request_id = $1", [asked.requestId])).toBe(1);
  });
});

describe("R39: a site that falls over in the middle of a sale", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  afterAll(() => db.drop());

  test("payment, booking, claim and history are one transaction: there is no instant between them", async () => {
    const { booking } = await sell(db.bookonce);
    const { rows } = await db.pool.query(
      `select count(distinct xmin::text)::int as transactions from (
        select xmin from ${db.schema}.payments where booking_id = $1
        union all select xmin from ${db.schema}.bookings where id = $1
        union all select xmin from ${db.schema}.claims where booking_id = $1
        union all select xmin from ${db.schema}.events where booking_id = $1 and type = 'booking_confirmed') x`,
      [booking.id],
    );
    expect(rows).toEqual([{ transactions: 1 }]);
  });

  test("a connection that is killed in the middle leaves nothing, and the same receipt is taken up again", async () => {
    const held = await book(db.bookonce);
    const locking = await db.pool.connect();
    await locking.query("begin");
    await locking.query(`select 1 from ${db.schema}.bookings where id = $1 for update`, [held.id]);
    const paying = receipt(db.bookonce, held);
    await untilBlocked(db);
    await db.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    await locking.query("rollback");
    locking.release();
    expect(await paying).toMatchObject({ outcome: "booked", repeated: false });
    expect(await count(db, "payments", "booking_id = $1", [held.id])).toBe(1);
    expect(await historyOf(db.bookonce, held)).toEqual(["booking_reserved", "booking_confirmed"]);
  });
});
