import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, book, lateCharge, preCheckout, sell, unique, untilBlocked } from "../support/fixtures.ts";

// B5: the database itself refuses, whoever writes. Here a foreign writer uses plain SQL and keeps none of our rules.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const run = (text: string, values: unknown[] = []) => db.pool.query(text.replaceAll("{}", db.schema), values);

/** The constraint, or else the SQLSTATE, by which PostgreSQL refused. */
async function refusedBy(text: string, values: unknown[] = []): Promise<string> {
  try {
    await run(text, values);
    return "accepted";
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return error.constraint ?? error.code ?? "unknown";
  }
}

const claim = `insert into {}.claims (booking_id, number, resource_id, starts_at, ends_at, live_from, live_until)
  select $1, 50 + (random() * 1e6)::int, c.resource_id, c.starts_at + $3::interval, c.ends_at + $3::interval, {}.clock(), null
  from {}.claims c where c.booking_id = $2 limit 1`;

describe("B5: two bookings never hold one resource for overlapping times at the same moment", () => {
  test.each([
    ["the same time", "0"],
    ["half an hour later", "30 minutes"],
    ["a microsecond of overlap", "59 minutes 59.999999 seconds"],
    ["half an hour earlier", "-30 minutes"],
  ])("%s is refused by the exclusion constraint", async (_, shift) => {
    const { booking } = await sell(db.bookonce);
    const other = await book(db.bookonce);
    expect(await refusedBy(claim, [other.id, booking.id, shift])).toBe("claims_exclusive");
  });

  test("touching times are accepted", async () => {
    const { booking } = await sell(db.bookonce);
    const other = await book(db.bookonce);
    expect(await refusedBy(claim, [other.id, booking.id, "1 hour"])).toBe("accepted");
  });

  test("a live hold is as safe as a confirmed booking, and a lapsed one blocks nobody", async () => {
    const [held, other] = [await book(db.bookonce), await book(db.bookonce)];
    expect(await refusedBy(claim, [other.id, held.id, "0"])).toBe("claims_exclusive");
    await run("update {}.claims set live_until = {}.clock() where booking_id = $1", [held.id]);
    expect(await refusedBy(claim, [other.id, held.id, "0"])).toBe("accepted");
  });

  test("a lapsed hold cannot be brought back over its successor", async () => {
    const held = await book(db.bookonce);
    const other = await book(db.bookonce);
    await run("update {}.claims set live_until = {}.clock() where booking_id = $1", [held.id]);
    await run(claim, [other.id, held.id, "0"]);
    expect(await refusedBy("update {}.claims set live_until = null where booking_id = $1", [held.id])).toBe(
      "claims_exclusive",
    );
  });

  test("a time that ends before it starts, or a claim that ends before it began, is no claim", async () => {
    const { booking } = await sell(db.bookonce);
    expect(await refusedBy("update {}.claims set ends_at = starts_at where booking_id = $1", [booking.id])).toMatch(
      /check/,
    );
    expect(
      await refusedBy("update {}.claims set live_until = live_from - interval '1 s' where booking_id = $1", [
        booking.id,
      ]),
    ).toMatch(/check|22000/);
  });
});

describe("S15: the race, by hand, in two database sessions", () => {
  test("the second session waits for the first, and then sees that the slot is taken", async () => {
    const resource = await aResource(db.bookonce);
    const [one, two] = [await book(db.bookonce), await book(db.bookonce)];
    const insert = `insert into ${db.schema}.claims (booking_id, number, resource_id, starts_at, ends_at, live_from, live_until)
      values ($1, 9, $2, '2099-01-01 10:00+00', '2099-01-01 11:00+00', ${db.schema}.clock(), null)`;
    const [first, second] = [await db.pool.connect(), await db.pool.connect()];
    await first.query("begin");
    await second.query("begin");
    await first.query(insert, [one.id, resource]);
    const waiting = second.query(insert, [two.id, resource]).then(
      () => "accepted",
      (error: unknown) => (error instanceof pg.DatabaseError ? error.constraint : "?"),
    );
    await untilBlocked(db);
    await first.query("commit");
    expect(await waiting).toBe("claims_exclusive");
    await second.query("rollback");
    first.release();
    second.release();
  });
});

