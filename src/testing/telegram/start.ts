import type { NewBot } from "./bot-account.ts";
import { CommandRunner, toBotRecord, toUserRecord } from "./control-commands.ts";
import type { BotRecord, ControlPort, UserRecord } from "./control-types.ts";
import { type Duration, toMilliseconds } from "./duration.ts";
import { FakeTelegramControls } from "./fake-telegram.ts";
import { FakeUser } from "./fake-user.ts";
import type { NewUser } from "./people.ts";
import { FakeServer } from "./server.ts";
import { World } from "./world.ts";

/** How a fake is started. */
export interface FakeTelegramOptions {
  /** Default 0: any free port. */
  port?: number | undefined;
  /** Default `"127.0.0.1"`. The control API has no password: do not open it to a network. */
  host?: string | undefined;
  /**
   * `"real"` (default) runs with real time and can be pushed forward with `clock.advance`; `"manual"` stands still until it
   * is advanced.
   */
  clock?: "real" | "manual" | undefined;
  /** Default true: payment methods refuse unknown and missing parameters, about which Telegram would be silent. */
  strict?: boolean | undefined;
  /** What a second answer to one pre-checkout query gets; Telegram does not say. It never changes the first. Default `"too-old"`. */
  secondAnswer?: "too-old" | "true" | undefined;
  /** How long a webhook may stay silent. Default 60 seconds, as at Telegram. */
  webhookIdleTimeout?: Duration | undefined;
  /** How many real milliseconds `clock.advance` lets webhook deliveries run at each step before time moves on. Default 3000. */
  settleMilliseconds?: number | undefined;
}

/** What only the process that runs the fake can do without waiting. */
interface FakeHost {
  addBot(bot: NewBot): BotRecord;
  addUser(user: NewUser): UserRecord;
  close(): Promise<void>;
}

/** A fake Telegram in this process. Made by {@link startFakeTelegram}. */
export class FakeTelegram extends FakeTelegramControls implements AsyncDisposable {
  readonly #host: FakeHost;

  constructor(url: string, port: ControlPort, host: FakeHost) {
    super(url, port);
    this.#host = host;
  }

  /** Registers a bot. Without a token it gets one; calls with tokens that were never registered get 401. */
  bot(bot: NewBot = {}): BotRecord {
    return this.#host.addBot(bot);
  }

  /**
   * Creates a person with a wallet.
   *
   * @example
   * ```ts
   * import type { FakeTelegram, FakeUser } from "bookonce/testing";
   *
   * export const alice = (telegram: FakeTelegram): FakeUser =>
   *   telegram.user({ firstName: "Alice", stars: 1000, language_code: "uz" });
   * ```
   */
  user(user: NewUser = {}): FakeUser {
    return new FakeUser(this.port, this.#host.addUser(user));
  }

  /** Stops listening, cuts open connections and forgets all timers. */
  async close(): Promise<void> {
    await this.#host.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Starts a fake Telegram: an HTTP server that bots use as their Bot API server, with people who write, press and pay, a
 * Stars ledger, a clock that tests can move, and faults on demand.
 *
 * @example
 * ```ts
 * import { startFakeTelegram } from "bookonce/testing";
 * import { Bot } from "grammy";
 *
 * await using telegram = await startFakeTelegram();
 * const { token } = telegram.bot();
 * export const bot = new Bot(token, { client: { apiRoot: telegram.url } });
 * ```
 */
export async function startFakeTelegram(options: FakeTelegramOptions = {}): Promise<FakeTelegram> {
  const world = new World({
    clock: options.clock ?? "real",
    settleMilliseconds: options.settleMilliseconds ?? 3000,
    strict: options.strict ?? true,
    secondAnswer: options.secondAnswer ?? "too-old",
    webhookIdleTimeout: toMilliseconds(options.webhookIdleTimeout ?? { seconds: 60 }),
  });
  const commands = new CommandRunner(world);
  const server = new FakeServer(world, commands);
  const url = await server.listen(options.host ?? "127.0.0.1", options.port ?? 0);
  return new FakeTelegram(url, commands, {
    addBot: (bot) => toBotRecord(world.addBot(bot)),
    addUser: (user) => toUserRecord(world.people.add(user)),
    close: () => server.close(),
  });
}
