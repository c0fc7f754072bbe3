import { createBookonce } from "bookonce";
import { afterAll, beforeAll, expect, test } from "vitest";
import { counted } from "../engine/support.ts";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { aResource, type Shop, soon, unique } from "../support/fixtures.ts";
import { at, offering, statesOf, waits } from "../support/waiting.ts";

// O6: each factor is small enough, and what they make together is more than a column holds.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const many = 100_000;
const duration = { minutes: 60 };
const tooMany = {
  code: "invalid_input",
  problems: [{ path: "quantity", message: expect.stringContaining("too many") }],
};

/** A service that takes a hundred thousand places of a hall for each of its party. */
async function serviceOfAHall(shop: Shop): Promise<string> {
  const hall = await shop.resources.put({ id: unique("hall"), kind: "counted", capacity: many });
  const resources = [{ resource: hall.id, quantity: many }];
  return (await shop.services.put({ id: unique("fair"), duration, resources })).id;
}

async function dearService(shop: Shop, amount: number): Promise<string> {
  const resources = [(await shop.resources.put({ id: unique("hall"), kind: "counted", capacity: many })).id];
  return (await shop.services.put({ id: unique("dear"), duration, resources, price: { amount, currency: "UZS" } })).id;
}

test("more places than can be counted are refused with the quantity named, and cost their neighbours no second transaction", async () => {
  const { database, transactions } = counted(db.database);
  const shop = createBookonce({ database, schema: testSchema, batch: { inFlight: 1 } });
  const [anna, boris] = [await aResource(shop), await aResource(shop)];
  const before = transactions();
  const [refused, neighbour] = await Promise.allSettled([
    shop.reserveSlot({
      customer: "x",
      resources: [{ resource: anna, quantity: many }],
      quantity: many,
      start: soon,
      duration,
    }),
    shop.reserveSlot({ customer: "y", resources: [boris], start: soon, duration }),
  ]);
  expect(refused).toMatchObject({ status: "rejected", reason: tooMany });
  expect(neighbour).toMatchObject({ status: "fulfilled", value: { outcome: "reserved" } });
  expect(transactions() - before).toBe(1);
});

test.each([
  [
    "reserveSlot",
    (shop: Shop, service: string) => shop.reserveSlot({ customer: "x", service, quantity: many, start: soon }),
  ],
  ["slots.explain", (shop: Shop, service: string) => shop.slots.explain({ service, quantity: many, start: soon })],
  [
    "waitlist.join",
    (shop: Shop, service: string) =>
      shop.waitlist.join({
        customer: "x",
        service,
        quantity: many,
        from: at(10),
        to: at(11),
        consent: { text: "yes" },
      }),
  ],
])("%s refuses a party whose places are too many for its service, and one whose price is", async (_, ask) => {
  const { bookonce } = db;
  await expect(ask(bookonce, await serviceOfAHall(bookonce))).rejects.toMatchObject(tooMany);
  // Within a bigint, and past what a JavaScript number counts; and past both.
  for (const amount of [9_000_000_000_000, Number.MAX_SAFE_INTEGER])
    await expect(ask(bookonce, await dearService(bookonce, amount))).rejects.toMatchObject(tooMany);
});

test("the largest price that can be counted is one", async () => {
  const service = await dearService(db.bookonce, Math.floor(Number.MAX_SAFE_INTEGER / 1_000));
  const outcome = await db.bookonce.reserveSlot({ customer: "x", service, quantity: 1_000, start: soon });
  expect(outcome).toMatchObject({
    outcome: "reserved",
    booking: { price: { amount: Math.floor(Number.MAX_SAFE_INTEGER / 1_000) * 1_000 } },
  });
});

test("a price of one's own is not multiplied", async () => {
  const service = await dearService(db.bookonce, Number.MAX_SAFE_INTEGER);
  const price = { amount: 5, currency: "UZS" };
  const outcome = await db.bookonce.reserveSlot({ customer: "x", service, quantity: 10, price, start: soon });
  expect(outcome).toMatchObject({ outcome: "reserved", booking: { price } });
});

test("an entry that has become uncountable, because its service was changed, is offered nothing and keeps nobody waiting", async () => {
  const { bookonce } = db;
  const service = await offering(bookonce, unique("hall"), { capacity: many });
  const party = await waits(bookonce, service, "party", { quantity: 50_000 });
  const one = await waits(bookonce, service, "one");
  const resources = [{ resource: `${service}-room`, quantity: 50_000 }];
  await bookonce.services.put({ id: service, duration, resources });
  expect(await bookonce.waitlist.tick()).toMatchObject({ offered: 1 });
  expect(await statesOf(bookonce, [party, one])).toEqual(["waiting", "offered"]);
});

test("what begins in the last year that can be asked for can be stored, with the longest duration and buffers", async () => {
  const anna = await aResource(db.bookonce);
  const after = { hours: 24 * 24 };
  const ask = (start: string) =>
    db.bookonce.reserveSlot({
      customer: "x",
      resources: [anna],
      start,
      duration: { hours: 366 * 24 },
      buffers: { after },
    });
  expect(await ask("9989-12-31T23:00:00Z")).toMatchObject({ outcome: "reserved" });
  await expect(ask("9990-01-01T00:00:00Z")).rejects.toMatchObject({ code: "invalid_input" });
});

test("buffers that a column does not hold are refused, for a booking and for a service", async () => {
  const resources = [await aResource(db.bookonce)];
  const buffers = { before: { hours: 24 * 24, milliseconds: 1 } };
  const problems = [{ path: "buffers.before", message: "must be 24 days at most" }];
  const booking = db.bookonce.reserveSlot({ customer: "x", resources, start: soon, duration, buffers });
  await expect(booking).rejects.toMatchObject({ code: "invalid_input", problems });
  const service = db.bookonce.services.put({ id: unique("long"), duration, resources, buffers });
  await expect(service).rejects.toMatchObject({ code: "invalid_input", problems });
});
