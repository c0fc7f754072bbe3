import { setTimeout as sleep } from "node:timers/promises";
import { BookonceError, isBookonceError } from "../../core/error.ts";

/**
 * What to do while the database is away.
 *
 * - `"none"`: answer `ack: "retry"` at once. For webhooks, where Telegram delivers again.
 * - `"until_stored"`: keep trying with back-off until it is stored or the signal fires. For long polling, where nobody delivers again.
 */
export type Patience = "none" | "until_stored";

export type Persisted<Result> =
  | { readonly stored: true; readonly result: Result }
  /** `permanent`: trying again cannot help. */
  | { readonly stored: false; readonly permanent: boolean; readonly error: BookonceError };

export interface PersistOptions {
  readonly patience: Patience;
  readonly signal: AbortSignal | undefined;
  /** Told about every failed attempt. */
  readonly report: (error: unknown) => void;
}

/** Does work that must not be lost: whatever fails is reported, and tried again as long as patience says. Never rejects. */
export async function persist<Result>(
  work: () => Promise<Result>,
  options: PersistOptions,
): Promise<Persisted<Result>> {
  const { patience, signal, report } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { stored: true, result: await work() };
    } catch (caught) {
      const error = toBookonceError(caught);
      report(caught);
      const permanent = error.code === "invalid_input";
      if (permanent || patience === "none" || !(await pause(backOff(attempt), signal))) {
        return { stored: false, permanent, error };
      }
    }
  }
}

/** False when the signal fired before the time was over. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  const ended = sleep(milliseconds, true, signal === undefined ? {} : { signal });
  return ended.catch(() => false);
}

/** 0.1 s, 0.2 s, 0.4 s … at most 5 s, with jitter. */
function backOff(attempt: number): number {
  return Math.min(100 * 2 ** (attempt - 1), 5_000) * (0.75 + Math.random() / 2);
}

function toBookonceError(error: unknown): BookonceError {
  if (isBookonceError(error)) return error;
  return new BookonceError("internal", "An unexpected error; its cause has the details.", { cause: error });
}
