import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { digestOf, unique } from "../../support/fixtures.ts";
import { always, aService, have, stopClock } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterEach(async () => {
  await db.pool.query(
    `update ${db.schema}.bookings set state = 'cancelled', cancelled_at = now(), cancelled_by = 'test'`,
  );
  await db.pool.query(
    `update ${db.schema}.claims set live_until = greatest(live_from, ${db.schema}.clock()) where live_until is null`,
  );
  await db.clock.reset();
});
afterAll(() => db.drop());

/** A booking that was made under other rules, by which its wall time was so many hours off. */
async function madeUnderOtherRules(start: string, shift: string, over: { times?: ReturnType<typeof always> } = {}) {
  const service = await aService(db.bookonce, { times: over.times ?? always("Asia/Tashkent", 30) });
  const booking = await have(db.bookonce, { service, start, confirm: true });
  for (const table of ["bookings", "claims"]) {
    const id = table === "bookings" ? "id" : "booking_id";
    const more =
      table === "bookings"
        ? ", zone_data = '2000a', day_starts_at = day_starts_at + $2::interval, day_ends_at = day_ends_at + $2::interval"
        : "";
    await db.pool.query(
      `update ${db.schema}.${table} set starts_at = starts_at + $2::interval, ends_at = ends_at + $2::interval${more} where ${id} = $1`,
      [booking.id, shift],
    );
  }
  return { service, booking };
}

const start = "2031-01-14T05:00:00Z";
const agreed = "2031-01-14 10:00 Asia/Tashkent";
const hourEarlier = new Date("2031-01-14T04:00:00Z");

test("C14: found first: a dry run tells what is affected, with what was agreed, and moves nothing", async () => {
  const { booking } = await madeUnderOtherRules(start, "-1 hour");
  const before = await digestOf(db);
  expect(await db.bookonce.reanchor({ actor: "olga" })).toEqual([
    {
      bookingId: booking.id,
      customer: booking.customer,
      agreed,
      from: hourEarlier,
      to: new Date(start),
      outcome: "found",
      refused: null,
    },
  ]);
  expect(await digestOf(db)).toBe(before);
});

test("C14: moved: the wall time is kept, the history says who, and the old hour is free; a second run finds nothing", async () => {
  const { booking, service } = await madeUnderOtherRules(start, "-1 hour");
  expect(await db.bookonce.reanchor({ actor: "olga", dryRun: false })).toMatchObject([{ outcome: "moved", agreed }]);
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ start: new Date(start), state: "confirmed" });
  expect((await db.bookonce.bookings.history(booking.id)).at(-1)).toMatchObject({
    type: "booking_rescheduled",
    actor: "olga",
    data: { from: { start: hourEarlier.toISOString() }, to: { start: new Date(start).toISOString() } },
  });
  expect(await db.bookonce.slots.explain({ service, start: hourEarlier })).toMatchObject({ claimable: true });
  expect(await db.bookonce.slots.explain({ service, start })).toMatchObject({ claimable: false });
  expect(await db.bookonce.reanchor({ actor: "olga", dryRun: false })).toEqual([]);
});

test("C14: conflict: somebody else has the new time: nobody is moved, and a person is told why", async () => {
  const { booking, service } = await madeUnderOtherRules(start, "-1 hour");
  await have(db.bookonce, { service, start: "2031-01-14T05:30:00Z", confirm: true });
  const before = await digestOf(db);
  expect(await db.bookonce.reanchor({ actor: "olga", dryRun: false })).toMatchObject([
    { bookingId: booking.id, outcome: "conflict", refused: "slot_taken" },
  ]);
  expect(await digestOf(db)).toBe(before);
});

test("C14: skipped: the clocks skip the wall time now: told, and left to a person", async () => {
  await stopClock(db, "2026-03-01T00:00:00Z");
  const { booking } = await madeUnderOtherRules("2026-03-29T00:30:00Z", "0", { times: always("Europe/Berlin", 30) });
  // As if Berlin had kept winter time when 02:30 was agreed.
  await db.pool.query(`update ${db.schema}.bookings set wall_time = '02:30' where id = $1`, [booking.id]);
  const before = await digestOf(db);
  expect(await db.bookonce.reanchor({ actor: "olga", dryRun: false })).toMatchObject([
    { bookingId: booking.id, outcome: "skipped", agreed: "2026-03-29 02:30 Europe/Berlin" },
  ]);
  expect(await digestOf(db)).toBe(before);
});

test("C14: what is unaffected, made without a zone, over, or cancelled is not touched", async () => {
  await madeUnderOtherRules("2031-02-01T05:00:00Z", "0");
  const anna = (await db.bookonce.resources.put({ id: unique("anna") })).id;
  await have(db.bookonce, { resources: [anna], start, confirm: true });
  const cancelled = await madeUnderOtherRules("2031-02-02T05:00:00Z", "-1 hour");
  await db.bookonce.cancel({ bookingId: cancelled.booking.id, administrator: "olga" });
  const lapsed = await madeUnderOtherRules("2031-02-03T05:00:00Z", "-1 hour");
  await db.pool.query(
    `update ${db.schema}.bookings set state = 'held', hold_expires_at = ${db.schema}.clock() where id = $1`,
    [lapsed.booking.id],
  );
  expect(await db.bookonce.reanchor({ actor: "olga", dryRun: false })).toEqual([]);
});

test("C14: all of them, however many pages; and only those of other zone data", async () => {
  const service = await aService(db.bookonce, { times: always("Asia/Tashkent", 60) });
  for (let day = 0; day < 105; day += 1) {
    await have(db.bookonce, { service, start: new Date(Date.UTC(2032, 0, 1 + day, 5)), confirm: true });
  }
  await db.pool.query(
    `update ${db.schema}.bookings set wall_time = '11:00', zone_data = '2000a' where service_id = $1`,
    [service],
  );
  expect(await db.bookonce.reanchor({ actor: "olga" })).toHaveLength(105);
  expect(await db.bookonce.reanchor({ actor: "olga", zoneData: "2000a" })).toEqual([]);
});
