import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  aResource,
  book,
  count,
  databaseNow,
  digestOf,
  hoursLater,
  minute,
  preCheckout,
  query,
  receipt,
  reserve,
  sell,
  unique,
} from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const declined = (reason: string) => ({ outcome: "declined", reason });

describe("S1: the booking is found by its payload and by nothing else", () => {
  test("two bookings of one payer and amount are told apart", async () => {
    const customer = unique("customer");
    const [first, second] = [await book(db.bookonce, { customer }), await book(db.bookonce, { customer })];
    expect(await preCheckout(db.bookonce, second)).toMatchObject({ outcome: "approved", booking: { id: second.id } });
    expect(await preCheckout(db.bookonce, first)).toMatchObject({ outcome: "approved", booking: { id: first.id } });
  });

  test("a payload that is not ours is left to the bot's other code, and nothing is stored", async () => {
    const booking = await book(db.bookonce);
    const before = await digestOf(db);
    expect(await preCheckout(db.bookonce, booking, { payload: "order-17" })).toEqual({ outcome: "not_ours" });
    expect(await receipt(db.bookonce, booking, { payload: "order-17" })).toEqual({ outcome: "not_ours" });
    expect(await digestOf(db)).toBe(before);
  });

  test("a payload that looks like ours and is unknown is declined", async () => {
    const booking = await book(db.bookonce);
    const payload = `${booking.payload.slice(0, -1)}${booking.payload.endsWith("A") ? "B" : "A"}`;
    expect(await preCheckout(db.bookonce, booking, { payload })).toMatchObject(declined("unknown_booking"));
  });
});

describe("S2: payer, amount, currency and state are checked, then the slot is taken or kept", () => {
  test.each([
    ["another payer", { payer: "maria" }, "wrong_payer"],
    ["one Star less", { amount: 499 }, "wrong_amount"],
    ["one Star more", { amount: 501 }, "wrong_amount"],
    ["another currency", { currency: "UZS" }, "wrong_amount"],
  ])("%s is declined, and the slot stays held for its payer", async (_, over, reason) => {
    const booking = await book(db.bookonce);
    expect(await preCheckout(db.bookonce, booking, over)).toMatchObject({ ...declined(reason), repeated: false });
    expect(await preCheckout(db.bookonce, booking)).toMatchObject({ outcome: "approved" });
  });

  test("a booking for anyone is paid by whoever has the invoice", async () => {
    const booking = await book(db.bookonce, { payer: "anyone" });
    expect(await preCheckout(db.bookonce, booking, { payer: "stranger" })).toMatchObject({ outcome: "approved" });
    expect(await receipt(db.bookonce, booking, { payer: "another" })).toMatchObject({ outcome: "booked" });
  });

  test("of two invoices for one slot the first to press Pay gets it; the other is told that it was taken", async () => {
    const resources = [await aResource(db.bookonce)];
    const first = await book(db.bookonce, { resources, claim: "at_checkout" });
    const second = await book(db.bookonce, { resources, claim: "at_checkout" });
    const third = await book(db.bookonce, { resources, claim: "at_checkout" });
    expect(await preCheckout(db.bookonce, second)).toMatchObject({ outcome: "approved", booking: { state: "held" } });
    expect(await preCheckout(db.bookonce, first)).toMatchObject(declined("slot_taken"));
    expect(await reserve(db.bookonce, { resources })).toMatchObject({ outcome: "refused", reason: "slot_taken" });
    await receipt(db.bookonce, second);
    expect(await preCheckout(db.bookonce, third)).toMatchObject(declined("slot_taken"));
  });

  test("a paid booking and a cancelled one are declined by name", async () => {
    const { booking } = await sell(db.bookonce);
    expect(await preCheckout(db.bookonce, booking)).toMatchObject(declined("already_paid"));
    const cancelled = await book(db.bookonce);
    await db.bookonce.cancel({ bookingId: cancelled.id, customer: cancelled.customer });
    expect(await preCheckout(db.bookonce, cancelled)).toMatchObject(declined("cancelled"));
  });
});

