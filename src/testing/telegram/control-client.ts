import type { CommandInput, CommandOutput, ControlCommands, ControlPort } from "./control-types.ts";
import { RemoteFakeTelegram } from "./fake-telegram.ts";
import { isObject, parseJson } from "./json.ts";

/** Commands sent to `/_fake/…` of a fake in another process. */
class HttpControlPort implements ControlPort {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async call<K extends keyof ControlCommands>(name: K, input: CommandInput<K>): Promise<CommandOutput<K>> {
    const response = await fetch(`${this.#url}/_fake/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    const reply = parseJson(await response.text());
    if (!isObject(reply)) throw new Error(`No fake Telegram answers at ${this.#url}.`);
    if (!response.ok) throw new Error(String(reply["error"] ?? `The fake answered ${response.status}.`));
    // Both ends are this package, at one version: the command's own type says what came back.
    return reply["result"] as CommandOutput<K>;
  }
}

/**
 * Drives a fake that runs in another process: the same people, faults, clock and ledger as in its own, over HTTP.
 *
 * @param url The fake's `url`.
 * @example
 * ```ts
 * import { connectFakeTelegram } from "bookonce/testing";
 *
 * const telegram = connectFakeTelegram("http://127.0.0.1:8081");
 * const alice = await telegram.user({ firstName: "Alice" });
 * await alice.send("/start");
 * ```
 */
export function connectFakeTelegram(url: string): RemoteFakeTelegram {
  const root = url.replace(/\/+$/, "");
  return new RemoteFakeTelegram(root, new HttpControlPort(root));
}
