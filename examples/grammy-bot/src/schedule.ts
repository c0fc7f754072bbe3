import type { Bookonce } from "bookonce";
import { Temporal } from "temporal-polyfill";
import type { Config } from "./config.ts";

/** The consultant is the one resource of this bot. */
export const resource = "consultant";

/** Days that are offered, in the consultant's zone. */
export function offeredDays(config: Config): Temporal.PlainDate[] {
  const today = Temporal.Now.plainDateISO(config.zone);
  return Array.from({ length: config.daysAhead }, (_, index) => today.add({ days: index + 1 }));
}

/** Free times of a day. Only for showing: claiming looks again (rule B1). */
export async function freeTimes<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  day: Temporal.PlainDate,
): Promise<Date[]> {
  const dayStart = day.toZonedDateTime(config.zone);
  const open = dayStart.withPlainTime({ hour: config.hours.from });
  const close = config.hours.to === 24 ? dayStart.add({ days: 1 }) : dayStart.withPlainTime({ hour: config.hours.to });
  const from = new Date(open.epochMilliseconds);
  const to = new Date(close.epochMilliseconds);
  const busy = await bookonce.bookings.busy({ resources: [resource], from, to });
  const length = config.minutes * 60_000;
  const times: Date[] = [];
  for (let start = from.getTime(); start + length <= to.getTime(); start += length) {
    const taken = busy.some((one) => one.start.getTime() < start + length && start < one.end.getTime());
    if (!taken && start > Date.now()) times.push(new Date(start));
  }
  return times;
}

/** The next free times of all, for the one who was too late. */
export async function nextFreeTimes<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  count: number,
): Promise<Date[]> {
  const times: Date[] = [];
  for (const day of offeredDays(config)) {
    if (times.length >= count) break;
    times.push(...(await freeTimes(bookonce, config, day)));
  }
  return times.slice(0, count);
}

/** "Tue 1 Dec, 15:00 (Tashkent time)": a time is never shown without saying whose it is (rule B15). */
export function timeLabel(config: Config, at: Date): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: config.zone,
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return `${format.format(at)} (${cityOf(config.zone)} time)`;
}

export function clockLabel(config: Config, at: Date): string {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone: config.zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(at);
}

export function dayLabel(day: Temporal.PlainDate): string {
  return day.toLocaleString("en-GB", { weekday: "short", day: "numeric", month: "short" });
}

function cityOf(zone: string): string {
  return (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");
}
