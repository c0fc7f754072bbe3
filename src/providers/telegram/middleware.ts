import { z } from "zod";
import { aFunction, signal as aSignal, check, having } from "./check.ts";
import type { HandledUpdate } from "./outcomes.ts";
import type { Telegram } from "./telegram.ts";

/** The part of a framework's context that we use; grammY's and Telegraf's both have it. */
export interface UpdateContext {
  readonly update: object;
}

export interface MiddlewareOptions<Context> {
  /**
   * How the bot gets its updates. `"polling"` (default): nobody delivers twice, so a receipt is tried again until it is stored.
   * `"webhook"` (grammY only): a receipt that cannot be stored rejects, grammY answers 500, and Telegram delivers again.
   */
  readonly delivery?: "polling" | "webhook";
  /** Fires when the bot stops: no more waiting for the database. */
  readonly signal?: AbortSignal;
  /**
   * After an update of ours was dealt with, for a word to the buyer. What it throws is reported and changes nothing (B11). News that
   * must not be lost belongs into `bookonce.events`.
   */
  readonly onHandled?: (result: HandledUpdate, ctx: Context) => unknown;
}

type Next = () => Promise<void>;

/**
 * Middleware for grammY. Install it before everything else (before sessions, menus and conversations): it needs nothing of them and
 * passes on what is not a payment of ours.
 *
 * @example
 * ```ts
 * import { grammyMiddleware, type Telegram } from "bookonce/telegram";
 * import type { Bot } from "grammy";
 *
 * export function install(bot: Bot, telegram: Telegram) {
 *   bot.use(grammyMiddleware(telegram, { onHandled: (result, ctx) => result.outcome === "booked" && ctx.reply("Booked!") }));
 * }
 * ```
 *
 * Rejects (`delivery: "webhook"` only) with BookonceError `unavailable` and its like when the update must be delivered again.
 */
export function grammyMiddleware<Context extends UpdateContext>(
  telegram: Telegram,
  options: MiddlewareOptions<Context> = {},
): (ctx: Context, next: Next) => Promise<void> {
  return middleware(telegram, options);
}

/**
 * Middleware for Telegraf under long polling. Install it first. Make the bot with `handlerTimeout: Infinity`: Telegraf's default of 90
 * seconds stops the bot when the database is away for longer, and loses the batch.
 *
 * Behind a webhook use `telegramWebhook` instead, with `next: (update) => bot.handleUpdate(update)`: Telegraf answers 200 to Telegram
 * even when a handler throws, and the receipt would be lost.
 *
 * @example
 * ```ts
 * import { telegrafMiddleware, type Telegram } from "bookonce/telegram";
 * import type { Telegraf } from "telegraf";
 *
 * export function install(bot: Telegraf, telegram: Telegram) {
 *   bot.use(telegrafMiddleware(telegram));
 * }
 * ```
 */
export function telegrafMiddleware<Context extends UpdateContext>(
  telegram: Telegram,
  options: Omit<MiddlewareOptions<Context>, "delivery"> = {},
): (ctx: Context, next: Next) => Promise<void> {
  return middleware(telegram, options);
}

const telegramSchema = having<Telegram>("what createTelegram(…) made", "handleUpdate", "report");
const optionsSchema = z.strictObject({
  // Mistyped it would mean that nobody tries again.
  delivery: z.enum(["polling", "webhook"]).default("polling"),
  signal: aSignal.optional(),
  onHandled: aFunction<(result: HandledUpdate, ctx: never) => unknown>().optional(),
});

function middleware<Context extends UpdateContext>(
  telegram: Telegram,
  options: MiddlewareOptions<Context>,
): (ctx: Context, next: Next) => Promise<void> {
  check("middleware: telegram", telegramSchema, telegram);
  const { delivery, signal } = check("middleware", optionsSchema, options);
  const { onHandled } = options;
  const patience = delivery === "polling" ? "until_stored" : "none";
  return async (ctx, next) => {
    const result = await telegram.handleUpdate(ctx.update, signal === undefined ? { patience } : { patience, signal });
    if (!result.handled) return next();
    if (result.outcome === "not_stored" && delivery === "webhook") throw result.error;
    try {
      await onHandled?.(result, ctx);
    } catch (error) {
      telegram.report(error, "on_handled");
    }
  };
}
