import type { ReminderRule } from "bookonce";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { count, hour, minute, unique } from "../../support/fixtures.ts";
import { always, aService, at, have, stopClock } from "./support.ts";

// B13. Every test has a database of its own: a run looks at all bookings.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
  await db.bookonce.resources.put({ id: "hall", kind: "counted", capacity: 1000 });
});
afterEach(() => db.drop());

const hourBefore: ReminderRule = { kind: "hour", before: { hours: 1 } };

const shopWith = (...reminders: ReminderRule[]) => db.another({ reminders });
type Shop = ReturnType<typeof shopWith>;

async function wanting(shop: Shop, start: Date, over: object = {}) {
  const customer = unique("customer");
  await shop.reminders.optIn({ customer, source: "/remind" });
  return have(shop, { customer, resources: ["hall"], start, confirm: true, ...over });
}

/** Delivers what is in the outbox; the reminders told, as "kind customer". */
async function told(shop: Shop): Promise<string[]> {
  const heard: string[] = [];
  await shop.events.run(async ({ type, data, booking }) => {
    if (type === "reminder_due") heard.push(`${String(data["kind"])} ${booking?.customer}`);
  });
  return heard;
}

const stopBefore = (start: Date, ms: number) => stopClock(db, new Date(start.getTime() - ms).toISOString());
const none = { queued: 0, missed: 0 };
const once = { queued: 1, missed: 0 };

describe("R61: what was cancelled or moved is not reminded of", () => {
  test("due at nine for ten, cancelled at half past eight: nothing is sent", async () => {
    const shop = shopWith(hourBefore);
    const booking = await wanting(shop, at(10));
    await stopBefore(at(10), 1.5 * hour);
    expect(await shop.reminders.run()).toEqual(none);
    await shop.cancel({ bookingId: booking.id, customer: booking.customer });
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual(none);
  });

  test("cancelled, moved or opted out while it lies in the outbox: it is dropped", async () => {
    const shop = shopWith(hourBefore);
    const [gone, moved, quiet, stays] = [
      await wanting(shop, at(10)),
      await wanting(shop, at(10)),
      await wanting(shop, at(10)),
      await wanting(shop, at(10)),
    ];
    await told(shop);
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual({ queued: 4, missed: 0 });
    await shop.cancel({ bookingId: gone.id, customer: gone.customer });
    await shop.reschedule({ bookingId: moved.id, customer: moved.customer, start: at(48) });
    await shop.reminders.optOut({ customer: quiet.customer, kind: "hour", source: "/stop" });
    const heard: string[] = [];
    const report = await shop.events.run(async ({ type, booking }) => void heard.push(`${type} ${booking?.customer}`));
    expect(report).toMatchObject({ dropped: 3 });
    expect(heard).toEqual([
      `reminder_due ${stays.customer}`,
      `booking_cancelled ${gone.customer}`,
      `booking_rescheduled ${moved.customer}`,
    ]);
  });

  test("cancelled while a worker holds its lease: when the lease is over the next worker asks again, and drops it", async () => {
    const shop = shopWith(hourBefore);
    const booking = await wanting(shop, at(10));
    await told(shop);
    await stopBefore(at(10), hour);
    await shop.reminders.run();
    // The first worker has it in its hands, and cannot send.
    const failing = await shop.events.run(
      async () => {
        await shop.cancel({ bookingId: booking.id, customer: booking.customer });
        throw new Error("the network is away");
      },
      { limit: 1 },
    );
    expect(failing).toMatchObject({ failed: 1 });
    await stopBefore(at(10), hour - minute);
    const heard: string[] = [];
    const report = await shop.events.run(async ({ type }) => void heard.push(type));
    expect(report).toMatchObject({ dropped: 1 });
    expect(heard).toEqual(["booking_cancelled"]);
  });

  test("moved: only the new time is reminded of, once", async () => {
    const shop = shopWith(hourBefore);
    const booking = await wanting(shop, at(10));
    await shop.reschedule({ bookingId: booking.id, customer: booking.customer, start: at(58) });
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual(none);
    await stopBefore(at(58), hour);
    expect([await shop.reminders.run(), await shop.reminders.run()]).toEqual([once, none]);
    expect(await told(shop)).toEqual([`hour ${booking.customer}`]);
  });

  test("moved after it was reminded of: it is reminded of anew", async () => {
    const shop = shopWith(hourBefore);
    const booking = await wanting(shop, at(10));
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    expect(await told(shop)).toHaveLength(1);
    await shop.reschedule({ bookingId: booking.id, customer: booking.customer, start: at(20) });
    await stopBefore(at(20), hour);
    expect(await shop.reminders.run()).toEqual(once);
    expect(await told(shop)).toHaveLength(1);
  });
});

