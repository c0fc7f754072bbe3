import { z } from "zod";
import { field, retryAfterMs, type TelegramApi, TelegramApiError, TelegramCallError } from "./api.ts";
import { aFunction, check } from "./check.ts";

/** How to reach the Bot API without a framework. */
export interface FetchApiOptions {
  /** The bot's token. It never appears in an error of ours. */
  readonly token: string;
  /** Default `https://api.telegram.org`. */
  readonly apiRoot?: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Telegram's test environment. Default false. */
  readonly test?: boolean;
}

// Zod never shows the value in its message: it is a secret.
const schema = z.strictObject({
  token: z
    .string("must be the bot's token")
    .regex(/^\d+:[\w-]+$/, "must look like 123456:ABC-def, as BotFather gave it"),
  apiRoot: z.string().refine(URL.canParse, "must be a URL").default("https://api.telegram.org"),
  fetch: aFunction<typeof fetch>().default(() => fetch),
  test: z.boolean().default(false),
});

/**
 * The API port over plain `fetch`, for workers without a bot framework.
 *
 * @example
 * ```ts
 * import { fetchApi, starsRefunder } from "bookonce/telegram";
 *
 * export const refunder = starsRefunder(fetchApi({ token: process.env["BOT_TOKEN"] ?? "" }));
 * ```
 *
 * @throws BookonceError `invalid_input`: a token or an API root that cannot be right.
 */
export function fetchApi(options: FetchApiOptions): TelegramApi {
  const { token, apiRoot, test, fetch: send } = check("fetchApi", schema, options);
  const base = `${apiRoot.replace(/\/+$/, "")}/bot${token}/${test ? "test/" : ""}`;
  return {
    async call(method, params, { signal }) {
      const response = await send(`${base}${method}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(params),
        redirect: "error",
        signal,
      }).catch((cause: unknown) => {
        throw new TelegramCallError(method, "the request failed", { timedOut: signal.aborted, cause });
      });
      return resultOf(method, response, signal);
    },
  };
}

async function resultOf(method: string, response: Response, signal: AbortSignal): Promise<unknown> {
  let body: unknown;
  try {
    body = await response.json();
  } catch (cause) {
    // A proxy's error page is an answer, though not Telegram's; a broken body is none.
    if (response.status >= 400) throw new TelegramApiError(method, response.status, response.statusText || "no JSON");
    throw new TelegramCallError(method, "the reply was cut off or is no JSON", { timedOut: signal.aborted, cause });
  }
  if (field(body, "ok") === true) return field(body, "result");
  const code = field(body, "error_code");
  const description = field(body, "description");
  throw new TelegramApiError(
    method,
    typeof code === "number" ? code : response.status,
    typeof description === "string" ? description : "no description",
    retryAfterMs(field(field(body, "parameters"), "retry_after")),
  );
}
