import { z } from "zod";
import { edgeOf, occurrences, sameWall, wallOf } from "./civil-time.ts";
import { date, type InstantInput, instant, milliseconds, parse, time, zone } from "./schema.ts";

/**
 * A booked time as it was agreed with the customer: the clock on the wall of the place, beside the instant. Store
 * `process.versions.tz` with it: when the version changes, ask {@link checkAnchor} about every booking still to come.
 */
export interface Anchor {
  /** "YYYY-MM-DD" in `zone`. */
  readonly date: string;
  /** "HH:mm". */
  readonly time: string;
  readonly zone: string;
  readonly instant: InstantInput;
}

/**
 * What the zone data of today make of an anchor.
 *
 * - `same`: the wall time still is at that instant.
 * - `moved`: the rules of the zone have changed, and the wall time is now at `instant`, `byMinutes` later (earlier when negative).
 * - `skipped`: the clocks now skip the wall time; `instant` is the end of the gap. A person should look at it.
 */
export type AnchorCheck =
  | { readonly outcome: "same" }
  | { readonly outcome: "moved" | "skipped"; readonly instant: Date; readonly byMinutes: number };

const input = z.strictObject({ date, time, zone, instant });
const instantIn = z.strictObject({ instant, zone });

/** The anchor of an instant, to be stored with a booking. Throws {@link CalendarError} for an instant or a zone that is none. */
export function anchorOf(at: InstantInput, zoneName: string): Anchor & { readonly instant: Date } {
  const checked = parse("anchorOf", instantIn, { instant: at, zone: zoneName });
  return { ...wallOf(checked.instant, checked.zone), zone: checked.zone, instant: new Date(checked.instant) };
}

/**
 * Whether a stored wall time is still at its stored instant. Governments change clocks at short notice; what was agreed is the
 * time on the wall, so that a booking moves with it, but never silently: it may now collide with another one.
 *
 * Throws {@link CalendarError} for an anchor that is malformed.
 *
 * @example
 * ```ts
 * import { checkAnchor } from "bookonce/calendar";
 *
 * // Agreed in 2023, when Almaty was at UTC+6; on 2024-03-01 it went to UTC+5.
 * const check = checkAnchor({ date: "2024-06-03", time: "10:00", zone: "Asia/Almaty", instant: "2024-06-03T04:00:00Z" });
 * export const later: number = check.outcome === "same" ? 0 : check.byMinutes; // 60
 * ```
 */
export function checkAnchor(anchor: Anchor): AnchorCheck {
  const { instant: stored, zone: zoneName, ...wall } = parse("checkAnchor", input, anchor);
  // In a repeated hour either instant shows the wall time: this asks the clock, not the calendar.
  if (sameWall(wallOf(stored, zoneName), wall)) return { outcome: "same" };
  const seconds = stored % milliseconds.minute;
  const first = edgeOf(wall, zoneName, "first");
  const last = edgeOf(wall, zoneName, "last");
  const nearest = Math.abs(last - stored) < Math.abs(first - stored) ? last : first;
  const skipped = occurrences(wall, zoneName) === "never";
  const now = skipped ? nearest : nearest + seconds;
  return {
    outcome: skipped ? "skipped" : "moved",
    instant: new Date(now),
    byMinutes: Math.round((now - stored) / milliseconds.minute),
  };
}
