import { z } from "zod";
import { startOfDay } from "./civil-time.ts";
import type { Opening } from "./schedule.ts";
import { milliseconds, whole } from "./schema.ts";

/** At which times a service may start. */
export interface Grid {
  /** Minutes that pass between two starts. Always elapsed time, also when the clocks are changed. */
  readonly stepMinutes: number;
  /**
   * Where the counting begins. `window`: at the start of each window of the schedule. `opening`: again after each break.
   * `midnight`: at the start of the date on which the window starts.
   */
  readonly anchor: "window" | "opening" | "midnight";
}

export const grid: z.ZodType<Grid> = z.strictObject({
  stepMinutes: whole("minutes", 1, 24 * 60),
  anchor: z.enum(["window", "opening", "midnight"], "must be window, opening or midnight"),
});

/** The starts on the grid of some openings between two instants, in order, whether or not a service fits. */
export function startsOnGrid(
  openings: readonly Opening[],
  grid: Grid,
  zone: string,
  from: number,
  to: number,
): number[] {
  const step = grid.stepMinutes * milliseconds.minute;
  // Where windows of two dates overlap, both may offer the same start: a set.
  const starts = new Set<number>();
  for (const opening of openings) {
    const anchor = anchorOf(opening, grid, zone);
    const first = Math.max(opening.start, from);
    const end = Math.min(opening.end, to);
    for (let start = anchor + Math.ceil((first - anchor) / step) * step; start < end; start += step) starts.add(start);
  }
  return [...starts].sort((left, right) => left - right);
}

/** Whether an instant is on the grid of one of the openings it lies in. */
export function isOnGrid(openings: readonly Opening[], grid: Grid, zone: string, start: number): boolean {
  const step = grid.stepMinutes * milliseconds.minute;
  return openings.some(
    (opening) => opening.start <= start && start < opening.end && (start - anchorOf(opening, grid, zone)) % step === 0,
  );
}

function anchorOf(opening: Opening, grid: Grid, zone: string): number {
  if (grid.anchor === "window") return opening.windowStart;
  return grid.anchor === "opening" ? opening.start : startOfDay(opening.date, zone);
}
