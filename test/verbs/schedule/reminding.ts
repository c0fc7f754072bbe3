import type { ReminderRule } from "bookonce";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { unique } from "../../support/fixtures.ts";
import { have, stopClock } from "./support.ts";

/** A database for one test of reminders (B13): a run looks at all bookings. It has a hall in which everybody finds room. */
export async function openHall(): Promise<TestDatabase> {
  const db = await createTestDatabase();
  await db.bookonce.resources.put({ id: "hall", kind: "counted", capacity: 1000 });
  return db;
}

export const hourBefore: ReminderRule = { kind: "hour", before: { hours: 1 } };

export const shopWith = (db: TestDatabase, ...reminders: ReminderRule[]) => db.another({ reminders });
type Shop = ReturnType<typeof shopWith>;

/** Books an hour of the hall for somebody new, who wants to be reminded. */
export async function wanting(shop: Shop, start: Date, over: object = {}) {
  const customer = unique("customer");
  await shop.reminders.optIn({ customer, source: "/remind" });
  return have(shop, { customer, resources: ["hall"], start, confirm: true, ...over });
}

/** Delivers what is in the outbox; the reminders told, as "kind customer". */
export async function told(shop: Shop): Promise<string[]> {
  const heard: string[] = [];
  await shop.events.run(async ({ type, data, booking }) => {
    if (type === "reminder_due") heard.push(`${String(data["kind"])} ${booking?.customer}`);
  });
  return heard;
}

/** Stops the clock so long before a start. */
export const stopBefore = (db: TestDatabase, start: Date, ms: number) =>
  stopClock(db, new Date(start.getTime() - ms).toISOString());

/** What a run reports that found nothing, or one. */
export const none = { queued: 0, missed: 0, unreadable: 0 };
export const once = { queued: 1, missed: 0, unreadable: 0 };
