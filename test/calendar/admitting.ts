import { type AdmissionRules, admitTime, type InstantInput, type TimeRefusal } from "../../src/calendar/index.ts";
import { daily, hours, longAgo } from "./helpers.ts";

/** Whether a start is admitted, or why not. */
export function admit(
  start: string,
  durationMinutes: number,
  rules: AdmissionRules,
  now: InstantInput = longAgo,
): TimeRefusal | null {
  const end = Date.parse(start) + durationMinutes * 60_000;
  return admitTime({ ...rules, start, end, now });
}

/** A time of the day in June that these tests are about. */
export const june = (time: string): string => `2026-06-10T${time}Z`;

export const day = { from: june("00:00"), to: "2026-06-11T00:00Z" };

export const utc = (from: string, to: string) => daily("UTC", hours(from, to));

export const busy = (from: string, to: string) => ({ start: june(from), end: june(to) });
