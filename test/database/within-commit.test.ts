import type { BookingView, Verbs } from "bookonce";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { digestOf } from "../support/fixtures.ts";
import { type Application, applications, byRecipe, orders } from "./callers.ts";

const all: typeof applications = { ...applications, ...byRecipe };

let db: TestDatabase;
let days = 1;
beforeAll(async () => {
  db = await createTestDatabase();
  await db.pool.query("create table orders (id text primary key)");
  await db.bookonce.resources.put({ id: "anna" });
});
afterAll(() => db.drop());

/** Another day each time, so that no test stands in another's way. */
function slot(customer: string) {
  days += 1;
  const start = new Date(Date.now() + days * 86_400_000);
  return { customer, resources: ["anna"], start, duration: { minutes: 60 }, price: { amount: 5, currency: "XTR" } };
}

async function reserve(verbs: Verbs): Promise<BookingView> {
  const reserved = await verbs.reserveSlot(slot(`customer ${days}`));
  if (reserved.outcome === "refused") throw new Error(reserved.reason);
  return reserved.booking;
}

function asked(booking: BookingView) {
  return {
    provider: "telegram_stars",
    account: "1",
    payload: booking.payload,
    payer: booking.customer,
    amount: 5,
    currency: "XTR",
  };
}

interface Step {
  /** What must have happened before, outside the transaction. */
  prepare(): Promise<BookingView | null>;
  run(verbs: Verbs, booking: BookingView | null): Promise<string>;
  readonly outcome: string;
}

function existing(booking: BookingView | null): BookingView {
  if (booking === null) throw new Error("this step needs a booking");
  return booking;
}

const steps: Readonly<Record<string, Step>> = {
  reserveSlot: {
    prepare: async () => null,
    run: async (verbs) => (await verbs.reserveSlot(slot(`somebody ${days}`))).outcome,
    outcome: "reserved",
  },
  decidePreCheckout: {
    prepare: () => reserve(db.bookonce),
    run: async (verbs, booking) =>
      (await verbs.decidePreCheckout({ ...asked(existing(booking)), checkoutId: existing(booking).id })).outcome,
    outcome: "approved",
  },
  confirmPayment: {
    prepare: () => reserve(db.bookonce),
    run: async (verbs, booking) =>
      (await verbs.confirmPayment({ ...asked(existing(booking)), chargeId: existing(booking).id })).outcome,
    outcome: "booked",
  },
  "cancel, of a paid booking": {
    async prepare() {
      const booking = await reserve(db.bookonce);
      await db.bookonce.confirmPayment({ ...asked(booking), chargeId: `paid ${booking.id}` });
      return booking;
    },
    run: async (verbs, booking) =>
      (await verbs.cancel({ bookingId: existing(booking).id, customer: existing(booking).customer })).outcome,
    outcome: "cancelled",
  },
};

describe.each(Object.keys(all))("in a transaction of the application's, with %s (O4)", (name) => {
  let application: Application;
  beforeAll(() => {
    const open = all[name];
    if (open === undefined) throw new Error(name);
    application = open(db);
  });
  afterAll(() => application.close());

  test.each(Object.entries(steps))("%s and the application's row are committed together", async (verb, step) => {
    const booking = await step.prepare();
    const before = await digestOf(db);
    const order = `${name} ${verb} committed`;
    const outcome = await application.transaction(async ({ bookonce, run }) => {
      const answered = await step.run(bookonce, booking);
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
    const booking = await step.prepare();
    const before = await digestOf(db);
    const order = `${name} ${verb} rolled back`;
    const reason = new Error("the application's own reason");
    const running = application.transaction(async ({ bookonce, run }) => {
      await run(`insert into orders values ('${order}')`);
      expect(await step.run(bookonce, booking)).toBe(step.outcome);
      throw reason;
    });
    await expect(running).rejects.toBe(reason);
    expect(await digestOf(db)).toBe(before);
    expect(await orders(db)).not.toContain(order);
    // What was rolled back can be done again.
    expect(await step.run(db.bookonce, booking)).toBe(step.outcome);
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
