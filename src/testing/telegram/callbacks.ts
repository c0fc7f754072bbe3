import { Deferred } from "./deferred.ts";

/** What `answerCallbackQuery` showed to the person who pressed a button. */
export interface CallbackAnswer {
  /** Empty when the answer only stopped the spinner. */
  readonly text: string;
  readonly showAlert: boolean;
  readonly url: string;
}

interface PressedButton {
  readonly bot: number;
  readonly answer: Deferred<CallbackAnswer>;
}

/** The callback queries that were sent, and what was answered. */
export class CallbackBook {
  readonly #pressed = new Map<string, PressedButton>();

  add(id: string, bot: number): void {
    this.#pressed.set(id, { bot, answer: new Deferred() });
  }

  /** The waiting answer of a query that was sent to this bot. */
  find(id: string, bot?: number): Deferred<CallbackAnswer> | undefined {
    const pressed = this.#pressed.get(id);
    return pressed && (bot === undefined || pressed.bot === bot) ? pressed.answer : undefined;
  }
}
