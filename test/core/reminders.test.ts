import { expect, test } from "vitest";
import { dueReminders } from "../../src/core/reminders.ts";
import { bookingIn, hour, now } from "../support/worlds.ts";

const booking = bookingIn.confirmed({
  confirmedAt: now - 5 * hour,
  interval: { start: now + hour, end: now + 2 * hour },
});
const planned = (dueAt: number) => [{ kind: "k", dueAt, lateMs: hour }];

test.each([
  ["due at this instant", booking, now, "queued"],
  ["not yet due", booking, now + 1, null],
  ["late by all that is allowed", booking, now - hour, "queued"],
  ["later than that", booking, now - hour - 1, "missed"],
  ["due at the instant it was confirmed", booking, now - 5 * hour, null],
  ["due just after it was confirmed", booking, now - 5 * hour + 1, "missed"],
  ["a hold", bookingIn.held(), now, null],
  ["attended already", { ...booking, attendance: "attended" as const }, now, null],
  ["begun", { ...booking, interval: { start: now, end: now + hour } }, now, null],
  ["confirmed nobody knows when", { ...booking, confirmedAt: null }, now, null],
] as const)("B13: %s", (_, of, dueAt, outcome) => {
  expect(dueReminders(of, planned(dueAt), [], now).map((due) => due.outcome)).toEqual(
    outcome === null ? [] : [outcome],
  );
});

test("B13: what was dealt with is not due again", () => {
  expect(dueReminders(booking, planned(now), ["k"], now)).toEqual([]);
  expect(dueReminders(booking, planned(now), ["other"], now)).toMatchObject([{ kind: "k", version: booking.version }]);
});
