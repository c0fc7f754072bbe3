import type { Interval } from "./interval.ts";
import { dateOf } from "./local-day.ts";
import { datesAround, type View } from "./openings.ts";
import { dayOf } from "./schedule.ts";

/**
 * Why a calendar is closed for a time.
 *
 * - `day_off`: the date has no hours at all.
 * - `outside_hours`: it starts outside the hours of the date.
 * - `break`: it starts in a break, or runs into one.
 * - `runs_past_closing`: it starts within the hours and ends after them.
 * - `off_grid`: the place is open, but services do not start at this minute.
 */
export type ClosedBecause = "day_off" | "outside_hours" | "break" | "runs_past_closing" | "off_grid";

/** Why a calendar does not cover a time, or null when it does. */
export function closedBecause(time: Interval, { schedule, open }: View): Exclude<ClosedBecause, "off_grid"> | null {
  const from = open.find((stretch) => stretch.start <= time.start && time.start < stretch.end);
  if (from !== undefined && time.end <= from.end) return null;
  // The first instant that is not open says why.
  const first = from === undefined ? time.start : from.end;
  const days = datesAround(first, first, schedule.zone).map((date) => dayOf(schedule, date));
  const covers = (stretch: Interval): boolean => stretch.start <= first && first < stretch.end;
  if (days.some(({ windows, breaks }) => windows.some(covers) && breaks.some(covers))) return "break";
  if (from !== undefined) return "runs_past_closing";
  return dayOf(schedule, dateOf(first, schedule.zone)).off ? "day_off" : "outside_hours";
}