describe("S3: no decision in time is a no", () => {
  test("the slot's row is locked by somebody who stalls: declined, nothing stored, and decided later", async () => {
    const booking = await book(db.bookonce);
    const asked = query(booking);
    const stalling = await db.pool.connect();
    await stalling.query("begin");
    await stalling.query(`select 1 from ${db.schema}.resources where id = $1 for update`, [booking.resources[0]]);
    const outcome = await db.bookonce.decidePreCheckout(asked, { budgetMs: 400 });
    expect(outcome).toEqual({ outcome: "declined", reason: "unavailable", booking: null, repeated: false });
    await stalling.query("rollback");
    stalling.release();
    expect(await count(db, "checkouts", "external_id = $1", [asked.checkoutId])).toBe(0);
    expect(await db.bookonce.decidePreCheckout(asked)).toMatchObject({ outcome: "approved", repeated: false });
  });

  test("a caller who gives up gets a no as well", async () => {
    const booking = await book(db.bookonce);
    const signal = AbortSignal.abort();
    expect(await preCheckout(db.bookonce, booking, {}, { signal })).toMatchObject(declined("unavailable"));
  });

  test("an abandoned attempt that was committed after all is found by the same query", async () => {
    const booking = await book(db.bookonce);
    const asked = query(booking);
    await db.bookonce.decidePreCheckout(asked, { budgetMs: 1 });
    expect(await db.bookonce.decidePreCheckout(asked)).toMatchObject({ outcome: "approved" });
    expect(await count(db, "checkouts", "external_id = $1", [asked.checkoutId])).toBe(1);
  });
});

test("S5: an invoice is not approved once its time has begun, though the hold lives", async () => {
  const own = await createFrozenDatabase();
  const start = new Date((await databaseNow(own)).getTime() + 10 * minute);
  const [first, booking] = [
    await book(own.bookonce, { start, hold: { hours: 1 } }),
    await book(own.bookonce, { start, hold: { hours: 1 } }),
  ];
  await own.clock.advance(10 * minute - 1);
  expect(await preCheckout(own.bookonce, first)).toMatchObject({ outcome: "approved" });
  await own.clock.advance(1);
  expect(await preCheckout(own.bookonce, booking)).toMatchObject(declined("in_past"));
  await own.drop();
});

describe("policies about checkouts", () => {
  test("an approval keeps the slot for the grace of its provider, or as long as it was held anyway", async () => {
    const shop = db.another({
      policies: {
        hold: { minutes: 1 },
        settlementGrace: { minutes: 2 },
        settlementGraceByProvider: { slow: { minutes: 20 } },
      },
    });
    const lengths = await Promise.all(
      ["telegram_stars", "telegram_payments", "slow"].map(async (provider) => {
        const approved = await preCheckout(shop, await book(shop), { provider });
        const event = approved.outcome === "approved" ? approved : null;
        return Math.round(((event?.holdExpiresAt.getTime() ?? 0) - (event?.booking.createdAt.getTime() ?? 0)) / minute);
      }),
    );
    expect(lengths).toEqual([2, 15, 20]);
    const long = await book(shop, { hold: { hours: 1 } });
    expect(await preCheckout(shop, long)).toMatchObject({ holdExpiresAt: long.holdExpiresAt });
  });

  test("retakeLapsedHold: a lapsed hold that was never approved may be paid if the slot is free", async () => {
    const own = await createFrozenDatabase({ policies: { retakeLapsedHold: true } });
    const free = await book(own.bookonce);
    const taken = await book(own.bookonce);
    const approved = await book(own.bookonce);
    await preCheckout(own.bookonce, approved);
    await own.clock.advance(15 * minute);
    await book(own.bookonce, { resources: taken.resources });
    await own.bookonce.sweep();
    expect(await preCheckout(own.bookonce, free)).toMatchObject({ outcome: "approved", booking: { state: "held" } });
    expect(await receipt(own.bookonce, free)).toMatchObject({ outcome: "booked" });
    expect(await preCheckout(own.bookonce, taken)).toMatchObject(declined("slot_taken"));
    expect(await preCheckout(own.bookonce, approved)).toMatchObject(declined("hold_lapsed"));
    expect(await own.bookonce.audit()).toMatchObject({ ok: true });
    await own.drop();
  });

  test("an invoice that claims nothing can be paid until its end", async () => {
    const own = await createFrozenDatabase({ policies: { payable: { minutes: 30 } } });
    const [first, second] = [
      await book(own.bookonce, { claim: "at_checkout" }),
      await book(own.bookonce, { claim: "at_checkout", start: hoursLater(3) }),
    ];
    await own.clock.advance(30 * minute - 1);
    expect(await preCheckout(own.bookonce, first)).toMatchObject({ outcome: "approved" });
    await own.clock.advance(1);
    expect(await preCheckout(own.bookonce, second)).toMatchObject(declined("hold_lapsed"));
    await own.drop();
  });
});
