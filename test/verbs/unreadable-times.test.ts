import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, book, bookFree, count, day, receipt, soon, unique } from "../support/fixtures.ts";
import { at, hour, offering, statesOf, ten, waits } from "../support/waiting.ts";

// O6: processes of different versions share a database, and zones are new now and then. What one of them cannot read stops nothing else.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase({
    policies: { latePayment: "rebookIfFree" },
    reminders: [
      { kind: "day", before: { days: 1 } },
      { kind: "24h", before: { hours: 24 } },
    ],
  });
});
afterEach(() => db.drop());

const whole = [{ from: "00:00", to: "24:00" }];
const newZone = { schedule: { zone: "America/Newzone", weekly: { monday: whole } }, grid: null };
const unread: readonly (readonly [what: string, rules: unknown])[] = [
  ["a zone that is newer than our zone data", newZone],
  ["a grid of a later version", { schedule: { zone: "UTC", weekly: { monday: whole } }, grid: { every: "moon" } }],
  ["a rule of a later version", { schedule: { zone: "UTC", weekly: {} }, grid: null, season: "summer" }],
  ["nothing", {}],
  ["a list", []],
  ["a number", 7],
  ["a text", "always"],
];

async function spoilResource(id: string, rules: unknown): Promise<void> {
  await db.pool.query(`update ${db.schema}.resources set rules = $2 where id = $1`, [id, JSON.stringify(rules)]);
}

async function spoilService(id: string, rules: unknown): Promise<void> {
  await db.pool.query(
    `update ${db.schema}.services set definition = jsonb_set(definition, '{rules}', $2::jsonb) where id = $1`,
    [id, JSON.stringify(rules)],
  );
}

const closed = { reason: "closed", because: "unreadable_rules" };

describe.each(unread)("rules with %s", (_, rules) => {
  test("S11: a late charge is stored and goes back, also where the place would be taken again", async () => {
    const anna = await aResource(db.bookonce);
    const held = await book(db.bookonce, { resources: [anna], hold: { milliseconds: 1 } });
    await spoilResource(anna, rules);
    await db.clock.advance(1_000);
    expect(await receipt(db.bookonce, held)).toMatchObject({ outcome: "late", refund: { amount: 500 } });
  });

  test("B16: a resource is closed, for the claim, the move and the explanation", async () => {
    const anna = await aResource(db.bookonce);
    const moving = await bookFree(db.bookonce);
    const service = await offering(db.bookonce, "cut", { hours: true });
    await spoilResource(anna, rules);
    const refused = { outcome: "refused", ...closed, resource: anna };
    const ask = { customer: "x", resources: [anna], start: soon, duration: { minutes: 60 } };
    expect(await db.bookonce.reserveSlot(ask)).toEqual(refused);
    const move = { bookingId: moving.id, customer: moving.customer, resources: [anna] };
    expect(await db.bookonce.reschedule(move)).toEqual(refused);
    const looked = await db.bookonce.slots.explain({ service, resources: [anna], start: ten });
    expect(looked).toEqual({ claimable: false, refused: { ...closed, resource: anna } });
  });

  test("B16: a service is closed: nothing is listed, a claim is refused, and what was booked is not moved by its rules", async () => {
    const service = await offering(db.bookonce, "cut", { hours: true });
    const booked = await db.bookonce.reserveSlot({ customer: "x", service, start: ten, price: null, confirm: true });
    if (booked.outcome !== "reserved") throw new Error(booked.outcome);
    await spoilService(service, rules);
    const refused = { ...closed, resource: null };
    expect(await db.bookonce.reserveSlot({ customer: "y", service, start: at(11) })).toMatchObject(refused);
    expect(await db.bookonce.slots.explain({ service, start: at(11) })).toEqual({ claimable: false, refused });
    expect(await db.bookonce.slots.find({ service, from: ten, to: at(20) })).toEqual([]);
    expect(await db.bookonce.slots.nextFree({ service })).toEqual([]);
    const move = { bookingId: booked.booking.id, customer: "x", start: at(12) };
    expect(await db.bookonce.reschedule(move)).toMatchObject({ outcome: "refused", ...refused });
    expect(await db.bookonce.cancel({ bookingId: booked.booking.id, customer: "x" })).toMatchObject({
      outcome: "cancelled",
    });
  });

  test("B12: who waits for such a service waits on, and the other services are served", async () => {
    const [bad, good] = [await offering(db.bookonce, "a-bad"), await offering(db.bookonce, "b-good")];
    const entries = [await waits(db.bookonce, bad, "one"), await waits(db.bookonce, good, "two")];
    await spoilService(bad, rules);
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 1 });
    expect(await statesOf(db.bookonce, entries)).toEqual(["waiting", "offered"]);
  });

  test("O3: the doctor names it", async () => {
    await offering(db.bookonce, "cut", { hours: true });
    await spoilService("cut", rules);
    await spoilResource("cut-room", rules);
    const { findings, ok } = await db.bookonce.doctor();
    expect(findings).toMatchObject([{ code: "unreadable_times", severity: "error" }]);
    expect(findings[0]?.message).toContain("resource cut-room, service cut");
    expect(ok).toBe(false);
  });
});

