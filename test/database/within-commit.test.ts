import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { digestOf } from "../support/fixtures.ts";
import { offering } from "../support/waiting.ts";
import { type Application, applications, byRecipe, orders } from "./callers.ts";
import { verbSteps } from "./verb-steps.ts";

const all: typeof applications = { ...applications, ...byRecipe };

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  await db.pool.query("create table orders (id text primary key)");
  await db.bookonce.resources.put({ id: "anna" });
  await offering(db.bookonce, "cut");
});
afterAll(() => db.drop());

const { slot, reserve, asked, steps } = verbSteps(() => db);

test("every verb that a transaction can have is tried in one", () => {
  const { previewCancel: _, waitlist, ...verbs } = db.bookonce.within({ query: async () => ({ rows: [] }) });
  const names = [...Object.keys(verbs), ...Object.keys(waitlist).map((name) => `waitlist.${name}`)];
  expect(new Set(Object.keys(steps).map((name) => name.split(",")[0]))).toEqual(new Set(names));
});

describe.each(Object.keys(all))("in a transaction of the application's, with %s (O4)", (name) => {
  let application: Application;
  beforeAll(() => {
    const open = all[name];
    if (open === undefined) throw new Error(name);
    application = open(db);
  });
  afterAll(() => application.close());

  test.each(Object.entries(steps))("%s and the application's row are committed together", async (verb, step) => {
    const act = await step.prepare();
    const before = await digestOf(db);
    const order = `${name} ${verb} committed`;
    const outcome = await application.transaction(async ({ bookonce, run }) => {
      const answered = await act(bookonce);
      await run(`insert into orders values ('${order}')`);
      // Nobody else sees either of them yet.
      expect(await digestOf(db)).toBe(before);
      expect(await orders(db)).not.toContain(order);
      return answered;
    });
    expect(outcome).toBe(step.outcome);
    expect(await digestOf(db)).not.toBe(before);
    expect(await orders(db)).toContain(order);
  });

  test.each(Object.entries(steps))("%s and the application's row are rolled back together", async (verb, step) => {
    const act = await step.prepare();
    const before = await digestOf(db);
    const order = `${name} ${verb} rolled back`;
    const reason = new Error("the application's own reason");
    const running = application.transaction(async ({ bookonce, run }) => {
      await run(`insert into orders values ('${order}')`);
      expect(await act(bookonce)).toBe(step.outcome);
      throw reason;
    });
    await expect(running).rejects.toBe(reason);
    expect(await digestOf(db)).toBe(before);
    expect(await orders(db)).not.toContain(order);
    // What was rolled back can be done again.
    expect(await act(db.bookonce)).toBe(step.outcome);
  });

  test("several verbs in one transaction see each other's work", async () => {
    const outcomes = await application.transaction(async ({ bookonce }) => {
      const booking = await reserve(bookonce);
      const approved = await bookonce.decidePreCheckout({ ...asked(booking), checkoutId: `chain ${name}` });
      const paid = await bookonce.confirmPayment({ ...asked(booking), chargeId: `chain ${name}` });
      const cancelled = await bookonce.cancel({ bookingId: booking.id, administrator: "shop" });
      return [approved.outcome, paid.outcome, cancelled.outcome];
    });
    expect(outcomes).toEqual(["approved", "booked", "cancelled"]);
  });

  test("two calls that were not awaited run one after the other, and only one gets the slot (B1)", async () => {
    const wanted = slot("first");
    const outcomes = await application.transaction(({ bookonce }) =>
      Promise.all([bookonce.reserveSlot(wanted), bookonce.reserveSlot({ ...wanted, customer: "second" })]),
    );
    expect(outcomes).toMatchObject([{ outcome: "reserved" }, { outcome: "refused", reason: "slot_taken" }]);
  });

  test("a refusal is an outcome, and the transaction goes on", async () => {
    const wanted = slot("the first");
    await db.bookonce.reserveSlot(wanted);
    await application.transaction(async ({ bookonce, run }) => {
      const second = await bookonce.reserveSlot({ ...wanted, customer: "the second" });
      expect(second).toMatchObject({ outcome: "refused", reason: "slot_taken" });
      await run(`insert into orders values ('${name} after a refusal')`);
    });
    expect(await orders(db)).toContain(`${name} after a refusal`);
  });

  test("bad input is refused before anything is sent, and the transaction goes on (O6)", async () => {
    await application.transaction(async ({ bookonce, run }) => {
      await expect(bookonce.cancel({ bookingId: "nonsense", customer: "x" })).rejects.toMatchObject({
        code: "invalid_input",
      });
      await run("select 1");
    });
  });
});