describe("R53: what was due before the booking was made is not sent", () => {
  test("booked two days ahead, three days before: nothing; the hour before: once", async () => {
    const shop = shopWith({ kind: "three_days", before: { days: 3 } }, hourBefore);
    await stopBefore(at(10), 48 * hour);
    const booking = await wanting(shop, at(10));
    expect(await shop.reminders.run()).toEqual(none);
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    expect(await told(shop)).toEqual([`hour ${booking.customer}`]);
  });

  test("moved to two hours ahead: the reminder of the day before is skipped, not sent at once; the hour before comes", async () => {
    const shop = shopWith({ kind: "day", before: { hours: 24 } }, hourBefore);
    const booking = await wanting(shop, at(100));
    await stopBefore(at(10), 24 * hour - 10 * minute);
    await shop.reschedule({ bookingId: booking.id, customer: booking.customer, start: at(10) });
    expect(await shop.reminders.run()).toEqual(none);
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    expect(await told(shop)).toEqual([`hour ${booking.customer}`]);
  });

  test("moved in time for it: the reminder of the day before is sent", async () => {
    const shop = shopWith({ kind: "day", before: { hours: 24 } });
    const booking = await wanting(shop, at(100));
    await stopBefore(at(10), 24 * hour + minute);
    await shop.reschedule({ bookingId: booking.id, customer: booking.customer, start: at(10) });
    await stopBefore(at(10), 24 * hour);
    expect(await shop.reminders.run()).toEqual(once);
  });

  test("given to somebody else after it was due: it is no news to the one who has just taken it over", async () => {
    const shop = shopWith(hourBefore);
    const booking = await wanting(shop, at(10));
    const friend = unique("friend");
    await shop.reminders.optIn({ customer: friend, source: "/remind" });
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    await stopBefore(at(10), hour - minute);
    await shop.transfer({ bookingId: booking.id, customer: booking.customer, to: friend });
    expect(await shop.reminders.run()).toEqual(none);
    expect(await told(shop)).toEqual([]);
  });

  test("checked in while the reminder lies in the outbox: it is dropped", async () => {
    const shop = shopWith(hourBefore);
    const booking = await wanting(shop, at(10));
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    await shop.checkIn({ bookingId: booking.id, actor: "door" });
    expect(await told(shop)).toEqual([]);
  });

  test("a hold is not reminded of, nor what has begun or was attended", async () => {
    const shop = shopWith(hourBefore);
    const attended = await wanting(shop, at(10));
    await shop.checkIn({ bookingId: attended.id, actor: "door" });
    await stopBefore(at(10), 1.5 * hour);
    await wanting(shop, at(10), { confirm: false, hold: { hours: 2 } });
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual(none);
    await wanting(shop, at(10));
    await stopClock(db, at(10).toISOString());
    expect(await shop.reminders.run()).toEqual(none);
  });
});

