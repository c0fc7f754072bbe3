import { createBookonce } from "bookonce";
import { type OwnedPgDatabase, pgDatabase } from "bookonce/pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { aResource, book, preCheckout, receipt, reserve, type Shop, sell, soon, unique } from "../support/fixtures.ts";

let db: TestDatabase;
let blind: OwnedPgDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  const url = new URL(db.url);
  // Every connection of this pool has no search path at all: what is not qualified is not found.
  url.searchParams.set("options", "-c search_path=");
  blind = pgDatabase({ connectionString: url.href });
});
afterAll(async () => {
  await blind.close();
  await db.drop();
});

/** Every verb, outbox and report once. */
async function everything(shop: Shop): Promise<void> {
  const resource = await aResource(shop);
  await shop.resources.list();
  const booking = await book(shop, { resources: [resource], requestId: unique("request") });
  expect(await reserve(shop, { resources: [resource] })).toMatchObject({ reason: "slot_taken" });
  expect(await preCheckout(shop, booking)).toMatchObject({ outcome: "approved" });
  const checkoutId = unique("query");
  expect(await preCheckout(shop, booking, { checkoutId })).toMatchObject({ reason: "payment_in_progress" });
  expect(await receipt(shop, booking)).toMatchObject({ outcome: "booked" });
  const surplus = await receipt(shop, booking);
  expect(surplus).toMatchObject({ outcome: "surplus" });
  expect(await receipt(shop, booking, { amount: 1 })).toMatchObject({ outcome: "mismatch" });
  const sold = await sell(shop);
  expect(await shop.cancel({ bookingId: sold.booking.id, customer: sold.booking.customer })).toMatchObject({
    outcome: "cancelled",
  });
  const refunder = { provider: "telegram_stars", refund: async () => ({ answer: "refunded", by: "test" }) as const };
  expect(await shop.refunds.run(refunder)).toMatchObject({ completed: 2 });
  expect((await shop.events.run(async () => undefined)).delivered).toBeGreaterThan(5);
  await shop.refunds.list();
  await shop.refunds.ofPayment(sold.paymentId);
  await shop.sweep();
  const [review] = await shop.reviews.list();
  if (review !== undefined) await shop.reviews.close({ paymentId: review.id, actor: "shop", note: "settled by hand" });
  const problems = (await shop.audit()).problems;
  expect(problems).toEqual([]);
}

test("all SQL is schema-qualified: everything works with an empty search_path", async () => {
  await blind.transaction(
    { lockTimeoutMs: 1_000, statementTimeoutMs: 1_000, idleTimeoutMs: 1_000 },
    async (transaction) => {
      const [path] = await transaction.send([{ text: "select current_setting('search_path') as result", values: [] }]);
      expect(path).toBe("");
    },
  );
  await everything(createBookonce({ database: blind, schema: testSchema }));
});

test("all SQL is schema-qualified: everything works with an empty search_path, under an odd schema name", async () => {
  const shop = createBookonce({ database: blind, schema: 'Odd "schema". name' });
  await shop.migrate();
  await everything(shop);
});

test("two schemas in one database do not see each other", async () => {
  const [left, right] = [db.another({ schema: "left" }), db.another({ schema: "right" })];
  await left.migrate();
  await right.migrate();
  await left.resources.put({ id: "anna" });
  expect(await right.resources.list()).toEqual([]);
  expect(await reserve(right, { resources: ["anna"] })).toMatchObject({ reason: "unknown_resource" });
  await right.resources.put({ id: "anna" });
  // The same time of the same name is two slots of two businesses.
  const inLeft = await book(left, { resources: ["anna"], customer: "c", start: soon });
  const inRight = await book(right, { resources: ["anna"], customer: "c", start: soon });
  expect(inRight.id).not.toBe(inLeft.id);
  expect(await preCheckout(right, inLeft)).toMatchObject({ outcome: "declined", reason: "unknown_booking" });
  expect(await right.cancel({ bookingId: inLeft.id, administrator: "shop" })).toMatchObject({
    reason: "unknown_booking",
  });
  expect(await receipt(left, inLeft, { chargeId: "same" })).toMatchObject({ outcome: "booked" });
  expect(await receipt(right, inRight, { chargeId: "same" })).toMatchObject({ outcome: "booked", repeated: false });
  expect((await left.events.run(async () => undefined)).delivered).toBe(2);
  expect((await right.audit()).payments.bought).toBe(1);
});
