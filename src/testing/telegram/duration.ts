/**
 * A length of time. The parts are added together.
 *
 * @example
 * ```ts
 * import type { FakeTelegram } from "bookonce/testing";
 *
 * export const later = (telegram: FakeTelegram): Promise<void> => telegram.clock.advance({ minutes: 10 });
 * ```
 */
export interface Duration {
  days?: number | undefined;
  hours?: number | undefined;
  minutes?: number | undefined;
  seconds?: number | undefined;
  milliseconds?: number | undefined;
}

/** The length of a {@link Duration} in milliseconds. */
export function toMilliseconds(duration: Duration): number {
  const hours = (duration.days ?? 0) * 24 + (duration.hours ?? 0);
  const seconds = (hours * 60 + (duration.minutes ?? 0)) * 60 + (duration.seconds ?? 0);
  return seconds * 1000 + (duration.milliseconds ?? 0);
}
