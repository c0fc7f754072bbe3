import type { ReminderRule } from "bookonce";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestDatabase } from "../../support/database.ts";
import { count, hour, unique } from "../../support/fixtures.ts";
import { hourBefore, none, openHall, shopWith, stopBefore, told, wanting } from "./reminding.ts";
import { always, aService, at, have, stopClock } from "./support.ts";

let db: TestDatabase;
beforeEach(async () => {
  db = await openHall();
});
afterEach(() => db.drop());

test("B13: over a change of the clocks a day before and 24 hours before are an hour apart; an evening is an evening", async () => {
  await stopClock(db, "2026-03-20T00:00:00Z");
  const service = await aService(db.bookonce, { resources: ["hall"], times: always("Europe/Berlin") });
  const shop = shopWith(
    db,
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
    db,
    { kind: "three", before: { hours: 3 } },
    { kind: "patient", before: { hours: 3 }, late: { hours: 2 } },
  );
  await wanting(shop, at(10));
  await stopBefore(db, at(10), 2 * hour - 1);
  expect(await shop.reminders.run()).toEqual({ queued: 1, missed: 1, unreadable: 0 });
  expect(await shop.reminders.run()).toEqual(none);
  await wanting(shop, at(34));
  await stopBefore(db, at(34), 2 * hour);
  expect(await shop.reminders.run()).toEqual({ queued: 2, missed: 0, unreadable: 0 });
});

test("B13: several workers at once queue each reminder once, and write down the rule's kind", async () => {
  const shops = [shopWith(db, hourBefore), shopWith(db, hourBefore), shopWith(db, hourBefore)];
  const first = shops[0] ?? shopWith(db, hourBefore);
  for (let count = 0; count < 10; count += 1) await wanting(first, at(10));
  await stopBefore(db, at(10), hour);
  const reports = await Promise.all(shops.map((shop) => shop.reminders.run()));
  expect(reports.reduce((sum, { queued }) => sum + queued, 0)).toBe(10);
  expect(await told(first)).toHaveLength(10);
});

test("B13: all that are due, over as many pages as it takes, each once", async () => {
  const shop = shopWith(db, hourBefore);
  const booking = await wanting(shop, at(10));
  // A page has 500.
  await db.pool.query(
    `insert into ${db.schema}.bookings select (jsonb_populate_record(b,
       jsonb_build_object('id', gen_random_uuid(), 'token', gen_random_uuid()))).*
     from ${db.schema}.bookings b, generate_series(1, 1000) where b.id = $1`,
    [booking.id],
  );
  await stopBefore(db, at(10), hour);
  expect([await shop.reminders.run(), await shop.reminders.run()]).toEqual([
    { queued: 1001, missed: 0, unreadable: 0 },
    none,
  ]);
  expect(await count(db, "events", "type = 'reminder_due'")).toBe(1001);
});

test("B13: a worker that was told to stop ends after its page", async () => {
  const shop = shopWith(db, hourBefore);
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