describe("B5: wrong money is impossible", () => {
  const refund = `insert into {}.refunds (id, payment_id, amount, currency, reason, state, attempts, requested_at, due_at)
    values ($1, $2, $3, $4, 'by hand', 'pending', 0, now(), now())`;

  test("never more is returned than was paid: at once or in parts", async () => {
    const { paymentId } = await sell(db.bookonce);
    expect(await refusedBy(refund, [randomUUID(), paymentId, 501, "XTR"])).toBe("payments_check");
    expect(await refusedBy(refund, [randomUUID(), paymentId, 300, "XTR"])).toBe("accepted");
    expect(await refusedBy(refund, [randomUUID(), paymentId, 201, "XTR"])).toBe("payments_check");
    expect(await refusedBy(refund, [randomUUID(), paymentId, 200, "XTR"])).toBe("accepted");
    expect(await refusedBy(refund, [randomUUID(), paymentId, 1, "XTR"])).toBe("payments_check");
    expect(
      await refusedBy("update {}.refunds set amount = amount + 1 where payment_id = $1 and amount = 200", [paymentId]),
    ).toBe("payments_check");
    expect(await refusedBy("delete from {}.refunds where payment_id = $1 and amount = 200", [paymentId])).toBe(
      "accepted",
    );
    expect(await refusedBy(refund, [randomUUID(), paymentId, 150, "XTR"])).toBe("accepted");
  });

  test("one refund per payment and amount", async () => {
    const { paymentId } = await sell(db.bookonce);
    expect(await refusedBy(refund, [randomUUID(), paymentId, 100, "XTR"])).toBe("accepted");
    expect(await refusedBy(refund, [randomUUID(), paymentId, 100, "XTR"])).toBe("refunds_once");
  });

  test("a refund keeps its currency and its payment", async () => {
    const [{ paymentId }, other] = [await sell(db.bookonce), await sell(db.bookonce)];
    expect(await refusedBy(refund, [randomUUID(), paymentId, 100, "USD"])).toBe("23514");
    await run(refund, [randomUUID(), paymentId, 100, "XTR"]);
    expect(
      await refusedBy("update {}.refunds set payment_id = $2 where payment_id = $1", [paymentId, other.paymentId]),
    ).toBe("23514");
    expect(await refusedBy("update {}.refunds set currency = 'USD' where payment_id = $1", [paymentId])).toBe("23514");
  });

  const payment = `insert into {}.payments (id, provider, account, external_id, token, payer, amount, currency, booking_id,
      disposition, review, received_at, details)
    values ($1, 'telegram_stars', 'bot', $2, 't', 'p', $3, 'XTR', $4, $5, null, now(), jsonb_build_object())`;

  test.each([
    ["a second payment that bought the booking", 500, "booked", "payments_one_booked"],
    ["a payment of nothing", 0, "late", "payments_amount_check"],
    ["a payment in no known place", 5, "lost", "payments_disposition_check"],
    ["a mismatch that nobody looks at", 5, "mismatch", "payments_check2"],
  ])("%s is refused", async (_, amount, disposition, constraint) => {
    const { booking } = await sell(db.bookonce);
    expect(await refusedBy(payment, [randomUUID(), unique("c"), amount, booking.id, disposition])).toBe(constraint);
  });

  test("a payment that is neither unmatched nor of a booking is refused", async () => {
    expect(await refusedBy(payment, [randomUUID(), unique("c"), 5, null, "late"])).toBe("payments_check1");
  });

  test("a charge is stored once for each provider and account", async () => {
    const { booking, chargeId } = await sell(db.bookonce);
    const values = [randomUUID(), chargeId, 5, booking.id, "surplus"];
    expect(await refusedBy(payment, values)).toBe("payments_provider_account_external_id_key");
  });
});

describe("B5: one approval of a booking stands", () => {
  const approval = `insert into {}.checkouts (provider, account, external_id, token, payer, amount, currency, booking_id, decision, decided_at)
    values ('telegram_stars', 'bot', $2, 't', 'p', 5, 'XTR', $1, 'approved', now())`;

  test("a second is refused until the first is void", async () => {
    const booking = await book(db.bookonce);
    await preCheckout(db.bookonce, booking);
    expect(await refusedBy(approval, [booking.id, unique("q")])).toBe("checkouts_one_standing");
    await run("update {}.checkouts set voided_at = now(), void_reason = 'x' where booking_id = $1", [booking.id]);
    expect(await refusedBy(approval, [booking.id, unique("q")])).toBe("accepted");
  });

  test("a query has one answer", async () => {
    const booking = await book(db.bookonce);
    await preCheckout(db.bookonce, booking, { checkoutId: "q-1" });
    const other = await book(db.bookonce);
    expect(await refusedBy(approval, [other.id, "q-1"])).toBe("checkouts_pkey");
  });
});

describe("B6: states that cannot be", () => {
  test.each([
    ["a hold without an end", "state = 'held', hold_expires_at = null"],
    ["an invoice without an end", "state = 'pending', payable_until = null"],
    ["confirmed at no time", "state = 'confirmed', confirmed_at = null"],
    ["cancelled by nobody", "state = 'cancelled', cancelled_at = now(), cancelled_by = null"],
    ["a state of somebody else's", "state = 'attended'"],
    ["an end before the start", "ends_at = starts_at"],
    ["a price without a currency", "price_currency = null"],
    ["a price of nothing", "price_amount = 0"],
    ["no resource", "resource_ids = array[]::text[]"],
  ])("%s is refused", async (_, set) => {
    const booking = await book(db.bookonce);
    expect(await refusedBy(`update {}.bookings set ${set} where id = $1`, [booking.id])).toMatch(/^bookings_.*check/);
  });

  test("a refund that is completed at no time, or sent under no lease, is refused", async () => {
    const { refundId } = await lateCharge(db);
    expect(await refusedBy("update {}.refunds set state = 'completed' where id = $1", [refundId])).toMatch(
      /^refunds_check/,
    );
    expect(await refusedBy("update {}.refunds set state = 'sending' where id = $1", [refundId])).toMatch(
      /^refunds_check/,
    );
    expect(await refusedBy("update {}.refunds set state = 'lost' where id = $1", [refundId])).toBe(
      "refunds_state_check",
    );
  });
});

test("what a foreign writer has taken without a lock is answered as taken, never as a database error", async () => {
  const resource = await aResource(db.bookonce);
  const owner = await book(db.bookonce);
  const foreign = await db.pool.connect();
  await foreign.query("begin");
  await foreign.query(
    `insert into ${db.schema}.claims (booking_id, number, resource_id, starts_at, ends_at, live_from, live_until)
     select $1, 99, $2, starts_at, ends_at, ${db.schema}.clock(), null from ${db.schema}.bookings where id = $1`,
    [owner.id, resource],
  );
  // It takes no lock of ours but the key share of its foreign key: our claim runs into the constraint and waits there.
  const reserving = db.bookonce.reserveSlot({
    customer: unique("c"),
    resources: [resource],
    start: owner.start,
    end: owner.end,
  });
  await untilBlocked(db);
  await foreign.query("commit");
  foreign.release();
  expect(await reserving).toMatchObject({ outcome: "refused", reason: "slot_taken" });
});
