import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { preCheckout, receipt, unique } from "../support/fixtures.ts";
import { aService, ask, at, have, span, takenAt } from "../verbs/schedule/support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function places(capacity: number): Promise<string> {
  return (await db.bookonce.resources.put({ id: unique("hall"), kind: "counted", capacity })).id;
}

/** How many more can be had at the hour: what the list says, checked against a claim that asks for more. */
async function leftAt(hall: string, hours: number): Promise<number> {
  const service = await aService(db.bookonce, { resources: [hall] });
  const [slot] = await db.bookonce.slots.find({ service, ...span(hours, hours + 1) });
  const left = slot?.left ?? 0;
  const more = await ask(db.bookonce, { resources: [{ resource: hall, quantity: left + 1 }], start: at(hours) });
  expect(more).toMatchObject({ outcome: "refused", reason: "no_capacity", left });
  return left;
}

const price = { amount: 50, currency: "XTR" };

describe("R109: a capacity can be changed under way", () => {
  test("raising it opens the place at once; lowering it below what is sold breaks nothing", async () => {
    const hall = await places(1);
    const first = await have(db.bookonce, { resources: [hall], start: at(10), price });
    expect(await leftAt(hall, 10)).toBe(0);
    await db.bookonce.resources.put({ id: hall, capacity: 2 });
    expect(await leftAt(hall, 10)).toBe(1);
    const second = await have(db.bookonce, { resources: [hall], start: at(10), price });
    await db.bookonce.resources.put({ id: hall, capacity: 1 });
    expect(await leftAt(hall, 10)).toBe(0);
    // Both were sold while there was room: both are paid, neither is thrown out.
    expect(await preCheckout(db.bookonce, first)).toMatchObject({ outcome: "approved" });
    expect(await receipt(db.bookonce, first)).toMatchObject({ outcome: "booked" });
    expect(await receipt(db.bookonce, second)).toMatchObject({ outcome: "booked" });
    expect(await takenAt(db.bookonce, hall, 10)).toBe(2);
    await db.bookonce.cancel({ bookingId: first.id, customer: first.customer });
    expect(await leftAt(hall, 10)).toBe(0);
    await db.bookonce.cancel({ bookingId: second.id, customer: second.customer });
    expect(await leftAt(hall, 10)).toBe(1);
  });

  test("a hall of no places refuses everybody, and takes guests again when it has some", async () => {
    const hall = await places(0);
    expect(await ask(db.bookonce, { resources: [hall], start: at(10) })).toMatchObject({
      reason: "no_capacity",
      left: 0,
    });
    await db.bookonce.resources.put({ id: hall, capacity: 1 });
    expect((await ask(db.bookonce, { resources: [hall], start: at(10) })).outcome).toBe("reserved");
  });
});

describe("R23, B5: raw SQL that keeps none of our rules is refused by the database when it commits", () => {
  /** The SQLSTATE and message by which PostgreSQL refused, or that it did not. */
  const attempt = async (text: string, values: unknown[]): Promise<string> => {
    try {
      await db.pool.query(text.replaceAll("{}", db.schema), values);
      return "accepted";
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      return `${error.code} ${error.message}`;
    }
  };
  const copy = `insert into {}.claims (booking_id, number, resource_id, session_id, session_capacity, exclusive, quantity,
      starts_at, ends_at, live_from, live_until)
    select $1, 60 + (random() * 1e6)::int, resource_id, session_id, session_capacity, exclusive, $2, starts_at, ends_at, {}.clock(), null
    from {}.claims where booking_id = $3 limit 1`;

  test("more than the capacity is refused, exactly the capacity is accepted", async () => {
    const hall = await places(3);
    const held = await have(db.bookonce, { resources: [hall], start: at(10) });
    const other = await have(db.bookonce, { resources: [await places(1)], start: at(10) });
    expect(await attempt(copy, [other.id, 3, held.id])).toBe(`23P01 no place left on ${hall}`);
    expect(await attempt(copy, [other.id, 2, held.id])).toBe("accepted");
    expect(await attempt(copy, [other.id, 1, held.id])).toMatch("23P01");
    expect(await takenAt(db.bookonce, hall, 10)).toBe(3);
  });

  test("two transactions that do not see each other cannot both take the last place", async () => {
    const hall = await places(2);
    const held = await have(db.bookonce, { resources: [hall], start: at(10) });
    const other = await have(db.bookonce, { resources: [await places(1)], start: at(10) });
    const [one, two] = [await db.pool.connect(), await db.pool.connect()];
    for (const session of [one, two]) {
      await session.query("begin");
      await session.query(copy.replaceAll("{}", db.schema), [other.id, 1, held.id]);
    }
    const commits = await Promise.allSettled([one.query("commit"), two.query("commit")]);
    one.release();
    two.release();
    expect(commits.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await takenAt(db.bookonce, hall, 10)).toBe(2);
  });

  test("more than the places of a session are refused", async () => {
    const service = await aService(db.bookonce, { session: { capacity: 2 } });
    const first = await have(db.bookonce, { service, start: at(10), confirm: true });
    const other = await have(db.bookonce, { resources: [await places(1)], start: at(10) });
    expect(await attempt(copy, [other.id, 2, first.id])).toMatch(/^23P01 no place left in session/);
    expect(await attempt(copy, [other.id, 1, first.id])).toBe("accepted");
    expect(await attempt(copy, [other.id, 1, first.id])).toMatch("23P01");
  });

  test("what was sold before a capacity was lowered can still be closed, extended and confirmed", async () => {
    const hall = await places(2);
    const first = await have(db.bookonce, { resources: [hall], quantity: 2, start: at(10) });
    await db.bookonce.resources.put({ id: hall, capacity: 1 });
    const extend = "update {}.claims set live_until = null where booking_id = $1";
    expect(await attempt(extend, [first.id])).toBe("accepted");
    expect(await attempt("update {}.claims set live_until = {}.clock() where booking_id = $1", [first.id])).toBe(
      "accepted",
    );
    expect(await takenAt(db.bookonce, hall, 10)).toBe(0);
  });
});
