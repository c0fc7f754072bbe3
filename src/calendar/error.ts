/**
 * Why the calendar refused an argument.
 *
 * - `invalid_input`: something is malformed; `problems` names every one.
 * - `missing_zone_data`: this JavaScript runtime carries no time zone data, so that no wall time can be converted. A fault of the
 *   installation, not of the argument.
 */
export type CalendarErrorCode = "invalid_input" | "missing_zone_data";

/** One problem: where it is (`weekly.monday.0.to`; `input` for the whole) and what is wrong. */
export interface CalendarProblem {
  readonly path: string;
  readonly message: string;
}

// A registered symbol, so that two copies of the package recognise each other's errors.
const brand: symbol = Symbol.for("bookonce.calendar.error");

/**
 * What the calendar throws when it cannot understand its arguments. A time that is not offered is no error: it is a
 * {@link TimeRefusal}. Recognise it with {@link isCalendarError}.
 *
 * @example
 * ```ts
 * import { defineSchedule, isCalendarError } from "bookonce/calendar";
 *
 * export function problemsOf(definition: Parameters<typeof defineSchedule>[0]): readonly string[] {
 *   try {
 *     defineSchedule(definition);
 *     return [];
 *   } catch (error) {
 *     if (!isCalendarError(error)) throw error;
 *     return error.problems.map((problem) => `${problem.path}: ${problem.message}`);
 *   }
 * }
 * ```
 */
export class CalendarError extends Error {
  override readonly name: string = "CalendarError";
  readonly code: CalendarErrorCode;
  /** Every problem found. */
  readonly problems: readonly CalendarProblem[];

  constructor(code: CalendarErrorCode, what: string, problems: readonly CalendarProblem[]) {
    super(`${what}: ${problems.map((problem) => `${problem.path}: ${problem.message}`).join("; ")}`);
    this.code = code;
    this.problems = problems;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Whether `error` is a {@link CalendarError}, even one thrown by another copy of the package. */
export function isCalendarError(error: unknown): error is CalendarError {
  return typeof error === "object" && error !== null && brand in error;
}
