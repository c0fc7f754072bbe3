import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestDatabase } from "../../support/database.ts";
import { hour, minute, unique } from "../../support/fixtures.ts";
import { hourBefore, none, once, openHall, shopWith, stopBefore, told, wanting } from "./reminding.ts";
import { at, stopClock } from "./support.ts";

let db: TestDatabase;
beforeEach(async () => {
  db = await openHall();
});
afterEach(() => db.drop());

describe("R61: what was cancelled or moved is not reminded of", () => {
  test("due at nine for ten, cancelled at half past eight: nothing is sent", async () => {
    const shop = shopWith(db, hourBefore);
    const booking = await wanting(shop, at(10));
    await stopBefore(db, at(10), 1.5 * hour);
    expect(await shop.reminders.run()).toEqual(none);
    await shop.cancel({ bookingId: booking.id, customer: booking.customer });
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual(none);
  });

  test("cancelled, moved or opted out while it lies in the outbox: it is dropped", async () => {
    const shop = shopWith(db, hourBefore);
    const [gone, moved, quiet, stays] = [
      await wanting(shop, at(10)),
      await wanting(shop, at(10)),
      await wanting(shop, at(10)),
      await wanting(shop, at(10)),
    ];
    await told(shop);
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual({ queued: 4, missed: 0, unreadable: 0 });
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
    const shop = shopWith(db, hourBefore);
    const booking = await wanting(shop, at(10));
    await told(shop);
    await stopBefore(db, at(10), hour);
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
    await stopBefore(db, at(10), hour - minute);
    const heard: string[] = [];
    const report = await shop.events.run(async ({ type }) => void heard.push(type));
    expect(report).toMatchObject({ dropped: 1 });
    expect(heard).toEqual(["booking_cancelled"]);
  });

  test("moved: only the new time is reminded of, once", async () => {
    const shop = shopWith(db, hourBefore);
    const booking = await wanting(shop, at(10));
    await shop.reschedule({ bookingId: booking.id, customer: booking.customer, start: at(58) });
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual(none);
    await stopBefore(db, at(58), hour);
    expect([await shop.reminders.run(), await shop.reminders.run()]).toEqual([once, none]);
    expect(await told(shop)).toEqual([`hour ${booking.customer}`]);
  });

  test("moved after it was reminded of: it is reminded of anew", async () => {
    const shop = shopWith(db, hourBefore);
    const booking = await wanting(shop, at(10));
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    expect(await told(shop)).toHaveLength(1);
    await shop.reschedule({ bookingId: booking.id, customer: booking.customer, start: at(20) });
    await stopBefore(db, at(20), hour);
    expect(await shop.reminders.run()).toEqual(once);
    expect(await told(shop)).toHaveLength(1);
  });
});

describe("R53: what was due before the booking was made is not sent", () => {
  test("booked two days ahead, three days before: nothing; the hour before: once", async () => {
    const shop = shopWith(db, { kind: "three_days", before: { days: 3 } }, hourBefore);
    await stopBefore(db, at(10), 48 * hour);
    const booking = await wanting(shop, at(10));
    expect(await shop.reminders.run()).toEqual(none);
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    expect(await told(shop)).toEqual([`hour ${booking.customer}`]);
  });

  test("moved to two hours ahead: the reminder of the day before is skipped, not sent at once; the hour before comes", async () => {
    const shop = shopWith(db, { kind: "day", before: { hours: 24 } }, hourBefore);
    const booking = await wanting(shop, at(100));
    await stopBefore(db, at(10), 24 * hour - 10 * minute);
    await shop.reschedule({ bookingId: booking.id, customer: booking.customer, start: at(10) });
    expect(await shop.reminders.run()).toEqual(none);
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    expect(await told(shop)).toEqual([`hour ${booking.customer}`]);
  });

  test("moved in time for it: the reminder of the day before is sent", async () => {
    const shop = shopWith(db, { kind: "day", before: { hours: 24 } });
    const booking = await wanting(shop, at(100));
    await stopBefore(db, at(10), 24 * hour + minute);
    await shop.reschedule({ bookingId: booking.id, customer: booking.customer, start: at(10) });
    await stopBefore(db, at(10), 24 * hour);
    expect(await shop.reminders.run()).toEqual(once);
  });

  test("given to somebody else after it was due: it is no news to the one who has just taken it over", async () => {
    const shop = shopWith(db, hourBefore);
    const booking = await wanting(shop, at(10));
    const friend = unique("friend");
    await shop.reminders.optIn({ customer: friend, source: "/remind" });
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    await stopBefore(db, at(10), hour - minute);
    await shop.transfer({ bookingId: booking.id, customer: booking.customer, to: friend });
    expect(await shop.reminders.run()).toEqual(none);
    expect(await told(shop)).toEqual([]);
  });

  test("checked in while the reminder lies in the outbox: it is dropped", async () => {
    const shop = shopWith(db, hourBefore);
    const booking = await wanting(shop, at(10));
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    await shop.checkIn({ bookingId: booking.id, actor: "door" });
    expect(await told(shop)).toEqual([]);
  });

  test("a hold is not reminded of, nor what has begun or was attended", async () => {
    const shop = shopWith(db, hourBefore);
    const attended = await wanting(shop, at(10));
    await shop.checkIn({ bookingId: attended.id, actor: "door" });
    await stopBefore(db, at(10), 1.5 * hour);
    await wanting(shop, at(10), { confirm: false, hold: { hours: 2 } });
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual(none);
    await wanting(shop, at(10));
    await stopClock(db, at(10).toISOString());
    expect(await shop.reminders.run()).toEqual(none);
  });
});
