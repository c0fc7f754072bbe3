import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { damage } from "../support/damage.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { book, day, hour, lateCharge, minute, sell } from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";
import { answering } from "../support/refunders.ts";

// O2: each kind of damage is made as a superuser makes it, with triggers, foreign keys and constraints off, and is named.
let db: TestDatabase;
beforeEach(async () => {
  db = await createFrozenDatabase();
});
afterEach(() => db.drop());

const problems = async () => (await db.bookonce.audit()).problems;

describe("O2, B5: a live booking and its place belong together", () => {
  test.each([
    ["was deleted", "delete from {}.claims where booking_id = $1"],
    ["was released", "update {}.claims set live_until = {}.clock() where booking_id = $1"],
    [
      "is over before the hold is",
      "update {}.claims set live_until = live_until - interval '1 s' where booking_id = $1",
    ],
    ["is of too few places", "update {}.bookings set quantities = '{2}' where id = $1"],
  ])("held_without_claim: the place of a live hold %s", async (_, text) => {
    const held = await book(db.bookonce);
    await damage(db, [text, [held.id]]);
    expect(await problems()).toEqual([{ problem: "held_without_claim", id: held.id }]);
  });

  test("a hold that is over has no place, and nothing is wrong with that", async () => {
    const held = await book(db.bookonce);
    await db.clock.advance(15 * minute);
    expect(await problems()).toEqual([]);
    await damage(db, ["delete from {}.claims where booking_id = $1", [held.id]]);
    expect(await problems()).toEqual([]);
  });

  test.each([
    [
      "is cancelled",
      "update {}.bookings set state = 'cancelled', cancelled_at = now(), cancelled_by = 'x' where id = $1",
    ],
    ["has expired", "update {}.bookings set state = 'expired' where id = $1"],
    [
      "is only an invoice",
      "update {}.bookings set state = 'pending', payable_until = now() + interval '1 h' where id = $1",
    ],
    ["is gone", "delete from {}.bookings where id = $1"],
    [
      "is held for a shorter time",
      "update {}.bookings set hold_expires_at = hold_expires_at - interval '1 s' where id = $1",
    ],
  ])("claim_without_booking: a place is held for a booking that %s", async (_, text) => {
    const held = await book(db.bookonce);
    await damage(db, [text, [held.id]]);
    expect(await problems()).toContainEqual({ problem: "claim_without_booking", id: `${held.id}#1` });
  });

  test("claim_without_booking: a moved booking still keeps its old place", async () => {
    const { booking } = await sell(db.bookonce);
    const moved = await db.bookonce.reschedule({
      bookingId: booking.id,
      administrator: "olga",
      start: new Date(booking.start.getTime() + 3 * hour),
    });
    expect(moved).toMatchObject({ outcome: "rescheduled" });
    expect(await problems()).toEqual([]);
    await damage(db, ["update {}.claims set live_until = null where booking_id = $1 and number = 1", [booking.id]]);
    expect(await problems()).toEqual([{ problem: "claim_without_booking", id: `${booking.id}#1` }]);
  });
});

describe("O2, S12: a booking and its money belong together", () => {
  test.each(["pending", "completed"])(
    "confirmed_but_refunded: a cancelled booking was set back to confirmed, its refund is %s",
    async (state) => {
      const { booking, paymentId } = await sell(db.bookonce);
      await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
      if (state === "completed") await db.bookonce.refunds.recordExternal({ paymentId, by: "ledger" });
      expect(await problems()).toEqual([]);
      await damage(
        db,
        ["update {}.bookings set state = 'confirmed' where id = $1", [booking.id]],
        ["update {}.claims set live_until = null where booking_id = $1", [booking.id]],
      );
      expect(await problems()).toEqual([{ problem: "confirmed_but_refunded", id: booking.id }]);
    },
  );

  test("money that went back without us leaves the booking to its policy: kept is in order, not cancelled is not", async () => {
    const kept = await sell(db.bookonce);
    await db.bookonce.refunds.recordExternal({ paymentId: kept.paymentId, by: "ledger" });
    expect(await problems()).toEqual([]);
    await damage(db, [
      `update {}.bookings set policy = policy || '{"externalRefund": "cancelBooking"}' where id = $1`,
      [kept.booking.id],
    ]);
    expect(await problems()).toEqual([{ problem: "confirmed_but_refunded", id: kept.booking.id }]);
  });

  test.each([
    ["a payment counts more than its refunds", "update {}.payments set refunded_amount = 501 where id = $1"],
    ["a payment counts less than its refunds", "update {}.payments set refunded_amount = 0 where id = $1"],
    ["a refund was deleted behind its payment's back", "delete from {}.refunds where payment_id = $1"],
    ["a refund is in another currency", "update {}.refunds set currency = 'UZS' where payment_id = $1"],
    ["a refund is of more than was paid", "update {}.refunds set amount = 501 where payment_id = $1"],
  ])("refunds_miscounted: %s", async (_, text) => {
    const { paymentId } = await lateCharge(db);
    await damage(db, ["alter table {}.payments drop constraint payments_check"], [text, [paymentId]]);
    expect(await problems()).toContainEqual({ problem: "refunds_miscounted", id: paymentId });
  });

  test("refunds_miscounted: both agree on more than was paid", async () => {
    const { paymentId } = await lateCharge(db);
    await damage(
      db,
      ["alter table {}.payments drop constraint payments_check"],
      ["update {}.refunds set amount = 501 where payment_id = $1", [paymentId]],
      ["update {}.payments set refunded_amount = 501 where id = $1", [paymentId]],
    );
    expect(await problems()).toContainEqual({ problem: "refunds_miscounted", id: paymentId });
  });
});

