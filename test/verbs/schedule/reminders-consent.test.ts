import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestDatabase } from "../../support/database.ts";
import { hour, unique } from "../../support/fixtures.ts";
import { hourBefore, once, openHall, shopWith, stopBefore, told, wanting } from "./reminding.ts";
import { aService, at, have } from "./support.ts";

let db: TestDatabase;
beforeEach(async () => {
  db = await openHall();
});
afterEach(() => db.drop());

describe("consent", () => {
  test("opt-in: who said nothing hears nothing; a kind wins over all; the last word counts; it is written down", async () => {
    const shop = shopWith(db, hourBefore, { kind: "two_hours", before: { hours: 2 } });
    await have(shop, { resources: ["hall"], start: at(10), confirm: true });
    const all = await wanting(shop, at(10));
    const some = await wanting(shop, at(10));
    await shop.reminders.optOut({ customer: some.customer, kind: "two_hours", source: "settings" });
    const one = await have(shop, { resources: ["hall"], start: at(10), confirm: true });
    await shop.reminders.optIn({ customer: one.customer, kind: "hour", source: "settings" });
    const left = await wanting(shop, at(10));
    await shop.reminders.optOut({ customer: left.customer, source: "/stop" });
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual({ queued: 4, missed: 0, unreadable: 0 });
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
    const shop = shopWith(db, { ...hourBefore, services: [service] });
    await wanting(shop, at(10));
    const customer = unique("customer");
    await shop.reminders.optIn({ customer, source: "test" });
    await have(shop, { customer, service, start: at(10), confirm: true });
    await stopBefore(db, at(10), hour);
    expect(await shop.reminders.run()).toEqual(once);
    expect(await told(shop)).toEqual([`hour ${customer}`]);
  });
});
