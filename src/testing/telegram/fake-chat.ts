import type { ChatMessage } from "./chat.ts";
import type { ControlPort } from "./control-types.ts";

/** How long to wait for a message, in real time. */
export interface WaitOptions {
  /** Milliseconds; default 5000. */
  timeout?: number | undefined;
  /** Looks only at messages newer than this one. */
  after?: ChatMessage | undefined;
}

/** One request waits at most this long; a longer wait is several requests. */
const ONE_WAIT = 10_000;

/** What a person sees in a chat with a bot. Deleted messages are gone; edited ones show their newest state. */
export class FakeChat {
  readonly id: number;
  readonly #port: ControlPort;
  readonly #bot: number | undefined;

  constructor(port: ControlPort, id: number, bot: number | undefined) {
    this.#port = port;
    this.id = id;
    this.#bot = bot;
  }

  /** Every message, oldest first, the person's own ones included. */
  async messages(): Promise<readonly ChatMessage[]> {
    return (await this.#port.call("chat.read", { chatId: this.id, bot: this.#bot })).messages;
  }

  /** The newest message of the bot, if any. */
  async lastFromBot(): Promise<ChatMessage | undefined> {
    return (await this.messages()).findLast((message) => message.from === "bot");
  }

  /**
   * Waits until some message of the bot satisfies the predicate, and returns the newest such message.
   *
   * A message that is already there counts too; pass `after` to look only at newer ones. Rejects after `timeout` real
   * milliseconds, telling the last messages.
   *
   * @example
   * ```ts
   * import type { FakeUser } from "bookonce/testing";
   *
   * export async function reply(alice: FakeUser): Promise<string> {
   *   const message = await alice.chat.waitFor((each) => each.text.includes("booked"));
   *   return message.text;
   * }
   * ```
   */
  async waitFor(predicate: (message: ChatMessage) => boolean, options: WaitOptions = {}): Promise<ChatMessage> {
    const timeout = options.timeout ?? 5000;
    const end = performance.now() + timeout;
    const after = options.after?.messageId ?? 0;
    let afterRevision: number | undefined;
    for (;;) {
      const waitMs = Math.min(ONE_WAIT, Math.max(0, end - performance.now()));
      const read = await this.#port.call("chat.read", { chatId: this.id, bot: this.#bot, afterRevision, waitMs });
      const found = read.messages.findLast((each) => each.from === "bot" && each.messageId > after && predicate(each));
      if (found) return found;
      if (performance.now() >= end) throw new Error(notFound(timeout, read.messages));
      afterRevision = read.revision;
    }
  }
}

function notFound(timeout: number, messages: readonly ChatMessage[]): string {
  const last = messages.slice(-5).map((each) => `  ${each.from}: ${each.text || Object.keys(each.message).join(", ")}`);
  const shown = last.length === 0 ? "The chat is empty." : `The last messages are:\n${last.join("\n")}`;
  return `No message satisfied the predicate within ${timeout} ms. ${shown}`;
}
