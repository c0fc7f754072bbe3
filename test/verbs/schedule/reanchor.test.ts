import type { BookingView } from "bookonce";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { digestOf, hour, minute, unique } from "../../support/fixtures.ts";
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
  await shiftBack(booking.id, shift);
  return { service, booking };
}

async function shiftBack(bookingId: string, shift: string): Promise<void> {
  for (const table of ["bookings", "claims"]) {
    const id = table === "bookings" ? "id" : "booking_id";
    const more =
      table === "bookings"
        ? ", zone_data = '2000a', day_starts_at = day_starts_at + $2::interval, day_ends_at = day_ends_at + $2::interval"
        : "";
    await db.pool.query(
      `update ${db.schema}.${table} set starts_at = starts_at + $2::interval, ends_at = ends_at + $2::interval${more} where ${id} = $1`,
      [bookingId, shift],
    );
  }
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

test("C14: notice and hours of today do not keep a booking at the wrong hour: they were judged when its time was agreed", async () => {
  const { booking, service } = await madeUnderOtherRules(start, "-1 hour");
  const { resources } = booking;
  const never = { schedule: { zone: "Asia/Tashkent", weekly: {} }, notice: { hours: 8_000 } };
  await db.bookonce.services.put({
    id: service,
    duration: { hours: 1 },
    resources,
    times: { ...never, horizon: { days: 1 } },
  });
  await db.bookonce.resources.put({ id: resources[0] ?? "", times: never });
  await stopClock(db, new Date(hourEarlier.getTime() - minute).toISOString());
  expect(await db.bookonce.reanchor({ actor: "olga", dryRun: false })).toMatchObject([{ outcome: "moved", agreed }]);
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ start: new Date(start) });
});

test("C14: the zone of the service is another one now: what was agreed stays, in the zone in which it was agreed", async () => {
  const { booking, service } = await madeUnderOtherRules(start, "-1 hour");
  const times = always("Europe/Berlin", 30);
  await db.bookonce.services.put({ id: service, duration: { hours: 1 }, resources: booking.resources, times });
  expect(await db.bookonce.reanchor({ actor: "olga", dryRun: false })).toMatchObject([{ outcome: "moved", agreed }]);
  expect(await db.bookonce.reanchor({ actor: "olga" })).toEqual([]);
  const { rows } = await db.pool.query(
    `select zone, wall_date::text, wall_time::text from ${db.schema}.bookings where id = $1`,
    [booking.id],
  );
  expect(rows).toEqual([
    { zone: "Asia/Tashkent", wall_date: "2031-01-14", wall_time: expect.stringMatching(/^10:00/) },
  ]);
});

test.each([
  ["an hour later", "-1 hour"],
  ["half an hour earlier", "30 minutes"],
])("C14: a full day moves %s as a whole: nobody stands in the way of the next one", async (_, shift) => {
  const service = await aService(db.bookonce, { times: always("Asia/Tashkent", 60) });
  const bookings = [];
  for (let hours = 0; hours < 6; hours += 1) {
    bookings.push(
      await have(db.bookonce, { service, start: new Date(Date.parse(start) + hours * hour), confirm: true }),
    );
  }
  const inOrder = shift.startsWith("-") ? bookings : bookings.toReversed();
  for (const { id } of inOrder) await shiftBack(id, shift);
  const moved = await db.bookonce.reanchor({ actor: "olga", dryRun: false });
  expect(moved.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => "moved"));
  for (const { id, start: promised } of bookings) {
    expect(await db.bookonce.bookings.get(id)).toMatchObject({ start: promised });
  }
});

/** A class of an hour and a half, which at its new time overlaps its old one, with so many who have joined. */
async function aClass(joined: number): Promise<BookingView[]> {
  const room = (await db.bookonce.resources.put({ id: unique("room") })).id;
  const service = unique("yoga");
  const times = always("Asia/Tashkent", 30);
  const duration = { minutes: 90 };
  await db.bookonce.services.put({ id: service, duration, resources: [room], session: { capacity: 3 }, times });
  const bookings: BookingView[] = [];
  for (let turn = 0; turn < joined; turn += 1) {
    bookings.push(await have(db.bookonce, { service, start: hourEarlier, confirm: true }));
  }
  const agreed = "update @.bookings set wall_time = '10:00', zone_data = '2000a' where service_id = $1";
  await db.pool.query(agreed.replace("@", db.schema), [service]);
  return bookings;
}

test("C14: a full class moves as one, though its new time overlaps its old one", async () => {
  const joined = await aClass(3);
  const moved = await db.bookonce.reanchor({ actor: "olga", dryRun: false });
  expect(moved.map(({ outcome, refused }) => [outcome, refused])).toEqual(joined.map(() => ["moved", null]));
  for (const { id } of joined) expect(await db.bookonce.bookings.get(id)).toMatchObject({ start: new Date(start) });
  const { rows } = await db.pool.query(
    `select count(distinct session_id)::int as sessions, sum(quantity)::int as places from ${db.schema}.claims
     where booking_id = any ($1) and live @> ${db.schema}.clock()`,
    [joined.map(({ id }) => id)],
  );
  expect(rows).toEqual([{ sessions: 1, places: 3 }]);
  const { problems } = await db.bookonce.audit();
  expect(problems.filter(({ id }) => joined.some((booking) => id.startsWith(booking.id)))).toEqual([]);
});

test("C14: a class that somebody is in the way of stays where it is, all of it", async () => {
  const joined = await aClass(2);
  const [{ resources = [] } = {}] = joined;
  await have(db.bookonce, { resources, start: "2031-01-14T05:30:00Z", duration: { hours: 1 }, confirm: true });
  const before = await digestOf(db);
  const moved = await db.bookonce.reanchor({ actor: "olga", dryRun: false });
  expect(moved.map(({ outcome, refused }) => [outcome, refused])).toEqual(joined.map(() => ["conflict", "slot_taken"]));
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
