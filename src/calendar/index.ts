// `bookonce/calendar`: civil time for bookings, pure. Plain data in, `Date` out.

// What can be booked: one decision for the list and the claim
export { type AdmitTimeInput, admitTime, type TimeRefusal } from "./admission.ts";
// Keeping a promise when zone rules change
export { type Anchor, type AnchorCheck, anchorOf, checkAnchor } from "./anchor.ts";
export type { Buffers } from "./busy.ts";
// When a place is open
export type { Weekday } from "./civil-time.ts";
export type { ClosedBecause } from "./closed.ts";
// Errors
export { CalendarError, type CalendarErrorCode, type CalendarProblem, isCalendarError } from "./error.ts";
export type { Grid } from "./grid.ts";
// What a person reads
export { type DateGroup, groupByDate } from "./group-by-date.ts";
// iCalendar
export { type CalendarEventInput, type CalendarPerson, calendarEvent } from "./icalendar.ts";
export type { LabelLocale, LabelWords, Whose } from "./label-words.ts";
export { type LabelOptions, labelTime, type TimeLabel, type TimeLabelParts, zoneToShow } from "./labels.ts";
export type { Horizon, LeadTime, ReminderOffset } from "./lead-time.ts";

// Before and after, by the clock or by the calendar
export { timeAfter, timeBefore } from "./lead-time.ts";
export { countByDay, type DayLimit, type LocalDay, localDay, localDayOf } from "./local-day.ts";
export { type OpenTimesInput, openTimes, type TimeRange } from "./openings.ts";
export type { AdmissionRules } from "./rules.ts";
export { defineSchedule, type Schedule } from "./schedule.ts";
export type { Break, DayOff, Hours, ScheduleDefinition } from "./schedule-definition.ts";
export type { InstantInput, TimeRangeInput } from "./schema.ts";
export { type ListStartsInput, listStarts } from "./starts.ts";
export { type WeeklyStart, type WeeklyStartsInput, weeklyStarts } from "./weekly.ts";
export { readZone, type ZoneReading } from "./zone.ts";
