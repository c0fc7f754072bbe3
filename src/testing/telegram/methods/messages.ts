import { z } from "zod";
import { BotApiError, badRequest, queryIsGone } from "../bot-api-error.ts";
import type { Chat, StoredMessage } from "../chat.ts";
import type { Json, JsonObject } from "../json.ts";
import { visibleText } from "../visible-text.ts";
import type { Method, MethodCall } from "./method.ts";

const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
);
const markupSchema: z.ZodType<JsonObject> = z.record(z.string(), json);

/** The chat that a bot may write to, or Telegram's refusal. */
export function chatFor({ world, bot, params }: MethodCall): Chat {
  const id = params.string("chat_id");
  if (id === "") throw badRequest("chat_id is empty");
  const chat = world.chats.find(Number(id), bot.id);
  if (!chat) throw badRequest("chat not found");
  if (chat.blocked) throw new BotApiError(403, "Forbidden: bot was blocked by the user");
  return chat;
}

/** The `reply_markup` of a call. */
export function markupOf({ params }: MethodCall): JsonObject | undefined {
  return params.json("reply_markup", markupSchema);
}

function textOf(call: MethodCall): string {
  const text = visibleText(call.params.string("text"), call.params.string("parse_mode"));
  if (text.trim() === "") throw badRequest("message text is empty");
  if (text.length > 4096) throw badRequest("message is too long");
  return text;
}

const sendMessage: Method = {
  name: "sendMessage",
  run: (call) => {
    const { world, bot } = call;
    const chat = chatFor(call);
    const content = { text: textOf(call) };
    const message = world.post({ bot: bot.id, chat, from: "bot", fromId: bot.id, content, markup: markupOf(call) });
    return world.botApiMessage(message);
  },
};

const sendDocument: Method = {
  name: "sendDocument",
  run: (call) => {
    const { world, bot, params } = call;
    const chat = chatFor(call);
    const file = params.file("document");
    if (!file && params.string("document") === "") throw badRequest("there is no document in the request");
    const caption = visibleText(params.string("caption"), params.string("parse_mode"));
    const content = {
      document: {
        file_id: `file-${chat.id}-${chat.nextMessageId}`,
        file_unique_id: `unique-${chat.id}-${chat.nextMessageId}`,
        ...(file ? { file_name: file.name, mime_type: file.type, file_size: file.size } : {}),
      },
      ...(caption === "" ? {} : { caption }),
    };
    const message = world.post({ bot: bot.id, chat, from: "bot", fromId: bot.id, content, markup: markupOf(call) });
    return world.botApiMessage(message);
  },
};

function ownMessage(call: MethodCall, what: string): StoredMessage {
  const id = call.params.integer("message_id", 0, 0, Number.MAX_SAFE_INTEGER);
  const message = chatFor(call).messages.find((each) => each.id === id && each.bot === call.bot.id);
  if (!message) throw badRequest(`message to ${what} not found`);
  return message;
}

function edit(call: MethodCall, content: JsonObject): JsonObject {
  const message = ownMessage(call, "edit");
  if (message.from !== "bot") throw badRequest("message can't be edited");
  const markup = markupOf(call);
  if (JSON.stringify([content, markup]) === JSON.stringify([message.content, message.markup])) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  message.content = content;
  message.markup = markup;
  message.editedAt = call.world.clock.unix();
  call.world.chats.changed();
  return call.world.botApiMessage(message);
}

const editMessageText: Method = {
  name: "editMessageText",
  run: (call) => {
    if (ownMessage(call, "edit").content["text"] === undefined)
      throw badRequest("there is no text in the message to edit");
    return edit(call, { text: textOf(call) });
  },
};

const editMessageReplyMarkup: Method = {
  name: "editMessageReplyMarkup",
  run: (call) => edit(call, ownMessage(call, "edit").content),
};

const deleteMessage: Method = {
  name: "deleteMessage",
  run: (call) => {
    const { world } = call;
    const message = ownMessage(call, "delete");
    message.chat.messages.splice(message.chat.messages.indexOf(message), 1);
    const invoice = message.invoiceSlug === undefined ? undefined : world.invoices.bySlug(message.invoiceSlug);
    if (invoice) invoice.message = undefined;
    world.chats.changed();
    return true;
  },
};

const answerCallbackQuery: Method = {
  name: "answerCallbackQuery",
  run: ({ world, bot, params }) => {
    const waiting = world.callbacks.find(params.string("callback_query_id"), bot.id);
    if (!waiting) throw queryIsGone();
    waiting.resolve({
      text: params.string("text"),
      showAlert: params.boolean("show_alert"),
      url: params.string("url"),
    });
    return true;
  },
};

const sendChatAction: Method = {
  name: "sendChatAction",
  run: (call) => {
    chatFor(call);
    return true;
  },
};

/** What the bot shows in its chats. */
export const messageMethods: readonly Method[] = [
  sendMessage,
  sendDocument,
  editMessageText,
  editMessageReplyMarkup,
  deleteMessage,
  answerCallbackQuery,
  sendChatAction,
];
