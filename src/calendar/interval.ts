/** A half-open stretch of time in epoch milliseconds: `start` belongs to it, `end` does not (B2). */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

export function overlaps(left: Interval, right: Interval): boolean {
  return left.start < right.end && right.start < left.end;
}

/** In order, with what touches or overlaps made one; empty ones are dropped. */
export function merge(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const next of intervals.filter(isSome).sort((left, right) => left.start - right.start)) {
    const last = merged.at(-1);
    if (last !== undefined && next.start <= last.end) {
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, next.end) };
    } else {
      merged.push({ start: next.start, end: next.end });
    }
  }
  return merged;
}

/** What both have. */
export function intersect(left: readonly Interval[], right: readonly Interval[]): Interval[] {
  return merge(
    left.flatMap((one) =>
      right.map((other) => ({ start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) })),
    ),
  );
}

/** What is left of one interval when others are taken out, in order. */
export function subtract(from: Interval, taken: readonly Interval[]): Interval[] {
  const left: Interval[] = [];
  let start = from.start;
  for (const out of merge(taken)) {
    if (out.start > start) left.push({ start, end: Math.min(out.start, from.end) });
    start = Math.max(start, out.end);
  }
  left.push({ start, end: from.end });
  return left.filter(isSome);
}

function isSome(interval: Interval): boolean {
  return interval.start < interval.end;
}