/** Two booked hours, of customers who want reminders; the first in a zone that this process does not know. */
async function oneInANewZone() {
  const [away, here] = [await bookFree(db.bookonce, { confirm: true }), await bookFree(db.bookonce, { confirm: true })];
  for (const { customer } of [away, here]) await db.bookonce.reminders.optIn({ customer, source: "test" });
  await db.pool.query(
    `update ${db.schema}.bookings set zone = 'America/Newzone', wall_date = '2030-01-01', wall_time = '10:00', zone_data = '2099z'
     where id = $1`,
    [away.id],
  );
  return { away, here };
}

test("B13: a booking in a zone that is not known here is not reminded of by days, and is counted; by hours it is, and the others are by both", async () => {
  const { away, here } = await oneInANewZone();
  await db.clock.advance(soon.getTime() - day + 60_000 - Date.now());
  expect(await db.bookonce.reminders.run()).toEqual({ queued: 3, missed: 0, unreadable: 1 });
  expect(await count(db, "events", "type = 'reminder_due' and booking_id = $1", [away.id])).toBe(1);
  expect(await count(db, "events", "type = 'reminder_due' and booking_id = $1", [here.id])).toBe(2);
});

test("O3: the doctor names the zones of bookings to come that are not known here", async () => {
  await oneInANewZone();
  const { findings } = await db.bookonce.doctor();
  expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining("bookings in America/Newzone")]);
});

test.each([true, false])(
  "B15: reanchor reports a booking in a zone that is not known here, and goes on (dry run: %s)",
  async (dryRun) => {
    const { away, here } = await oneInANewZone();
    // Agreed by other zone data: an hour later than it is on the wall now.
    await db.pool.query(
      `update ${db.schema}.bookings set zone = 'UTC', wall_date = $2, wall_time = $3, zone_data = '2000a' where id = $1`,
      [here.id, soon.toISOString().slice(0, 10), new Date(soon.getTime() + hour).toISOString().slice(11, 16)],
    );
    const found = await db.bookonce.reanchor({ actor: "olga", dryRun });
    expect(found).toHaveLength(2);
    expect(found).toContainEqual({
      bookingId: away.id,
      customer: away.customer,
      agreed: "2030-01-01 10:00 America/Newzone",
      from: soon,
      to: soon,
      outcome: "unreadable",
      refused: expect.stringContaining("America/Newzone"),
    });
    expect(found).toContainEqual(expect.objectContaining({ bookingId: here.id, outcome: dryRun ? "found" : "moved" }));
  },
);

test("O6: a stored length that the calendar cannot list is an error of ours, not a raw one", async () => {
  const service = await offering(db.bookonce, "cut", { hours: true });
  await db.pool.query(
    `update ${db.schema}.services set definition = jsonb_set(definition, '{durationMs}', '1e12') where id = $1`,
    [service],
  );
  const listing = db.bookonce.slots.find({ service, from: ten, to: at(20) });
  await expect(listing).rejects.toMatchObject({ name: "BookonceError", code: "internal" });
});

test.each(["1970-01-01T00:00:00Z", "9989-12-31T23:00:00Z"])(
  "the first and last times that can be asked for are answered, by name: %s",
  async (edge) => {
    const { bookonce } = db;
    await bookonce.resources.put({ id: "anna" });
    for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
      const service = unique("cut");
      const schedule = { zone, weekly: { monday: whole } };
      const duration = { hours: 366 * 24 };
      await bookonce.services.put({
        id: service,
        duration,
        resources: ["anna"],
        times: { schedule, notice: { days: 366 } },
      });
      const start = new Date(edge);
      expect(await bookonce.reserveSlot({ customer: "x", service, start })).toMatchObject({ outcome: "refused" });
      expect(await bookonce.slots.explain({ service, start })).toMatchObject({ claimable: false });
      expect(await bookonce.slots.nextFree({ service, after: start })).toEqual([]);
      const to = new Date(Math.min(start.getTime() + 62 * day, Date.UTC(9990, 0, 1) - 1));
      expect(await bookonce.slots.find({ service, from: start, to })).toEqual([]);
    }
  },
);
