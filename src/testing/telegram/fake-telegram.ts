import type { NewBot } from "./bot-account.ts";
import type { BotRecord, ControlPort } from "./control-types.ts";
import type { Duration } from "./duration.ts";
import { FakeChat } from "./fake-chat.ts";
import { FakeFaults } from "./fake-faults.ts";
import { FakeUser } from "./fake-user.ts";
import type { ForeignEntry } from "./foreign-entries.ts";
import type { JsonObject } from "./json.ts";
import type { NewUser } from "./people.ts";
import type { CallFilter, RecordedCall } from "./recorded-calls.ts";
import type { ExternalRefund } from "./refunds.ts";
import type { LedgerSnapshot } from "./star-ledger.ts";

/** The fake's time: it decides about the ten seconds of a pre-checkout, retries, retention and dates. */
export interface FakeClock {
  /** Milliseconds since 1970. */
  now(): Promise<number>;
  /**
   * Moves time forward. Whatever falls due on the way happens in its order, and webhook deliveries that it causes may
   * finish before time moves on.
   *
   * @example
   * ```ts
   * import type { FakeTelegram } from "bookonce/testing";
   *
   * export async function tooLate(telegram: FakeTelegram): Promise<void> {
   *   await telegram.clock.advance({ seconds: 11 });
   * }
   * ```
   */
  advance(by: Duration): Promise<void>;
}

/** The money as Telegram sees it. */
export interface FakeLedger {
  /** Charges, refunds, Stars history, balances and wallets; of one bot, or of all. */
  read(bot?: { id: number }): Promise<LedgerSnapshot>;
  /** Adds an entry that has nothing to do with invoices to a bot's history, and returns it as the Bot API prints it. */
  addForeign(entry: ForeignEntry): Promise<JsonObject>;
}

/** The updates on their way to a bot. */
export interface FakeUpdates {
  /** What waits to be fetched or delivered, oldest first. */
  pending(bot?: { id: number }): Promise<readonly JsonObject[]>;
  /** Queues an update of any type. Resolves to its id, or null when the bot does not ask for that type. */
  push(type: string, content: JsonObject, bot?: { id: number }): Promise<number | null>;
  /**
   * Lets the next `update_id` be another one, lower ones included, as after a week of silence. By default a random one.
   * Rejects while updates are waiting.
   */
  jump(options?: { to?: number | undefined; bot?: { id: number } | undefined }): Promise<void>;
}

/** A group; everybody and every bot is in it. */
export interface FakeGroup {
  readonly id: number;
  readonly chat: FakeChat;
}

/** What a fake offers in any process. */
export class FakeTelegramControls {
  /** The root for bots: grammY's and Telegraf's `apiRoot`. No slash at the end. */
  readonly url: string;
  readonly clock: FakeClock;
  readonly faults: FakeFaults;
  readonly ledger: FakeLedger;
  readonly updates: FakeUpdates;
  protected readonly port: ControlPort;

  constructor(url: string, port: ControlPort) {
    this.url = url;
    this.port = port;
    this.faults = new FakeFaults(port);
    this.clock = {
      now: () => port.call("clock.now", {}),
      advance: async (by) => {
        await port.call("clock.advance", { by });
      },
    };
    this.ledger = {
      read: (bot) => port.call("ledger.read", { bot: bot?.id }),
      addForeign: (entry) => port.call("ledger.add-foreign", entry),
    };
    this.updates = {
      pending: (bot) => port.call("updates.pending", { bot: bot?.id }),
      push: async (type, content, bot) => (await port.call("updates.push", { type, content, bot: bot?.id })).updateId,
      jump: async (options = {}) => {
        await port.call("updates.jump", { to: options.to, bot: options.bot?.id });
      },
    };
  }

  /** The bots that are registered. */
  async bots(): Promise<readonly BotRecord[]> {
    return this.port.call("bot.list", {});
  }

  /** A person who exists already. */
  async existingUser(id: number): Promise<FakeUser> {
    return new FakeUser(this.port, await this.port.call("user.read", { id }));
  }

  /** The calls that bots made, oldest first; `getUpdates` is left out. */
  async calls(filter: CallFilter = {}): Promise<readonly RecordedCall[]> {
    return this.port.call("calls.read", filter);
  }

  /** Gives a charge back without the bot having asked: support, or a chargeback. */
  async refundExternally(chargeId: string, shown: Omit<ExternalRefund, "chargeId"> = {}): Promise<void> {
    await this.port.call("refund.external", { chargeId, ...shown });
  }

  /**
   * Charges the next month of a subscription: a new charge id, the same payload, no pre-checkout. Takes any charge id of
   * the subscription and resolves to the new one. Rejects when it is cancelled or the person has too few Stars.
   */
  async renewSubscription(chargeId: string): Promise<string> {
    return (await this.port.call("subscription.renew", { chargeId })).chargeId;
  }

  /** Opens a group. */
  async group(title: string): Promise<FakeGroup> {
    const { id } = await this.port.call("group.create", { title });
    return { id, chat: new FakeChat(this.port, id, undefined) };
  }
}

/** A fake that runs in another process; see `connectFakeTelegram`. */
export class RemoteFakeTelegram extends FakeTelegramControls {
  /** Registers a bot; without a token it gets one. */
  async bot(bot: NewBot = {}): Promise<BotRecord> {
    return this.port.call("bot.create", bot);
  }

  /** Creates a person. */
  async user(user: NewUser = {}): Promise<FakeUser> {
    return new FakeUser(this.port, await this.port.call("user.create", user));
  }
}
