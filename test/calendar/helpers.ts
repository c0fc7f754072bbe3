import {
  type AdmissionRules,
  defineSchedule,
  type Grid,
  type Hours,
  type ListStartsInput,
  listStarts,
  type Schedule,
  type ScheduleDefinition,
  type Weekday,
} from "../../src/calendar/index.ts";

export const allDays: readonly Weekday[] = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
];

/** Zones whose clocks do all that clocks do: half and quarter hours, changes at midnight, by 30 minutes, by two hours, over the date line. */
export const zones: readonly string[] = [
  "UTC",
  "Africa/Cairo",
  "Africa/Casablanca",
  "America/Havana",
  "America/New_York",
  "America/Santiago",
  "America/Sao_Paulo",
  "America/St_Johns",
  "Antarctica/Troll",
  "Asia/Beirut",
  "Asia/Gaza",
  "Asia/Kathmandu",
  "Asia/Kolkata",
  "Asia/Tashkent",
  "Asia/Tehran",
  "Australia/Lord_Howe",
  "Europe/Berlin",
  "Europe/London",
  "Pacific/Apia",
  "Pacific/Auckland",
  "Pacific/Chatham",
  "Pacific/Kiritimati",
];

/** Before every range that is listed: nothing is past, nor too soon. */
export const longAgo = "1970-01-03T00:00Z";

export function hours(from: string, to: string): Hours {
  return { from, to };
}

/** Open every day at these hours. */
export function daily(zone: string, ...windows: Hours[]): Schedule {
  return defineSchedule(dailyDefinition(zone, ...windows));
}

export function dailyDefinition(zone: string, ...windows: Hours[]): ScheduleDefinition {
  return { zone, weekly: Object.fromEntries(allDays.map((day) => [day, windows])) };
}

export function every(stepMinutes: number, anchor: Grid["anchor"] = "window"): Grid {
  return { stepMinutes, anchor };
}

type Range = Omit<ListStartsInput, keyof AdmissionRules | "now"> & { readonly now?: ListStartsInput["now"] };

/** Listed starts as "MM-DDTHH:mmZ", long before the range unless `now` is given. */
export function starts(range: Range, rules: AdmissionRules & { readonly grid: Grid }): string[] {
  return listStarts({ now: longAgo, ...range, ...rules }).map(short);
}

export function short(at: Date): string {
  return `${at.toISOString().slice(5, 16)}Z`;
}

/** The times only, for lists within a day of UTC. */
export function clock(at: string): string {
  return at.slice(6, 11);
}
