import { z } from "zod";
import type { BotAccount } from "../bot-account.ts";
import { BotApiError, badRequest } from "../bot-api-error.ts";
import { Deferred } from "../deferred.ts";
import type { Params } from "../params.ts";
import type { QueuedUpdate } from "../update-queue.ts";
import { Described, type Method, type MethodCall } from "./method.ts";

const namesSchema = z.array(z.string());

const getUpdates: Method = { name: "getUpdates", run: poll };

async function poll({ bot, params, signal }: MethodCall): Promise<unknown> {
  if (bot.webhook) {
    throw new BotApiError(
      409,
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
  }
  bot.poll?.conflict("terminated by other getUpdates request; make sure that only one bot instance is running");
  rememberAllowedUpdates(bot, params);
  const limit = params.integer("limit", 100, 1, 100);
  const timeout = params.integer("timeout", 0, 0, 50);
  bot.queue.confirm(params.integer("offset", 0, -(2 ** 31), 2 ** 31 - 1));
  if (bot.queue.waiting().length === 0 && timeout > 0) await untilUpdates(bot, timeout * 1000, signal);
  if (signal.aborted) return [];
  return handOver(bot.queue.waiting().slice(0, limit));
}

/** Waits for the first update. Long polling is a matter of connections, so its time-out is real time in every clock mode. */
async function untilUpdates(bot: BotAccount, milliseconds: number, signal: AbortSignal): Promise<void> {
  const ended = new Deferred<string | undefined>();
  const timer = setTimeout(() => ended.resolve(undefined), milliseconds);
  const waiting = {
    // What is queued in the same moment travels together.
    wake: () => setImmediate(() => ended.resolve(undefined)),
    conflict: (reason: string) => ended.resolve(reason),
  };
  signal.addEventListener("abort", () => ended.resolve(undefined));
  bot.poll = waiting;
  const conflict = await ended.promise;
  clearTimeout(timer);
  if (bot.poll === waiting) bot.poll = undefined;
  if (conflict !== undefined) throw new BotApiError(409, `Conflict: ${conflict}`);
}

function handOver(updates: readonly QueuedUpdate[]): unknown[] {
  const bodies = updates.flatMap((update) => Array.from({ length: update.copies }, () => update.body));
  for (const update of updates) {
    update.copies = 1;
    update.handedOver?.();
    update.handedOver = undefined;
  }
  return bodies;
}

/** A list that is left out keeps the previous one; an empty one means the default. */
function rememberAllowedUpdates(bot: BotAccount, params: Params): void {
  const names = params.json("allowed_updates", namesSchema);
  if (names) bot.allowedUpdates = names.length === 0 ? undefined : names;
}

const setWebhook: Method = {
  name: "setWebhook",
  run: (call) => {
    const { world, bot, params } = call;
    const url = params.string("url");
    if (url === "") return removeWebhook(call);
    if (!URL.canParse(url)) throw badRequest("bad webhook: invalid webhook URL specified");
    const secretToken = params.string("secret_token");
    if (secretToken.length > 256) throw badRequest("secret token is too long");
    if (!/^[\w-]*$/.test(secretToken)) throw badRequest("secret token contains unallowed characters");
    bot.poll?.conflict("terminated by setWebhook request");
    rememberAllowedUpdates(bot, params);
    if (params.boolean("drop_pending_updates")) bot.queue.clear();
    const maxConnections = params.integer("max_connections", 40, 1, 100);
    bot.webhook = { url, secretToken, maxConnections, lastError: undefined };
    world.wakeWebhook(bot);
    return new Described(true, "Webhook was set");
  },
};

const deleteWebhook: Method = { name: "deleteWebhook", run: removeWebhook };

function removeWebhook({ world, bot, params }: MethodCall): Described {
  const had = bot.webhook !== undefined;
  bot.webhook = undefined;
  world.wakeWebhook(bot);
  if (params.boolean("drop_pending_updates")) bot.queue.clear();
  return new Described(true, had ? "Webhook was deleted" : "Webhook is already deleted");
}

const getWebhookInfo: Method = {
  name: "getWebhookInfo",
  run: ({ bot }) => ({
    url: bot.webhook?.url ?? "",
    has_custom_certificate: false,
    pending_update_count: bot.queue.waiting().length,
    ...(bot.webhook ? { max_connections: bot.webhook.maxConnections, ip_address: "127.0.0.1" } : {}),
    ...(bot.webhook?.lastError
      ? { last_error_date: bot.webhook.lastError.date, last_error_message: bot.webhook.lastError.message }
      : {}),
    ...(bot.allowedUpdates ? { allowed_updates: bot.allowedUpdates } : {}),
  }),
};

/** How updates reach the bot. */
export const updateMethods: readonly Method[] = [getUpdates, setWebhook, deleteWebhook, getWebhookInfo];
