import { expect, test } from "vitest";
import { dueReminders } from "../../src/core/reminders.ts";
import { bookingIn, hour, now } from "../support/worlds.ts";

const since = now - 5 * hour;
const booking = bookingIn.confirmed({ confirmedAt: since, interval: { start: now + hour, end: now + 2 * hour } });
const planned = (dueAt: number) => [{ kind: "k", dueAt, lateMs: hour }];

test.each([
  ["due at this instant", booking, now, "queued"],
  ["not yet due", booking, now + 1, null],
  ["late by all that is allowed", booking, now - hour, "queued"],
  ["later than that", booking, now - hour - 1, "missed"],
  ["a hold", bookingIn.held(), now, null],
  ["attended already", { ...booking, attendance: "attended" as const }, now, null],
  ["begun", { ...booking, interval: { start: now, end: now + hour } }, now, null],
] as const)("B13: %s", (_, of, dueAt, outcome) => {
  expect(dueReminders(of, planned(dueAt), [], since, now).map((due) => due.outcome)).toEqual(
    outcome === null ? [] : [outcome],
  );
});

test("B13: what was dealt with is not due again", () => {
  expect(dueReminders(booking, planned(now), ["k"], since, now)).toEqual([]);
  expect(dueReminders(booking, planned(now), ["other"], since, now)).toEqual([
    { bookingId: booking.id, kind: "k", version: booking.version, dueAt: now, outcome: "queued" },
  ]);
});

test("R53: what was due before the booking was at its time, or at that very instant, is no news: neither sent nor missed", () => {
  expect(dueReminders(booking, planned(since - 1), [], since, now)).toEqual([]);
  expect(dueReminders(booking, planned(since), [], since, now)).toEqual([]);
  expect(dueReminders(booking, planned(since + 1), [], since, now)).toMatchObject([{ outcome: "missed" }]);
  // Moved a moment ago: the reminder of the day before is skipped, though it could still be sent an hour late.
  expect(dueReminders(booking, planned(now - 1), [], now, now)).toEqual([]);
});
