import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { aFunction, check, having } from "./check.ts";
import type { Telegram } from "./telegram.ts";

export interface WebhookOptions<Update> {
  /**
   * The `secret_token` of `setWebhook`: 1 to 256 characters of `A-Z a-z 0-9 _ -`. Without one, whoever finds the URL could forge a
   * receipt (P5).
   */
  readonly secretToken: string;
  /** What is not ours, such as `(update) => bot.handleUpdate(update)`. A rejection answers 500, and Telegram delivers again. */
  readonly next?: (update: Update, request: Request) => unknown;
  /** What Telegram is asked to wait before it delivers again, in seconds. Default 2. */
  readonly retryAfterSeconds?: number;
}

const telegramSchema = having<Telegram>("what createTelegram(…) made", "handleUpdate", "report");
const optionsSchema = z.strictObject({
  // A text first: a pattern would find "undefined" in nothing at all.
  secretToken: z.string("must be a text").regex(/^[\w-]{1,256}$/, "must be 1 to 256 characters of A-Z a-z 0-9 _ -"),
  next: aFunction<(update: never, request: Request) => unknown>().optional(),
  retryAfterSeconds: z.number().int().min(0).max(86_400).default(2),
});

const maxBodyBytes = 1_048_576;

/**
 * A webhook for any server that speaks `Request` and `Response`: Hono, Bun, Deno, Next.js, `@hono/node-server` on plain Node.
 *
 * Answers 200 when the update is dealt with; 503 with `Retry-After` when a receipt could not be stored, so that Telegram delivers it
 * again; 401 for a wrong secret, compared in constant time before anything else; 400 and 413 for bodies that are not Telegram's;
 * 405 for anything but POST; 500 when `next` rejects.
 *
 * @example
 * ```ts
 * import { serve } from "@hono/node-server";
 * import { type Telegram, telegramWebhook } from "bookonce/telegram";
 * import type { Bot } from "grammy";
 * import type { Update } from "grammy/types";
 *
 * export function listen(telegram: Telegram, bot: Bot, secretToken: string) {
 *   const next = (update: Update) => bot.handleUpdate(update);
 *   return serve({ fetch: telegramWebhook(telegram, { secretToken, next }), port: 8080 });
 * }
 * ```
 *
 * @throws BookonceError `invalid_input`: a secret that Telegram would not accept.
 */
export function telegramWebhook<Update = unknown>(
  telegram: Telegram,
  options: WebhookOptions<Update>,
): (request: Request) => Promise<Response> {
  check("telegramWebhook: telegram", telegramSchema, telegram);
  const { secretToken, retryAfterSeconds } = check("telegramWebhook", optionsSchema, options);
  const { next } = options;
  const expected = digest(secretToken);
  return async (request) => {
    if (request.method !== "POST") return reply(405, { allow: "POST" });
    const given = request.headers.get("x-telegram-bot-api-secret-token") ?? "";
    if (!timingSafeEqual(digest(given), expected)) return reply(401);
    let update: Update;
    try {
      const body = await request.text();
      if (Buffer.byteLength(body) > maxBodyBytes) return reply(413);
      // The secret vouches for the shape.
      update = JSON.parse(body);
    } catch {
      return reply(400);
    }
    const result = await telegram.handleUpdate(update);
    if (result.ack === "retry") return reply(503, { "retry-after": String(retryAfterSeconds) });
    if (result.handled || next === undefined) return reply(200);
    try {
      await next(update, request);
      return reply(200);
    } catch (error) {
      telegram.report(error, "next");
      return reply(500);
    }
  };
}

// Of equal length whatever was given, as timingSafeEqual wants it.
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function reply(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers });
}
