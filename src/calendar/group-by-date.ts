import { z } from "zod";
import { wallOf } from "./civil-time.ts";
import { type InstantInput, instant, parse, zone } from "./schema.ts";

/** The starts that fall on one date of a viewer. */
export interface DateGroup {
  /** "YYYY-MM-DD". */
  readonly date: string;
  readonly starts: readonly Date[];
}

const startsIn = z.strictObject({ starts: z.array(instant), zone });

/**
 * Starts under the dates of a viewer's zone, in order of time. The viewer's zone groups and labels; it never adds a start or takes
 * one away. Throws {@link CalendarError} for an instant or a zone that is none.
 *
 * @example
 * ```ts
 * import { groupByDate } from "bookonce/calendar";
 *
 * const days = groupByDate(["2026-06-09T20:00:00Z", "2026-06-09T22:00:00Z"], "Europe/Berlin");
 * export const dates: string[] = days.map((day) => day.date); // ["2026-06-09", "2026-06-10"]
 * ```
 */
export function groupByDate(starts: readonly InstantInput[], viewerZone: string): DateGroup[] {
  const input = parse("groupByDate", startsIn, { starts, zone: viewerZone });
  const groups = new Map<string, Date[]>();
  for (const start of input.starts.toSorted((left, right) => left - right)) {
    const { date } = wallOf(start, input.zone);
    const group = groups.get(date);
    if (group === undefined) groups.set(date, [new Date(start)]);
    else group.push(new Date(start));
  }
  return [...groups].map(([date, list]) => ({ date, starts: list }));
}
