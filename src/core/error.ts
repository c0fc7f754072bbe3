/**
 * Every code a {@link BookonceError} can carry. Refusals that a caller can expect (a taken slot, a lapsed hold) are not errors:
 * they are outcomes of the verbs.
 *
 * - `invalid_input`: the arguments are malformed; `problems` names every one. Nothing was written.
 * - `unavailable`: the database could not be reached, or did not answer within the budget. `retryable` is true; whether the last
 *   attempt was stored is unknown, and repeating the same call is safe.
 * - `unsupported_isolation`: the caller's transaction runs above READ COMMITTED, where a lock does not show what changed before it;
 *   or it is READ ONLY; or no transaction is open at all.
 * - `not_migrated`: the tables are missing or older than this version; run `migrate()`.
 * - `unknown_booking`, `unknown_payment`, `unknown_refund`: an administrative call named a row that does not exist.
 * - `not_allowed`: an administrative call does not fit the state of the row, or what its provider can do.
 * - `provider`: a payment provider's API refused a call that we cannot do without.
 * - `internal`: a bug in bookonce; `cause` has the original error.
 */
export type BookonceErrorCode =
  | "invalid_input"
  | "unavailable"
  | "unsupported_isolation"
  | "not_migrated"
  | "unknown_booking"
  | "unknown_payment"
  | "unknown_refund"
  | "not_allowed"
  | "provider"
  | "internal";

/** One problem of a malformed input: where it is and what is wrong. */
export interface InputProblem {
  readonly path: string;
  readonly message: string;
}

interface BookonceErrorDetails {
  readonly retryable?: boolean;
  readonly cause?: unknown;
  readonly problems?: readonly InputProblem[];
}

// A registered symbol, so that two copies of the package (or a bundle of it) recognise each other's errors.
const brand: symbol = Symbol.for("bookonce.error");

/**
 * What bookonce throws when something happened that the caller could not expect. Recognise it with {@link isBookonceError}.
 *
 * @example
 * ```ts
 * import { isBookonceError } from "bookonce";
 *
 * export function shouldRetry(error: unknown): boolean {
 *   return isBookonceError(error) && error.retryable;
 * }
 * ```
 */
export class BookonceError extends Error {
  override readonly name: string = "BookonceError";
  readonly code: BookonceErrorCode;
  /** True when the same call may succeed later, unchanged. */
  readonly retryable: boolean;
  /** For `invalid_input`: every problem found. */
  readonly problems: readonly InputProblem[];

  constructor(code: BookonceErrorCode, message: string, details: BookonceErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.retryable = details.retryable ?? false;
    this.problems = details.problems ?? [];
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Whether `error` is a {@link BookonceError}, even one thrown by another copy of the package. */
export function isBookonceError(error: unknown): error is BookonceError {
  return typeof error === "object" && error !== null && brand in error;
}
