import type { BotAccount } from "./bot-account.ts";
import type { Chat, ChatMessage, StoredMessage } from "./chat.ts";
import type { Invoice } from "./invoices.ts";
import type { JsonObject } from "./json.ts";
import type { Person } from "./people.ts";
import { randomQueryId } from "./random-ids.ts";
import { RETENTION } from "./update-queue.ts";
import type { World } from "./world.ts";

/** The chat a person means: a group by its id, else the private chat with the bot, opened by the first message. */
export function chatOf(world: World, bot: BotAccount, person: Person, chatId: number | undefined): Chat {
  if (chatId === undefined || chatId === person.id) return world.privateChat(bot, person);
  const chat = world.chats.find(chatId, bot.id);
  if (!chat) throw new Error(`There is no chat ${chatId}.`);
  return chat;
}

/** Sends a message as a person. Commands get the `bot_command` entity that frameworks look for. */
export function sendAsPerson(
  world: World,
  bot: BotAccount,
  person: Person,
  chat: Chat,
  content: JsonObject,
): ChatMessage {
  const command = typeof content["text"] === "string" ? /^\/\w+(?:@\w+)?/.exec(content["text"])?.[0] : undefined;
  const entities = command ? { entities: [{ type: "bot_command", offset: 0, length: command.length }] } : {};
  chat.blocked = false;
  const message = world.post({
    bot: bot.id,
    chat,
    from: "user",
    fromId: person.id,
    content: { ...content, ...entities },
  });
  world.queueMessage(bot, message);
  return world.chatMessage(message);
}

/** The newest message of the bot with a button of this text or `callback_data`, and that data. */
export function findButton(
  world: World,
  chat: Chat,
  bot: BotAccount,
  button: string,
): { messageId: number; data: string } | undefined {
  for (const message of newestFirst(chat, bot)) {
    for (const shown of world.chatMessage(message).buttons.flat()) {
      if (shown.data !== undefined && (shown.text === button || shown.data === button)) {
        return { messageId: message.id, data: shown.data };
      }
    }
  }
  return undefined;
}

/** Presses a callback button, even one that a screen shows after it has been edited away. Returns the query's id. */
export function pressButton(
  world: World,
  bot: BotAccount,
  person: Person,
  chat: Chat,
  pressed: { messageId: number; data: string },
): string {
  const id = randomQueryId();
  const message = chat.messages.find((each) => each.id === pressed.messageId);
  world.callbacks.add(id, bot.id);
  world.queue(bot, {
    type: "callback_query",
    content: {
      id,
      from: person.user,
      message: message ? world.botApiMessage(message) : { chat: chat.info, message_id: pressed.messageId, date: 0 },
      chat_instance: String(chat.id),
      data: pressed.data,
    },
    lane: `callback ${person.id}`,
    expiresAt: world.clock.now() + RETENTION.query,
  });
  return id;
}

/** The newest invoice in a chat. */
export function newestInvoice(world: World, chat: Chat, bot: BotAccount): Invoice | undefined {
  const slug = newestFirst(chat, bot).find((each) => each.invoiceSlug !== undefined)?.invoiceSlug;
  return slug === undefined ? undefined : world.invoices.bySlug(slug);
}

function newestFirst(chat: Chat, bot: BotAccount): StoredMessage[] {
  return chat.messages.filter((each) => each.from === "bot" && each.fromId === bot.id).reverse();
}
