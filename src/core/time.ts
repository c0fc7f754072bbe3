/** Milliseconds since 1970-01-01T00:00Z. The core compares and adds instants; it never asks what time it is. */
export type Instant = number;

/** A half-open interval: `start` belongs to it, `end` does not, so that touching intervals do not collide (B2). */
export interface Interval {
  readonly start: Instant;
  readonly end: Instant;
}

/** setTimeout takes no more, and answers more with an immediate call. */
export const longestTimerMs: number = 2 ** 31 - 1;

export function overlaps(left: Interval, right: Interval): boolean {
  return left.start < right.end && right.start < left.end;
}
