import type { VirtualClock } from "./clock.ts";
import type { JsonObject } from "./json.ts";
import { randomBotToken } from "./random-ids.ts";
import { UpdateQueue } from "./update-queue.ts";

/** Types that Telegram leaves out unless they are asked for by name. */
const NOT_BY_DEFAULT = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

/** What `setWebhook` left behind. */
export interface WebhookSettings {
  readonly url: string;
  readonly secretToken: string;
  readonly maxConnections: number;
  lastError: { date: number; message: string } | undefined;
}

/** A long poll that waits for updates. */
export interface PendingPoll {
  wake(): void;
  conflict(reason: string): void;
}

/** A new bot, before its missing parts are made up. */
export interface NewBot {
  token?: string | undefined;
  username?: string | undefined;
  firstName?: string | undefined;
  environment?: "production" | "test" | undefined;
}

/** One bot on the server: its identity, its queue of updates, and how they leave. */
export class BotAccount {
  readonly id: number;
  readonly token: string;
  readonly username: string;
  readonly firstName: string;
  readonly environment: "production" | "test";
  readonly queue: UpdateQueue;
  /** Undefined means Telegram's default: everything but three noisy types. */
  allowedUpdates: readonly string[] | undefined;
  webhook: WebhookSettings | undefined;
  poll: PendingPoll | undefined;
  commands: readonly JsonObject[] = [];

  constructor(id: number, bot: NewBot, clock: VirtualClock) {
    this.id = id;
    this.token = bot.token ?? randomBotToken(id);
    this.username = bot.username ?? `fake_${id}_bot`;
    this.firstName = bot.firstName ?? this.username;
    this.environment = bot.environment ?? "production";
    this.queue = new UpdateQueue(clock);
  }

  wants(updateType: string): boolean {
    return this.allowedUpdates ? this.allowedUpdates.includes(updateType) : !NOT_BY_DEFAULT.has(updateType);
  }

  /** The bot as a Bot API `User`. */
  get user(): JsonObject {
    return { id: this.id, is_bot: true, first_name: this.firstName, username: this.username };
  }
}
