import { z } from "zod";
import { type Interval, overlaps } from "./interval.ts";
import { milliseconds, whole } from "./schema.ts";

/** Time kept free around what is booked. It widens the claim; it need not lie within opening hours. */
export interface Buffers {
  readonly beforeMinutes?: number;
  readonly afterMinutes?: number;
}

/** {@link Buffers} after checking. */
export interface ParsedBuffers {
  readonly beforeMinutes?: number | undefined;
  readonly afterMinutes?: number | undefined;
}

export const buffers: z.ZodType<ParsedBuffers> = z.strictObject({
  beforeMinutes: whole("minutes", 0, 7 * 24 * 60).optional(),
  afterMinutes: whole("minutes", 0, 7 * 24 * 60).optional(),
});

/** The interval with its buffers: what is compared with other claims, and what a booking claims. */
function widen(interval: Interval, { beforeMinutes = 0, afterMinutes = 0 }: ParsedBuffers = {}): Interval {
  return {
    start: interval.start - beforeMinutes * milliseconds.minute,
    end: interval.end + afterMinutes * milliseconds.minute,
  };
}

/** What stands in the way of an interval: another one, or only the buffer around it; null when nothing does. */
export function collision(
  interval: Interval,
  around: ParsedBuffers | undefined,
  busy: readonly Interval[],
): "busy" | "buffer" | null {
  const claim = widen(interval, around);
  const rivals = busy.filter((other) => overlaps(claim, other));
  if (rivals.length === 0) return null;
  return rivals.some((other) => overlaps(interval, other)) ? "busy" : "buffer";
}
