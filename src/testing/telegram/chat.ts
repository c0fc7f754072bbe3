import { Deferred, within } from "./deferred.ts";
import { isObject, type JsonObject } from "./json.ts";

/** A button of an inline keyboard, or the Pay button of an invoice. */
export interface ChatButton {
  readonly text: string;
  /** The `callback_data`, when the button has one. */
  readonly data?: string | undefined;
  readonly url?: string | undefined;
  readonly pay?: true | undefined;
}

/** What an invoice message shows. */
export interface ShownInvoice {
  readonly title: string;
  readonly description: string;
  readonly currency: string;
  /** Minor units; whole Stars for XTR. */
  readonly totalAmount: number;
}

/** A message as the people in the chat see it. */
export interface ChatMessage {
  /** The bot whose chat this is. */
  readonly bot: number;
  readonly chatId: number;
  readonly messageId: number;
  readonly from: "bot" | "user";
  readonly fromId: number;
  /** Unix time in seconds. */
  readonly date: number;
  /** Empty for messages without text. */
  readonly text: string;
  /** All buttons under the message, row by row. */
  readonly buttons: readonly (readonly ChatButton[])[];
  readonly invoice?: ShownInvoice | undefined;
  readonly edited: boolean;
  /** The whole Bot API `Message`. */
  readonly message: JsonObject;
}

/** A message as the server keeps it. */
export interface StoredMessage {
  readonly bot: number;
  readonly chat: Chat;
  readonly id: number;
  readonly from: "bot" | "user";
  readonly fromId: number;
  readonly date: number;
  content: JsonObject;
  markup: JsonObject | undefined;
  readonly invoiceSlug: string | undefined;
  editedAt: number | undefined;
}

/** A private chat of one person with one bot, or a group. */
export interface Chat {
  readonly id: number;
  /** The bot of a private chat; groups belong to no bot. */
  readonly bot: number | undefined;
  readonly info: JsonObject;
  readonly messages: StoredMessage[];
  nextMessageId: number;
  /** The person blocked the bot. */
  blocked: boolean;
}

/** All chats of the server, and a bell that rings when one changes. */
export class ChatBook {
  readonly #chats = new Map<string, Chat>();
  #bell: Deferred<void> = new Deferred();
  #revision = 0;

  get revision(): number {
    return this.#revision;
  }

  open(id: number, bot: number | undefined, info: JsonObject): Chat {
    const key = chatKey(id, bot);
    const known = this.#chats.get(key);
    if (known) return known;
    const chat: Chat = { id, bot, info, messages: [], nextMessageId: 1, blocked: false };
    this.#chats.set(key, chat);
    return chat;
  }

  /** A chat that the bot can see. */
  find(id: number, bot: number): Chat | undefined {
    return this.#chats.get(chatKey(id, bot)) ?? this.#chats.get(chatKey(id, undefined));
  }

  changed(): void {
    this.#revision++;
    this.#bell.resolve();
    this.#bell = new Deferred();
  }

  /** Waits, in real milliseconds, until something has changed since that revision. */
  async untilAfter(revision: number, milliseconds: number): Promise<void> {
    if (this.#revision === revision) await within(this.#bell.promise, milliseconds);
  }
}

function chatKey(id: number, bot: number | undefined): string {
  return `${bot ?? "group"}:${id}`;
}

/** A stored message as a Bot API `Message`. */
export function toBotApiMessage(message: StoredMessage, sender: JsonObject): JsonObject {
  return {
    message_id: message.id,
    from: sender,
    chat: message.chat.info,
    date: message.date,
    ...(message.editedAt === undefined ? {} : { edit_date: message.editedAt }),
    ...message.content,
    ...(message.markup?.["inline_keyboard"] ? { reply_markup: message.markup } : {}),
  };
}

/** A stored message as its readers see it. */
export function toChatMessage(message: StoredMessage, sender: JsonObject): ChatMessage {
  const invoice = message.content["invoice"];
  const text = message.content["text"] ?? message.content["caption"];
  return {
    bot: message.bot,
    chatId: message.chat.id,
    messageId: message.id,
    from: message.from,
    fromId: message.fromId,
    date: message.date,
    text: typeof text === "string" ? text : "",
    buttons: buttonsOf(message.markup),
    ...(isObject(invoice)
      ? {
          invoice: {
            title: String(invoice["title"]),
            description: String(invoice["description"]),
            currency: String(invoice["currency"]),
            totalAmount: Number(invoice["total_amount"]),
          },
        }
      : {}),
    edited: message.editedAt !== undefined,
    message: toBotApiMessage(message, sender),
  };
}

function buttonsOf(markup: JsonObject | undefined): ChatButton[][] {
  const rows = markup?.["inline_keyboard"];
  if (!Array.isArray(rows)) return [];
  return rows.map((row: unknown) => (Array.isArray(row) ? row.filter(isObject).map(toButton) : []));
}

function toButton(button: Record<string, unknown>): ChatButton {
  const { text, callback_data: data, url, pay } = button;
  return {
    text: String(text),
    ...(typeof data === "string" ? { data } : {}),
    ...(typeof url === "string" ? { url } : {}),
    ...(pay === true ? { pay } : {}),
  };
}
