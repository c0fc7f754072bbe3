/** A refusal as the Bot API words it; it becomes the reply's `error_code`, `description` and `parameters`. */
export class BotApiError extends Error {
  override readonly name: string = "BotApiError";
  readonly code: number;
  readonly retryAfter: number | undefined;

  constructor(code: number, description: string, retryAfter?: number) {
    super(description);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** 400 with Telegram's usual prefix. */
export function badRequest(text: string): BotApiError {
  return new BotApiError(400, `Bad Request: ${text}`);
}

/** What Telegram says about a query id that is late, unknown or gone: it does not tell these apart. */
export function queryIsGone(): BotApiError {
  return badRequest("query is too old and response timeout expired or query ID is invalid");
}
