import { createBookonce, type Database, type Transaction, type TransactionOptions } from "bookonce";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { type Shop, unique } from "../support/fixtures.ts";
import { at, hour, offering, offerOf, sold, statesOf, ten, waits } from "../support/waiting.ts";

// B12, R63: what the line is promised holds when somebody takes a place between the plan of the offers and the offers.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

type Strike = (nth: number) => Promise<unknown>;

/** An instance in whose ticks something happens before each lock that an offer takes: the plan has been made by then. */
function struck(strike: Strike, order: "skip" | "strict" = "skip"): Shop {
  let locks = 0;
  const database: Database = {
    join: (caller) => db.database.join(caller as never),
    transaction<Result>(options: TransactionOptions, work: (transaction: Transaction) => Promise<Result>) {
      return db.database.transaction(options, (tx) =>
        work({
          async send(statements, more) {
            if (statements.some(({ text }) => text.includes("pg_advisory_xact_lock"))) {
              locks += 1;
              await strike(locks);
            }
            return tx.send(statements, more);
          },
        }),
      );
    },
  };
  return createBookonce({ schema: testSchema, database, policies: { waitlist: { order } } });
}

/** Whoever comes by takes these hours, one before each offer. */
function takesBeforeOffers(service: string, ...starts: readonly Date[]): Strike {
  return async (nth) => {
    const start = starts[nth - 1];
    if (start !== undefined) await sold(db.bookonce, service, unique("rival"), { start });
  };
}

test("R63: when the place of the first is taken between plan and offer, she gets the next one, not the second in line", async () => {
  const service = await offering(db.bookonce, "cut", { hours: true });
  const window = { from: ten, to: new Date(ten.getTime() + 2 * hour) };
  const first = await waits(db.bookonce, service, "first", window);
  const second = await waits(db.bookonce, service, "second", window);
  const shop = struck(takesBeforeOffers(service, ten));
  expect(await shop.waitlist.tick()).toMatchObject({ offered: 1 });
  expect(await statesOf(db.bookonce, [first, second])).toEqual(["offered", "waiting"]);
  expect((await offerOf(db.bookonce, first)).start).toEqual(at(11));
});

test("R63: under strict the first, whose only place is taken between plan and offer, blocks those behind", async () => {
  const service = await offering(db.bookonce, "cut", { hours: true });
  const first = await waits(db.bookonce, service, "first");
  const second = await waits(db.bookonce, service, "second", { from: at(11), to: at(12) });
  const shop = struck(takesBeforeOffers(service, ten), "strict");
  expect(await shop.waitlist.tick()).toMatchObject({ offered: 0 });
  expect(await statesOf(db.bookonce, [first, second])).toEqual(["waiting", "waiting"]);
});

test("who left the line between plan and offer leaves her place to the next", async () => {
  const service = await offering(db.bookonce, "cut", { hours: true });
  const window = { from: ten, to: new Date(ten.getTime() + 2 * hour) };
  const first = await waits(db.bookonce, service, "first", window);
  const second = await waits(db.bookonce, service, "second", window);
  const shop = struck(async (nth) => {
    if (nth === 1) await db.bookonce.waitlist.leave({ entryId: first.id, customer: "first" });
  });
  expect(await shop.waitlist.tick()).toMatchObject({ offered: 1 });
  expect((await offerOf(db.bookonce, second)).start).toEqual(ten);
});

test.each([
  ["skip", "offered", 1],
  ["strict", "waiting", 0],
] as const)(
  "who is beaten to her place three times in one tick keeps it from nobody under %s",
  async (order, state, offered) => {
    const service = await offering(db.bookonce, "cut", { hours: true });
    const unlucky = await waits(db.bookonce, service, "unlucky", { from: at(10), to: at(14) });
    const behind = await waits(db.bookonce, service, "behind", { from: at(10), to: at(14) });
    const shop = struck(takesBeforeOffers(service, at(10), at(11), at(12)), order);
    expect(await shop.waitlist.tick()).toMatchObject({ offered });
    expect(await statesOf(db.bookonce, [unlucky, behind])).toEqual(["waiting", state]);
    await db.bookonce.waitlist.tick();
  },
);

test("an offer that fails keeps nobody behind it waiting, is told at the end, and other services are served first", async () => {
  const { bookonce } = db;
  const [cut, shave] = [await offering(bookonce, "cut", { hours: true }), await offering(bookonce, "shave")];
  const window = { from: ten, to: new Date(ten.getTime() + 2 * hour) };
  const first = await waits(bookonce, cut, "first", window);
  const second = await waits(bookonce, cut, "second", window);
  const other = await waits(bookonce, shave, "other");
  const shop = struck(async (nth) => {
    if (nth === 1) throw new Error("a bug");
  });
  await expect(shop.waitlist.tick()).rejects.toMatchObject({ code: "internal" });
  expect(await statesOf(bookonce, [first, second, other])).toEqual(["waiting", "offered", "offered"]);
});