describe("O2, S12: no refund stands still unseen", () => {
  test("refund_without_worker: it waits for a worker, but its provider has no refund call", async () => {
    const { refundId } = await lateCharge(db, { provider: "telegram_payments" });
    expect(await problems()).toEqual([]);
    await damage(db, ["update {}.refunds set state = 'pending', note = null where id = $1", [refundId]]);
    expect(await problems()).toEqual([{ problem: "refund_without_worker", id: refundId }]);
    await db.bookonce.refunds.resolve({ refundId, actor: "olga", note: "by hand" });
    expect(await problems()).toEqual([]);
  });

  test("a provider that another process may have a worker for is given its hour", async () => {
    const shop = db.another({ providers: { acme: { refund: "api", partialRefund: true } } });
    const { refundId } = await lateCharge({ ...db, bookonce: { ...db.bookonce, ...shop } }, { provider: "acme" });
    expect(await problems()).toEqual([]);
    await db.clock.advance(hour + 1);
    expect(await problems()).toEqual([{ problem: "refund_stuck", id: refundId }]);
  });

  test("refund_stuck: it is called hour after hour, and never answered", async () => {
    const { refundId } = await lateCharge(db);
    const silent = answering({ answer: "unknown", error: "timed out" });
    for (let call = 1; call < 30; call += 1) {
      await db.bookonce.refunds.run(silent);
      await db.clock.advance(hour);
    }
    expect(await problems()).toEqual([]);
    await db.bookonce.refunds.run(silent);
    expect(await problems()).toEqual([{ problem: "refund_stuck", id: refundId }]);
    // A person who looks at it and retries it is not told the same again.
    await db.bookonce.refunds.run(answering({ answer: "refused", error: "x" }));
    await db.clock.advance(day);
    await db.bookonce.refunds.run(answering({ answer: "refused", error: "x" }));
    await db.bookonce.refunds.retry({ refundId, actor: "olga" });
    expect(await problems()).toEqual([]);
  });
});

test("O2: with 20 000 bookings of a year and their money, it ends within the time of a statement, and finds nothing", async () => {
  const full = await createTestDatabase();
  const s = full.schema;
  await full.pool.query(
    `insert into ${s}.resources (id, name, created_at) select 'r' || n, 'r' || n, now() from generate_series(0, 199) n`,
  );
  await full.pool.query(`insert into ${s}.bookings (id, token, customer, state, wanted_ids, quantities, resource_ids, starts_at, ends_at,
      day_starts_at, day_ends_at, price_amount, price_currency, hold_expires_at, policy, version, request_digest, data, created_at,
      confirmed_at, cancelled_at, cancelled_by)
    select gen_random_uuid(), 'bko1_' || n, 'c' || n % 5000, (array['expired', 'cancelled', 'confirmed', 'confirmed'])[n % 4 + 1],
      array['r' || n % 200], '{1}', array['r' || n % 200], d, d + interval '1 hour', d, d + interval '1 day', 5, 'XTR',
      now() - interval '90 days', '{}', 1, 'digest', '{}', now(), now(), now(), 'x'
    from generate_series(0, 19999) n, lateral (select now() + (n / 200 - 80) * interval '1 day' as d) x`);
  await full.pool.query(`insert into ${s}.claims (booking_id, number, resource_id, starts_at, ends_at, live_from, live_until)
    select id, 1, resource_ids[1], starts_at, ends_at, now() - interval '91 days',
      case when state <> 'confirmed' then now() - interval '90 days' end from ${s}.bookings`);
  await full.pool.query(`insert into ${s}.payments (id, provider, account, external_id, token, payer, amount, currency, booking_id,
      disposition, received_at, details)
    select gen_random_uuid(), 'telegram_stars', 'bot', token, token, customer, 5, 'XTR', id,
      case when state = 'expired' then 'late' else 'booked' end, now(), '{}' from ${s}.bookings`);
  await full.pool.query(`insert into ${s}.refunds (id, payment_id, booking_id, amount, currency, reason, state, attempts, requested_at,
      due_at, completed_at)
    select gen_random_uuid(), p.id, b.id, 5, 'XTR', 'late', 'completed', 1, now(), now(), now()
    from ${s}.payments p join ${s}.bookings b on b.id = p.booking_id where b.state <> 'confirmed'`);
  await full.pool.query(`insert into ${s}.events (booking_id, type, at, actor, version, data, delivered_at)
    select id, type, now(), 'test', 1, '{}', now() from ${s}.bookings, unnest(array['booking_reserved', 'booking_confirmed']) type`);
  await full.pool.query("vacuum analyze");
  // A statement of ours is ended after three seconds.
  expect(await full.bookonce.audit()).toMatchObject({ problems: [], payments: { bought: 10_000, returned: 10_000 } });
  await full.drop();
}, 120_000);