describe("consent", () => {
  test("opt-in: who said nothing hears nothing; a kind wins over all; the last word counts; it is written down", async () => {
    const shop = shopWith(hourBefore, { kind: "two_hours", before: { hours: 2 } });
    await have(shop, { resources: ["hall"], start: at(10), confirm: true });
    const all = await wanting(shop, at(10));
    const some = await wanting(shop, at(10));
    await shop.reminders.optOut({ customer: some.customer, kind: "two_hours", source: "settings" });
    const one = await have(shop, { resources: ["hall"], start: at(10), confirm: true });
    await shop.reminders.optIn({ customer: one.customer, kind: "hour", source: "settings" });
    const left = await wanting(shop, at(10));
    await shop.reminders.optOut({ customer: left.customer, source: "/stop" });
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual({ queued: 4, missed: 0 });
    const expected = [
      `hour ${all.customer}`,
      `two_hours ${all.customer}`,
      `hour ${some.customer}`,
      `hour ${one.customer}`,
    ];
    expect((await told(shop)).toSorted()).toEqual(expected.toSorted());
    expect(await shop.reminders.consents(some.customer)).toMatchObject([
      { topic: "*", granted: true, source: "/remind" },
      { topic: "two_hours", granted: false, source: "settings" },
    ]);
    expect(await shop.reminders.consents("nobody")).toEqual([]);
  });

  test("a rule may be for some services only", async () => {
    const service = await aService(db.bookonce, { resources: ["hall"] });
    const shop = shopWith({ ...hourBefore, services: [service] });
    await wanting(shop, at(10));
    const customer = unique("customer");
    await shop.reminders.optIn({ customer, source: "test" });
    await have(shop, { customer, service, start: at(10), confirm: true });
    await stopBefore(at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    expect(await told(shop)).toEqual([`hour ${customer}`]);
  });
});

test("B13: over a change of the clocks a day before and 24 hours before are an hour apart; an evening is an evening", async () => {
  await stopClock(db, "2026-03-20T00:00:00Z");
  const service = await aService(db.bookonce, { resources: ["hall"], times: always("Europe/Berlin") });
  const shop = shopWith(
    { kind: "day", before: { days: 1 } },
    { kind: "24h", before: { hours: 24 } },
    { kind: "evening", before: { days: 1, at: "18:00" } },
  );
  const customer = unique("customer");
  await shop.reminders.optIn({ customer, source: "test" });
  // 12:00 in Berlin on the Sunday that has 23 hours.
  await have(shop, { customer, service, start: "2026-03-29T10:00:00Z", confirm: true });
  const dueBy = async (instant: string) => {
    await stopClock(db, instant);
    await shop.reminders.run();
    return (await told(shop)).map((line) => line.split(" ")[0]);
  };
  expect(await dueBy("2026-03-28T09:59:59Z")).toEqual([]);
  expect(await dueBy("2026-03-28T10:00:00Z")).toEqual(["24h"]);
  expect(await dueBy("2026-03-28T10:59:59Z")).toEqual([]);
  expect(await dueBy("2026-03-28T11:00:00Z")).toEqual(["day"]);
  expect(await dueBy("2026-03-28T16:59:59Z")).toEqual([]);
  expect(await dueBy("2026-03-28T17:00:00Z")).toEqual(["evening"]);
});

test("B13: after a break of the workers one is sent up to an hour late, and then missed, once; `late` changes it", async () => {
  const shop = shopWith(
    { kind: "three", before: { hours: 3 } },
    { kind: "patient", before: { hours: 3 }, late: { hours: 2 } },
  );
  await wanting(shop, at(10));
  await stopBefore(at(10), 2 * hour - 1);
  expect(await shop.reminders.run()).toEqual({ queued: 1, missed: 1 });
  expect(await shop.reminders.run()).toEqual(none);
  await wanting(shop, at(34));
  await stopBefore(at(34), 2 * hour);
  expect(await shop.reminders.run()).toEqual({ queued: 2, missed: 0 });
});

test("B13: several workers at once queue each reminder once, and write down the rule's kind", async () => {
  const shops = [shopWith(hourBefore), shopWith(hourBefore), shopWith(hourBefore)];
  const first = shops[0] ?? shopWith(hourBefore);
  for (let count = 0; count < 10; count += 1) await wanting(first, at(10));
  await stopBefore(at(10), hour);
  const reports = await Promise.all(shops.map((shop) => shop.reminders.run()));
  expect(reports.reduce((sum, { queued }) => sum + queued, 0)).toBe(10);
  expect(await told(first)).toHaveLength(10);
});

test("B13: all that are due, over as many pages as it takes, each once", async () => {
  const shop = shopWith(hourBefore);
  const booking = await wanting(shop, at(10));
  // A page has 500.
  await db.pool.query(
    `insert into ${db.schema}.bookings select (jsonb_populate_record(b,
       jsonb_build_object('id', gen_random_uuid(), 'token', gen_random_uuid()))).*
     from ${db.schema}.bookings b, generate_series(1, 1000) where b.id = $1`,
    [booking.id],
  );
  await stopBefore(at(10), hour);
  expect([await shop.reminders.run(), await shop.reminders.run()]).toEqual([{ queued: 1001, missed: 0 }, none]);
  expect(await count(db, "events", "type = 'reminder_due'")).toBe(1001);
});

test("B13: a worker that was told to stop ends after its page", async () => {
  const shop = shopWith(hourBefore);
  await expect(shop.reminders.run({ signal: AbortSignal.abort() })).rejects.toBeDefined();
});

describe("O6: rules that are none are refused when the instance is made", () => {
  test.each([
    ["a kind twice", [hourBefore, hourBefore], "name each kind once"],
    ["the name of all kinds", [{ ...hourBefore, kind: "*" }], "a name of its own"],
    ["an offset that is none", [{ kind: "x", before: { hours: -1 } }], "reminders"],
  ])("%s", (_, reminders, message) => {
    expect(() => db.another({ reminders: reminders as ReminderRule[] })).toThrow(message);
  });
});
