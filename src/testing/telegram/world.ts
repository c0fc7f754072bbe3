import { BotAccount, type NewBot } from "./bot-account.ts";
import { CallbackBook } from "./callbacks.ts";
import { type Chat, ChatBook, type ChatMessage, type StoredMessage, toBotApiMessage, toChatMessage } from "./chat.ts";
import { VirtualClock } from "./clock.ts";
import { FaultBook } from "./faults.ts";
import { InvoiceBook } from "./invoices.ts";
import type { JsonObject } from "./json.ts";
import { PaymentDesk } from "./payments.ts";
import { People, type Person } from "./people.ts";
import { CallBook } from "./recorded-calls.ts";
import { StarLedger } from "./star-ledger.ts";
import { SubscriptionBook } from "./subscriptions.ts";
import { type NewUpdate, type QueuedUpdate, RETENTION } from "./update-queue.ts";

/** How a world behaves where real Telegram's behaviour is open or a matter of patience. */
export interface WorldSettings {
  clock: "real" | "manual";
  settleMilliseconds: number;
  strict: boolean;
  secondAnswer: "too-old" | "true";
  webhookIdleTimeout: number;
}

/** Telegram, as far as it is faked: everybody and everything on one server. */
export class World {
  readonly settings: WorldSettings;
  readonly clock: VirtualClock;
  readonly people: People = new People();
  readonly chats: ChatBook = new ChatBook();
  readonly invoices: InvoiceBook = new InvoiceBook();
  readonly ledger: StarLedger = new StarLedger();
  readonly faults: FaultBook = new FaultBook();
  readonly calls: CallBook = new CallBook();
  readonly callbacks: CallbackBook = new CallbackBook();
  readonly subscriptions: SubscriptionBook;
  readonly payments: PaymentDesk;
  /** Set by the server: told when a bot with a webhook has something to deliver. */
  wakeWebhook: (bot: BotAccount, lane?: string) => void = () => {};
  readonly #bots = new Map<string, BotAccount>();
  #nextBotId = 5_000_000_001;
  #nextGroupId = -1_001_000_000_001;

  constructor(settings: WorldSettings) {
    this.settings = settings;
    this.clock = new VirtualClock(settings.clock, settings.settleMilliseconds);
    this.payments = new PaymentDesk(this);
    this.subscriptions = new SubscriptionBook(this);
  }

  addBot(bot: NewBot): BotAccount {
    const given = /^(\d+):[\w-]+$/.exec(bot.token ?? "")?.[1];
    if (bot.token !== undefined && given === undefined) throw new Error('A bot token looks like "123:abc".');
    const account = new BotAccount(given === undefined ? this.#nextBotId++ : Number(given), bot, this.clock);
    if (this.bots().some((each) => each.id === account.id)) throw new Error(`There is already a bot ${account.id}.`);
    this.#bots.set(account.token, account);
    return account;
  }

  bots(): readonly BotAccount[] {
    return [...this.#bots.values()];
  }

  botByToken(token: string): BotAccount | undefined {
    return this.#bots.get(token);
  }

  /** The bot with this id; without an id, the only one. */
  bot(id?: number): BotAccount {
    const bots = this.bots();
    const [only] = bots;
    if (id === undefined && bots.length > 1) throw new Error("There are several bots: say which one.");
    const found = id === undefined ? only : bots.find((each) => each.id === id);
    if (!found) throw new Error(id === undefined ? "There is no bot yet: call bot() first." : `There is no bot ${id}.`);
    return found;
  }

  addGroup(title: string): Chat {
    const id = this.#nextGroupId--;
    return this.chats.open(id, undefined, { id, type: "supergroup", title });
  }

  privateChat(bot: BotAccount, person: Person): Chat {
    const { is_bot: _, language_code: __, ...names } = person.user;
    return this.chats.open(person.id, bot.id, { ...names, type: "private" });
  }

  /** Puts a message into a chat; queues nothing. */
  post(
    message: Pick<StoredMessage, "bot" | "chat" | "from" | "fromId" | "content"> &
      Partial<Pick<StoredMessage, "markup" | "invoiceSlug">>,
  ): StoredMessage {
    const stored: StoredMessage = {
      markup: undefined,
      invoiceSlug: undefined,
      ...message,
      id: message.chat.nextMessageId++,
      date: this.clock.unix(),
      editedAt: undefined,
    };
    message.chat.messages.push(stored);
    this.chats.changed();
    return stored;
  }

  senderOf(message: StoredMessage): JsonObject {
    return message.from === "bot" ? this.bot(message.fromId).user : this.people.get(message.fromId).user;
  }

  botApiMessage(message: StoredMessage): JsonObject {
    return toBotApiMessage(message, this.senderOf(message));
  }

  chatMessage(message: StoredMessage): ChatMessage {
    return toChatMessage(message, this.senderOf(message));
  }

  /** Queues a `message` update. Messages of one chat are delivered one after the other. */
  queueMessage(
    bot: BotAccount,
    message: StoredMessage,
    extra: Pick<NewUpdate, "copies" | "handedOver"> = {},
  ): QueuedUpdate | undefined {
    return this.queue(bot, {
      type: "message",
      content: this.botApiMessage(message),
      lane: `chat ${message.chat.id}`,
      expiresAt: message.date * 1000 + RETENTION.message,
      ...extra,
    });
  }

  /** Queues an update if the bot asked for its type, and tells whoever waits for it. */
  queue(bot: BotAccount, update: NewUpdate): QueuedUpdate | undefined {
    if (!bot.wants(update.type)) return undefined;
    const queued = bot.queue.push(update);
    bot.poll?.wake();
    if (bot.webhook) this.wakeWebhook(bot, update.lane);
    return queued;
  }
}
