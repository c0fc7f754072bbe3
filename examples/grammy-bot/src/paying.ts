import type { Bookonce } from "bookonce";
import type { HandledUpdate, HandleOptions, Telegram } from "bookonce/telegram";
import { Composer, type Context } from "grammy";
import type { User } from "grammy/types";
import type { Config } from "./config.ts";
import { report } from "./errors.ts";
import { refused } from "./screens.ts";
import { seekerOf } from "./seeker.ts";

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
    if (ctx.from === undefined) return;
    // Only a courtesy: Telegram has shown the refusal already, and the update is dealt with whether or not this arrives.
    await offerOthers(bookonce, config, ctx, ctx.from, result).catch((error: unknown) =>
      report("could not offer other times", error),
    );
  });
  return composer;
}

/** Whoever was refused because the time is gone is shown, at once, what is free instead (rule B17). */
async function offerOthers<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  { api }: Context,
  from: User,
  result: HandledUpdate,
): Promise<void> {
  if (result.outcome !== "declined" || result.repeated || result.booking === null) return;
  const { reason, booking } = result;
  if (reason !== "slot_taken" && reason !== "hold_lapsed" && reason !== "in_past") return;
  const also = "You were not charged.";
  const { text, keyboard } = await refused(bookonce, config, seekerOf(from), { at: booking.start, reason, also });
  await api.sendMessage(from.id, text, { reply_markup: keyboard });
}
