import type { CallbackAnswer } from "./callbacks.ts";
import type { ChatMessage } from "./chat.ts";
import type { ControlPort, UserRecord } from "./control-types.ts";
import { FakeChat } from "./fake-chat.ts";
import type { JsonObject } from "./json.ts";
import type { PaymentOutcome, PayOptions } from "./payment-types.ts";

/** Where an action happens. Without it: the private chat with the server's only bot. */
export interface Where {
  /** A bot's id; needed when the server has several. */
  bot?: number | undefined;
  /** A group's id. */
  group?: number | undefined;
}

/** A pressed button; the bot answers it with `answerCallbackQuery`, or never. */
export interface PressedButton {
  readonly callbackQueryId: string;
  /** What the bot answered. Rejects after `timeout` real milliseconds, default 5000. */
  answer(timeout?: number): Promise<CallbackAnswer>;
}

/** One request waits at most this long; a longer wait is several requests. */
const ONE_WAIT = 10_000;

/**
 * A person with a Telegram client and a wallet of Stars.
 *
 * @example
 * ```ts
 * import type { FakeTelegram } from "bookonce/testing";
 *
 * export async function buy(telegram: FakeTelegram): Promise<string> {
 *   const alice = telegram.user({ firstName: "Alice", stars: 500 });
 *   await alice.send("/start");
 *   await alice.press("Book 10:00");
 *   return (await alice.pay()).outcome;
 * }
 * ```
 */
export class FakeUser {
  readonly id: number;
  readonly firstName: string;
  /** The private chat with the server's only bot; see {@link FakeUser.chatWith} when there are several. */
  readonly chat: FakeChat;
  readonly #port: ControlPort;

  constructor(port: ControlPort, record: UserRecord) {
    this.#port = port;
    this.id = record.id;
    this.firstName = record.firstName;
    this.chat = new FakeChat(port, record.id, undefined);
  }

  /** The private chat with a bot. */
  chatWith(bot: { id: number }): FakeChat {
    return new FakeChat(this.#port, this.id, bot.id);
  }

  /**
   * Sends a message. The first one opens the private chat: before it, Telegram refuses the bot's messages with
   * `chat not found`. Also unblocks a blocked bot.
   *
   * @param content Text, or other parts of a Bot API `Message`, such as `{ contact: { … } }`.
   */
  async send(content: string | JsonObject, where: Where = {}): Promise<ChatMessage> {
    const message = typeof content === "string" ? { text: content } : content;
    return this.#port.call("chat.send", { ...this.#at(where), content: message });
  }

  /**
   * Presses an inline button, by its text or its `callback_data`, on the newest message that has it. Waits up to five real
   * seconds for the button to appear. With `on`, presses the button of that message as it was when you read it, as a
   * person with a stale screen does.
   */
  async press(button: string, options: Where & { on?: ChatMessage | undefined } = {}): Promise<PressedButton> {
    const on = options.on && remembered(options.on, button);
    const { callbackQueryId } = await this.#port.call("chat.press", { ...this.#at(options), button, on });
    return {
      callbackQueryId,
      answer: async (timeout = 5000) => {
        const waitMs = Math.min(timeout, 60_000);
        const answer = await this.#port.call("callback.answer", { callbackQueryId, waitMs });
        if (!answer) throw new Error(`The bot did not answer the press of "${button}" within ${timeout} ms.`);
        return answer;
      },
    };
  }

  /**
   * Pays an invoice and tells what the client shows in the end. The bot gets a `pre_checkout_query` and has ten seconds of
   * the fake's clock to approve it; with `clock: "manual"` a bot that stays silent needs `clock.advance`.
   *
   * @param invoice An invoice message, a link from `createInvoiceLink`, or nothing for the newest invoice in the chat
   *   (waiting up to five real seconds for one). Somebody else's invoice message stands for a forwarded copy of it.
   * @example
   * ```ts
   * import type { FakeUser } from "bookonce/testing";
   *
   * export async function pay(alice: FakeUser, link: string): Promise<void> {
   *   const outcome = await alice.pay(link);
   *   if (outcome.outcome === "paid") console.log(outcome.chargeId);
   * }
   * ```
   */
  async pay(invoice?: ChatMessage | string, options: PayOptions & Where = {}): Promise<PaymentOutcome> {
    const { bot, group, ...payOptions } = options;
    const { paymentId } = await this.#port.call("payment.start", {
      ...this.#at({ bot, group }),
      ...(typeof invoice === "object" ? { bot: invoice.bot, chatId: invoice.chatId } : {}),
      invoice: typeof invoice === "string" ? { link: invoice } : { messageId: invoice?.messageId },
      options: payOptions,
    });
    for (;;) {
      const outcome = await this.#port.call("payment.outcome", { paymentId, waitMs: ONE_WAIT });
      if (outcome) return outcome;
    }
  }

  /** Whole Stars in the wallet. */
  async stars(): Promise<number> {
    return (await this.#port.call("user.read", { id: this.id })).stars;
  }

  /** Buys Stars. */
  async addStars(stars: number): Promise<void> {
    await this.#port.call("user.give-stars", { id: this.id, stars });
  }

  /** Blocks the bot: its messages get 403 until the person writes again. */
  async block(where: Where = {}): Promise<void> {
    await this.#port.call("user.block", { ...this.#at(where), blocked: true });
  }

  /** Switches off the renewal of a subscription, or on again; the bot gets a `subscription` update. */
  async cancelSubscription(chargeId: string, canceled = true): Promise<void> {
    await this.#port.call("subscription.cancel", { chargeId, canceled });
  }

  #at(where: Where): { userId: number; bot: number | undefined; chatId: number | undefined } {
    return { userId: this.id, bot: where.bot, chatId: where.group };
  }
}

function remembered(message: ChatMessage, button: string): { messageId: number; data: string } {
  const found = message.buttons.flat().find((each) => each.text === button || each.data === button);
  if (found?.data === undefined) throw new Error(`The message has no callback button "${button}".`);
  return { messageId: message.messageId, data: found.data };
}
