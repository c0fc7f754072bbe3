import { PGlite } from "@electric-sql/pglite";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { createBookonce } from "bookonce";
import { pgliteDatabase } from "bookonce/pglite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aResource, book, preCheckout, receipt, reserve, soon } from "../support/fixtures.ts";

let pglite: PGlite;
beforeAll(async () => {
  pglite = await PGlite.create({ extensions: { btree_gist } });
  await shop().migrate();
});
afterAll(() => pglite.close());

function shop() {
  return createBookonce({ database: pgliteDatabase(pglite) });
}

test("the whole way of a booking works inside the process", async () => {
  const resource = await aResource(shop());
  const booking = await book(shop(), { resources: [resource] });
  expect(await reserve(shop(), { resources: [resource] })).toMatchObject({ outcome: "refused", reason: "slot_taken" });
  expect(await preCheckout(shop(), booking)).toMatchObject({ outcome: "approved" });
  expect(await receipt(shop(), booking)).toMatchObject({ outcome: "booked" });
  expect(await shop().cancel({ bookingId: booking.id, customer: booking.customer })).toMatchObject({
    outcome: "cancelled",
  });
  expect((await shop().audit()).problems).toEqual([]);
});

test("within() commits and rolls back with the application's transaction (O4)", async () => {
  await pglite.exec("create table orders (id text primary key)");
  const resources = [await aResource(shop())];
  const input = { customer: "c", resources, start: soon, duration: { minutes: 60 } };
  const running = pglite.transaction(async (tx) => {
    await tx.exec("insert into orders values ('rolled back')");
    expect(await shop().within(tx).reserveSlot(input)).toMatchObject({ outcome: "reserved" });
    throw new Error("the application's own");
  });
  await expect(running).rejects.toThrow("the application's own");
  await pglite.transaction(async (tx) => {
    await tx.exec("insert into orders values ('kept')");
    expect(await shop().within(tx).reserveSlot(input)).toMatchObject({ outcome: "reserved" });
  });
  expect((await pglite.query("select id from orders")).rows).toEqual([{ id: "kept" }]);
});

test("without the btree_gist extension migrate() says what to do", async () => {
  const bare = await PGlite.create();
  const running = createBookonce({ database: pgliteDatabase(bare) }).migrate();
  await expect(running).rejects.toMatchObject({
    code: "not_migrated",
    message: expect.stringContaining("extensions: { btree_gist }"),
  });
  await bare.close();
});
