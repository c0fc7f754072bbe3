import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "./support/database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test("a slot can be reserved, and lapses when the database clock moves on", async () => {
  await db.bookonce.resources.put({ id: "anna" });
  const start = new Date(Date.now() + 86_400_000);
  const reserve = (customer: string) =>
    db.bookonce.reserveSlot({
      customer,
      resources: ["anna"],
      start,
      duration: { minutes: 60 },
      price: { amount: 5, currency: "XTR" },
    });
  expect(await reserve("a")).toMatchObject({ outcome: "reserved" });
  expect(await reserve("b")).toMatchObject({ outcome: "refused", reason: "slot_taken" });
  await db.clock.advance(15 * 60_000);
  expect(await reserve("b")).toMatchObject({ outcome: "reserved" });
});
