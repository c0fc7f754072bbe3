import { setTimeout as sleep } from "node:timers/promises";
import { isBookonceError } from "bookonce";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, hoursLater, type Shop, soon, unique } from "../support/fixtures.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

/** Ends every connection of ours to the database, as a fail-over does. Returns how many there were. */
async function terminateOurs(): Promise<number> {
  const { rows } = await db.pool.query<{ ended: number }>(
    `select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity
      where datname = current_database() and application_name = 'bookonce'`,
  );
  return rows[0]?.ended ?? 0;
}

/** Calls until there is an answer, as every caller of an idempotent verb may. */
async function untilAnswered<Outcome extends { readonly outcome: string }>(
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  for (;;) {
    try {
      const answered = await call();
      const { reason } = answered as { readonly reason?: unknown };
      if (reason !== "busy" && reason !== "unavailable") return answered;
    } catch (error) {
      // Nothing else may escape, whatever happens to the connections (O6).
      if (!isBookonceError(error) || error.code !== "unavailable") throw error;
    }
  }
}

/** One customer's way from the slot to the paid booking, and for every third back out of it. */
async function story(shop: Shop, resource: string, number: number): Promise<string> {
  const customer = unique("customer");
  const start = hoursLater(number);
  const input = {
    customer,
    resources: [resource],
    start,
    duration: { minutes: 60 },
    price: { amount: 5, currency: "XTR" },
  };
  const reserved = await untilAnswered(() => shop.reserveSlot(input));
  if (reserved.outcome === "refused") return reserved.reason;
  const { id, payload } = reserved.booking;
  const charge = { provider: "telegram_stars", account: "bot", payload, payer: customer, amount: 5, currency: "XTR" };
  const approved = await untilAnswered(() => shop.decidePreCheckout({ ...charge, checkoutId: `query ${id}` }));
  const paid = await untilAnswered(() => shop.confirmPayment({ ...charge, chargeId: `charge ${id}` }));
  if (number % 3 !== 0) return `${approved.outcome} ${paid.outcome}`;
  const cancelled = await untilAnswered(() => shop.cancel({ bookingId: id, customer }));
  return `${approved.outcome} ${paid.outcome} ${cancelled.outcome.replace("already_", "")}`;
}

test("when every connection is ended again and again under load, no effect is lost and none is doubled (O2, S10)", async () => {
  const resource = await aResource(db.bookonce);
  const shops: Shop[] = [db.bookonce, db.another(), db.another()];
  let running = true;
  let ended = 0;
  const killer = (async () => {
    while (running) {
      ended += await terminateOurs();
      await sleep(200);
    }
  })();
  const stories = 90;
  const told: string[] = [];
  // Twelve customers at a time, so that the connections keep being ended in the middle of something.
  const numbers = Array.from({ length: stories }, (_, index) => index);
  await Promise.all(
    Array.from({ length: 12 }, async (_, lane) => {
      const shop = shops[lane % shops.length] ?? db.bookonce;
      for (;;) {
        const number = numbers.shift();
        if (number === undefined) return;
        told.push(await story(shop, resource, number));
      }
    }),
  );
  running = false;
  await killer;
  expect(ended).toBeGreaterThan(10);

  const kept = stories - stories / 3;
  expect(told.filter((one) => one === "approved booked")).toHaveLength(kept);
  expect(told.filter((one) => one === "approved booked cancelled")).toHaveLength(stories / 3);

  const { rows } = await db.pool.query<Record<string, number>>(
    `select
      (select count(*)::int from ${db.schema}.bookings where state = 'confirmed' and starts_at >= $1) as confirmed,
      (select count(*)::int from ${db.schema}.bookings where state = 'cancelled') as cancelled,
      (select count(*)::int from ${db.schema}.payments) as payments,
      (select count(*)::int from ${db.schema}.refunds) as refunds,
      (select count(*)::int from ${db.schema}.checkouts) as checkouts,
      (select count(*)::int from ${db.schema}.events where type = 'booking_reserved') as reserved,
      (select count(*)::int from ${db.schema}.events where type = 'booking_confirmed') as confirmations,
      (select count(*)::int from ${db.schema}.events where type = 'booking_cancelled') as cancellations`,
    [soon],
  );
  expect(rows[0]).toEqual({
    confirmed: kept,
    cancelled: stories / 3,
    payments: stories,
    refunds: stories / 3,
    checkouts: stories,
    reserved: stories,
    confirmations: stories,
    cancellations: stories / 3,
  });
  expect((await db.bookonce.audit()).problems).toEqual([]);
});

test("connections that died while idle are replaced without an error to anyone", async () => {
  const shop = db.another();
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 8 }, () => shop.resources.list()));
    await terminateOurs();
    expect(await untilAnswered(() => story(shop, "nobody", round).then((outcome) => ({ outcome })))).toEqual({
      outcome: "unknown_resource",
    });
  }
});
