import { z } from "zod";
import { boundsOf, judge, lookAt } from "./admission.ts";
import { type Grid, grid, startsOnGrid } from "./grid.ts";
import { longestRange } from "./openings.ts";
import { type AdmissionRules, ruleShape } from "./rules.ts";
import { type InstantInput, instant, milliseconds, minutesInAYear, parse, whole } from "./schema.ts";

export interface ListStartsInput extends AdmissionRules {
  readonly grid: Grid;
  /** The first start may be at `from`; none is at `to` or later. 400 days at most. */
  readonly from: InstantInput;
  readonly to: InstantInput;
  /** How long the service takes. */
  readonly durationMinutes: number;
  readonly now: InstantInput;
  /** Stop after so many. */
  readonly atMost?: number;
}

const input = z
  .strictObject({
    ...ruleShape,
    grid,
    from: instant,
    to: instant,
    durationMinutes: whole("minutes", 1, minutesInAYear),
    now: instant,
    atMost: whole("starts", 1, 1_000_000).optional(),
  })
  .refine(({ from, to }) => from < to, { path: ["to"], message: "must be after the start" })
  .refine(({ from, to }) => to - from <= longestRange, {
    path: ["to"],
    message: "must be 400 days after the start at most",
  });

// A calendar is looked at in pieces, so that the first free times of a long range cost no more than they should.
const piece = 7 * 24 * milliseconds.hour;

/**
 * The starts that can be booked between two instants, in order: exactly those on the grid that {@link admitTime} admits.
 *
 * The same instants for every viewer; {@link groupByDate} puts them under the viewer's dates. Throws {@link CalendarError} for
 * malformed arguments.
 *
 * @example
 * ```ts
 * import { listStarts, type Schedule } from "bookonce/calendar";
 *
 * export function nextFree(schedule: Schedule, now: Date, busy: readonly { start: Date; end: Date }[]): Date[] {
 *   const to = new Date(now.getTime() + 30 * 24 * 3_600_000);
 *   const grid = { stepMinutes: 30, anchor: "window" } as const;
 *   return listStarts({ schedule, grid, from: now, to, now, durationMinutes: 60, busy, notice: { hours: 2 }, atMost: 3 });
 * }
 * ```
 */
export function listStarts(given: ListStartsInput): Date[] {
  const {
    from,
    to,
    durationMinutes,
    now,
    atMost = Number.POSITIVE_INFINITY,
    ...rules
  } = parse("listStarts", input, given);
  const length = durationMinutes * milliseconds.minute;
  const bounds = boundsOf(now, rules);
  const starts: Date[] = [];
  for (let begin = from; begin < to && starts.length < atMost; begin += piece) {
    const end = Math.min(begin + piece, to);
    const views = lookAt(rules, begin, end + length);
    for (const start of startsOnGrid(views[0]?.openings ?? [], rules.grid, rules.schedule.zone, begin, end)) {
      if (judge({ start, end: start + length }, rules, bounds, views) !== null) continue;
      starts.push(new Date(start));
      if (starts.length >= atMost) break;
    }
  }
  return starts;
}
