import type { Bookonce } from "bookonce";
import type { HandleOptions, Telegram } from "bookonce/telegram";
import { Composer, type Context } from "grammy";
import type { Config } from "./config.ts";
import { report } from "./errors.ts";
import { taken } from "./screens.ts";

/**
 * Pre-checkout queries and receipts. bookonce decides in the database, commits, and answers Telegram within its ten seconds; only
 * afterwards does this bot talk to the buyer.
 */
export function paying<Caller>(
  bookonce: Bookonce<Caller>,
  telegram: Telegram,
  config: Config,
  options: HandleOptions,
): Composer<Context> {
  const composer = new Composer<Context>();
  composer.use(async (ctx, next) => {
    const result = await telegram.handleUpdate(ctx.update, options);
    if (!result.handled) return next();
    // In webhook mode Telegram must send it again; throwing makes the webhook answer an error.
    if (result.outcome === "not_stored") throw result.error;
    if (
      result.outcome === "declined" &&
      result.reason === "slot_taken" &&
      !result.repeated &&
      result.booking &&
      ctx.from
    ) {
      const { text, keyboard } = await taken(bookonce, config, result.booking.start);
      // Only a courtesy: Telegram has shown the refusal already, and the update is dealt with whether or not this arrives.
      await ctx.api
        .sendMessage(ctx.from.id, text, { reply_markup: keyboard })
        .catch((error: unknown) => report("could not offer other times", error));
    }
  });
  return composer;
}
