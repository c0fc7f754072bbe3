import { createBookonce, type ReserveSlotOutcome } from "bookonce";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { aResource, book, hoursLater, query, reserve, type Shop, soon, unique } from "../support/fixtures.ts";
import { expectSound } from "../support/schedule-invariants.ts";
import { counted } from "./support.ts";

// A command decides on what the commands before it in its batch have left. Where it did not, the constraints would refuse the batch, and
// each command would run again alone: the answers would be right all the same, and only the count of transactions tells.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

interface Batch {
  readonly shop: Shop;
  /** Transactions since it was asked last. */
  readonly transactions: () => number;
}

function oneBatch(): Batch {
  const { database, transactions } = counted(db.database);
  let before = 0;
  return {
    shop: createBookonce({ database, schema: testSchema, batch: { inFlight: 1 } }),
    transactions() {
      const since = transactions() - before;
      before = transactions();
      return since;
    },
  };
}

const told = (outcomes: readonly ReserveSlotOutcome[]) =>
  outcomes.map((one) => (one.outcome === "refused" ? one.reason : one.outcome));

async function ask(resource: string, racers: number, over = {}): Promise<{ told: string[]; resources: string[] }> {
  const { shop, transactions } = oneBatch();
  const asking = Array.from({ length: racers }, () => reserve(shop, { resources: [resource], ...over }));
  const outcomes = await Promise.all(asking);
  expect(transactions()).toBe(1);
  await expectSound(db);
  const resources = outcomes.flatMap((one) => (one.outcome === "reserved" ? one.booking.resources : []));
  return { told: told(outcomes), resources };
}

describe("rivals in one batch are decided in one transaction, first come, first served", () => {
  test("one exclusive resource (B2)", async () => {
    expect((await ask(await aResource(db.bookonce), 3)).told).toEqual(["reserved", "slot_taken", "slot_taken"]);
  });

  test("times that only their buffers bring together (B2)", async () => {
    const anna = await aResource(db.bookonce);
    const { shop, transactions } = oneBatch();
    const buffers = { after: { minutes: 15 } };
    const asking = [0, 1, 2].map((hours) => reserve(shop, { resources: [anna], start: hoursLater(hours), buffers }));
    expect(told(await Promise.all(asking))).toEqual(["reserved", "slot_taken", "reserved"]);
    expect(transactions()).toBe(1);
  });

  test("a counted resource (B3)", async () => {
    const hall = (await db.bookonce.resources.put({ id: unique("hall"), kind: "counted", capacity: 3 })).id;
    expect((await ask(hall, 2, { quantity: 2 })).told).toEqual(["reserved", "no_capacity"]);
  });

  test("a pool gives each another member", async () => {
    const members = [await aResource(db.bookonce, "anna"), await aResource(db.bookonce, "boris")];
    const pool = (await db.bookonce.resources.put({ id: unique("masters"), kind: "pool", members })).id;
    const { told: outcomes, resources } = await ask(pool, 3);
    expect(outcomes).toEqual(["reserved", "reserved", "pool_full"]);
    expect(resources).toEqual(members);
  });

  test("a group session comes to one member of a pool, and has its places", async () => {
    const members = [await aResource(db.bookonce, "anna"), await aResource(db.bookonce, "boris")];
    const pool = (await db.bookonce.resources.put({ id: unique("masters"), kind: "pool", members })).id;
    const yoga = unique("yoga");
    const service = { id: yoga, duration: { minutes: 60 }, resources: [pool], session: { capacity: 2 } };
    await db.bookonce.services.put(service);
    const { shop } = oneBatch();
    const asking = [1, 2, 3].map((turn) => shop.reserveSlot({ customer: `c${turn}`, service: yoga, start: soon }));
    const outcomes = await Promise.all(asking);
    // Each reads the service first, and they come in the order of those answers.
    expect(told(outcomes).sort()).toEqual(["no_capacity", "reserved", "reserved"]);
    const resources = outcomes.flatMap((one) => (one.outcome === "reserved" ? one.booking.resources : []));
    expect(new Set(resources).size).toBe(1);
    await expectSound(db);
  });

  test("pre-checkouts of many invoices for one time (S5)", async () => {
    const anna = await aResource(db.bookonce);
    const invoices = [];
    for (let buyer = 0; buyer < 8; buyer += 1) {
      invoices.push(await book(db.bookonce, { resources: [anna], claim: "at_checkout" }));
    }
    const { shop, transactions } = oneBatch();
    const answers = await Promise.all(invoices.map((invoice) => shop.decidePreCheckout(query(invoice))));
    expect(answers.map(({ outcome }) => outcome)).toEqual(["approved", ...Array(7).fill("declined")]);
    expect(transactions()).toBe(1);
    await expectSound(db);
  });

  test("the same intention twice is one booking (B8)", async () => {
    const anna = await aResource(db.bookonce);
    expect((await ask(anna, 2, { customer: unique("maria") })).told).toEqual(["reserved", "existing"]);
  });
});
