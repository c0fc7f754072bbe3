import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dumpFile, dumpSchema } from "../../scripts/dump-schema.ts";
import { generatedMigrations } from "../../scripts/generate-migrations.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test("the migrations make the schema that test/store/schema.sql shows", async () => {
  // Meant to change? `npx tsx scripts/dump-schema.ts` writes it anew; the difference belongs into the review.
  expect(await dumpSchema(db.url)).toBe(readFileSync(dumpFile, "utf8"));
});

test("the migrations that are shipped are those of src/store/migrations", () => {
  // They are not? `npx tsx scripts/generate-migrations.ts` writes them anew.
  const shipped = readFileSync(new URL("../../src/store/migrations.generated.ts", import.meta.url), "utf8");
  expect(shipped).toBe(generatedMigrations());
});
