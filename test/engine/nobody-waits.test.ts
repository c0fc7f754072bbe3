import { createBookonce } from "bookonce";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { aResource, book, count, query, reserve } from "../support/fixtures.ts";
import { lockResource } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test("S3: a pre-checkout that was answered no, because its time was over, is not approved afterwards by its batch", async () => {
  const [stuck, anna] = [await aResource(db.bookonce), await aResource(db.bookonce)];
  const booking = await book(db.bookonce, { resources: [anna] });
  const shop = createBookonce({ database: db.database, schema: testSchema, batch: { inFlight: 1 } });
  const unlock = await lockResource(db, stuck);
  const asked = query(booking);
  const neighbour = reserve(shop, { resources: [stuck] });
  const no = await shop.decidePreCheckout(asked, { budgetMs: 200 });
  await unlock();
  expect(no).toMatchObject({ outcome: "declined", reason: "unavailable" });
  expect(await neighbour).toMatchObject({ outcome: "reserved" });
  expect(await count(db, "checkouts", "external_id = $1", [asked.checkoutId])).toBe(0);
  expect(await db.bookonce.decidePreCheckout(query(booking))).toMatchObject({ outcome: "approved" });
});

test("B4: what was given up by its signal is not done by its batch either", async () => {
  const [stuck, anna] = [await aResource(db.bookonce), await aResource(db.bookonce)];
  const shop = createBookonce({ database: db.database, schema: testSchema, batch: { inFlight: 1 } });
  const unlock = await lockResource(db, stuck);
  const giveUp = new AbortController();
  const neighbour = reserve(shop, { resources: [stuck] });
  const input = { customer: "c", resources: [anna], start: booked, duration: { minutes: 60 } };
  const given = shop.reserveSlot(input, { signal: giveUp.signal });
  setTimeout(() => giveUp.abort(), 100);
  expect(await given).toMatchObject({ outcome: "refused", reason: "busy" });
  await unlock();
  expect(await neighbour).toMatchObject({ outcome: "reserved" });
  expect(await count(db, "claims", "resource_id = $1", [anna])).toBe(0);
});

const booked = new Date(Date.now() + 50 * 86_400_000);
