import type { Bookonce } from "bookonce";
import { type DateGroup, groupByDate } from "bookonce/calendar";
import type { Config } from "./config.ts";
import type { Seeker } from "./seeker.ts";
import { service } from "./service.ts";

const dayMs = 86_400_000;

/** Every free time, by the days of the consultant's calendar. Only for showing: claiming looks again (rule B1). */
export async function freeDays<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  seeker: Seeker,
): Promise<readonly DateGroup[]> {
  // Wide enough for clocks that differ: the service's own rules, by the clock of the database, say where the times begin and end.
  const from = new Date(Date.now() - dayMs);
  const to = new Date(Date.now() + (config.daysAhead + 2) * dayMs);
  const free = await bookonce.slots.find({ ...queryOf(seeker), from, to });
  const starts = free.map(({ start }) => start);
  return groupByDate(starts, config.zone);
}

/** The next free times of all, for the one whose time cannot be had. */
export async function nextFreeTimes<Caller>(
  bookonce: Bookonce<Caller>,
  seeker: Seeker,
  count: number,
): Promise<readonly Date[]> {
  const free = await bookonce.slots.nextFree({ ...queryOf(seeker), count });
  return free.map(({ start }) => start);
}

function queryOf({ customer, replaces }: Seeker) {
  return { service, customer, ...(replaces === undefined ? {} : { replaces }) };
}
