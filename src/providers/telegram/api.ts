/**
 * Telegram's Bot API as we need it: one call by name. `grammyApi`, `telegrafApi` and `fetchApi` make one; anything else that can call
 * a method by its name does too.
 *
 * A call rejects with {@link TelegramApiError} when Telegram answered `ok: false`. Every other rejection ({@link TelegramCallError})
 * means that nobody knows whether Telegram heard it: the network failed, or the signal fired.
 */
export interface TelegramApi {
  call(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: { readonly signal: AbortSignal },
  ): Promise<unknown>;
}

/** Telegram answered, and the answer is no. */
export class TelegramApiError extends Error {
  override readonly name: string = "TelegramApiError";
  readonly method: string;
  /** Telegram's code, such as 400, 401, 429. From 500 on the outcome is unknown. */
  readonly errorCode: number;
  /** Telegram's own words, such as `Bad Request: CHARGE_NOT_FOUND`. */
  readonly description: string;
  /** How long Telegram asks to wait, in milliseconds; null when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(method: string, errorCode: number, description: string, retryAfterMs: number | null = null) {
    super(`${method}: ${errorCode} ${description}`);
    this.method = method;
    this.errorCode = errorCode;
    this.description = description;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer: a network error, a time-out, a reply that is no Bot API reply. Telegram may have done what was asked. */
export class TelegramCallError extends Error {
  override readonly name: string = "TelegramCallError";
  readonly method: string;
  /** True when our own time was over (the signal fired), false when the network failed. */
  readonly timedOut: boolean;

  constructor(method: string, message: string, options: { readonly timedOut: boolean; readonly cause?: unknown }) {
    super(`${method}: ${message}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.method = method;
    this.timedOut = options.timedOut;
  }
}

/**
 * Calls and waits until the signal fires, even when the port ignores it: a bot's own retry plugin must not hold us longer than
 * Telegram waits (S3). Rejects with one of the two errors above and with nothing else.
 */
export async function callTelegram(
  api: TelegramApi,
  method: string,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<unknown> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = (): void =>
    reject(new TelegramCallError(method, "no answer in time", { timedOut: true, cause: signal.reason }));
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([givenUp, asPromise(() => api.call(method, params, { signal }))]);
  } catch (error) {
    throw toTelegramError(method, error, signal);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

async function asPromise(work: () => Promise<unknown>): Promise<unknown> {
  return await work();
}

/** Whatever a port or a framework throws, as one of our two errors. */
export function toTelegramError(
  method: string,
  error: unknown,
  signal: AbortSignal,
): TelegramApiError | TelegramCallError {
  if (error instanceof TelegramApiError || error instanceof TelegramCallError) return error;
  const answered = refusalOf(error);
  if (answered !== null)
    return new TelegramApiError(method, answered.code, answered.description, answered.retryAfterMs);
  const message = error instanceof Error ? error.message : String(error);
  return new TelegramCallError(method, message, { timedOut: signal.aborted, cause: error });
}

/** An `{ ok: false }` envelope, grammY's `GrammyError`, or Telegraf's `TelegramError`, which keeps the envelope in `response`. */
function refusalOf(error: unknown): { code: number; description: string; retryAfterMs: number | null } | null {
  const envelope = field(error, "response") ?? error;
  const code = field(envelope, "error_code");
  const description = field(envelope, "description");
  if (typeof code !== "number" || typeof description !== "string") return null;
  return { code, description, retryAfterMs: retryAfterMs(field(field(envelope, "parameters"), "retry_after")) };
}

/** `parameters.retry_after` is in seconds. */
export function retryAfterMs(seconds: unknown): number | null {
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}

/** A property of something unknown. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Reflect.get(value, name);
}
