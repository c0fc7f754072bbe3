import { z } from "zod";
import { field, type TelegramApi, toTelegramError } from "./api.ts";
import { check, having } from "./check.ts";

/** The part of grammY's `bot.api` that we use. */
export interface GrammyApiLike {
  /** grammY's raw methods, by name. */
  readonly raw: object;
}

/** The part of Telegraf's `bot.telegram` that we use. */
export interface TelegrafLike {
  callApi(method: never, params: never, options: never): Promise<unknown>;
}

const grammySchema = z.custom<GrammyApiLike>(
  (api) => typeof api === "object" && api !== null && typeof Reflect.get(api, "raw") === "object",
  "must be bot.api",
);
const telegrafSchema = having<TelegrafLike>("bot.telegram", "callApi");

// grammY binds an empty payload to these: their first argument is the signal.
const withoutParameters: ReadonlySet<string> = new Set(["getMe", "getWebhookInfo", "getMyStarBalance"]);

/**
 * The API port over grammY. Pass `bot.api`; transformers that you installed stay in force, within our deadlines.
 *
 * @example
 * ```ts
 * import { grammyApi } from "bookonce/telegram";
 * import { Bot } from "grammy";
 *
 * const bot = new Bot(process.env["BOT_TOKEN"] ?? "");
 * export const api = grammyApi(bot.api);
 * ```
 */
export function grammyApi(api: GrammyApiLike): TelegramApi {
  check("grammyApi", grammySchema, api);
  return {
    async call(method, params, { signal }) {
      const raw = field(api.raw, method);
      if (typeof raw !== "function") throw new TypeError(`grammyApi: no method ${method}; pass bot.api`);
      try {
        const answer: unknown = await (withoutParameters.has(method) ? raw(signal) : raw(params, signal));
        return answer;
      } catch (error) {
        throw toTelegramError(method, error, signal);
      }
    },
  };
}

/**
 * The API port over Telegraf 4. Pass `bot.telegram`; methods that Telegraf does not know (refunds, Stars) work too.
 *
 * @example
 * ```ts
 * import { telegrafApi } from "bookonce/telegram";
 * import { Telegraf } from "telegraf";
 *
 * const bot = new Telegraf(process.env["BOT_TOKEN"] ?? "");
 * export const api = telegrafApi(bot.telegram);
 * ```
 */
export function telegrafApi(telegram: TelegrafLike): TelegramApi {
  check("telegrafApi", telegrafSchema, telegram);
  return {
    async call(method, params, { signal }) {
      try {
        // Telegraf's types know the methods of 2024 only; its code sends any.
        return await telegram.callApi(method as never, params as never, { signal } as never);
      } catch (error) {
        throw toTelegramError(method, error, signal);
      }
    },
  };
}
