import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { BotAccount } from "./bot-account.ts";
import type { CommandRunner } from "./control-commands.ts";
import { addControlRoutes } from "./control-routes.ts";
import { within } from "./deferred.ts";
import { Dispatcher } from "./dispatcher.ts";
import { InFlight } from "./in-flight.ts";
import { Params } from "./params.ts";
import { addBotApiRoutes, type FakeApp } from "./routes.ts";
import { WebhookPusher } from "./webhook-pusher.ts";
import type { World } from "./world.ts";

/** How long, in real time, a closing server waits for what is under way. */
const CLOSING_PATIENCE = 1000;

/** The HTTP side of a world: the Bot API, the control API, and the webhook pushers. */
export class FakeServer {
  readonly #world: World;
  readonly #server: Server;
  readonly #dispatcher: Dispatcher;
  readonly #inFlight: InFlight = new InFlight();
  readonly #pushers = new Map<BotAccount, WebhookPusher>();

  constructor(world: World, commands: CommandRunner) {
    this.#world = world;
    this.#dispatcher = new Dispatcher(world);
    const app: FakeApp = new Hono();
    addControlRoutes(app, commands);
    addBotApiRoutes(app, world, this.#dispatcher, this.#inFlight);
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
    this.#server = createServer((request, response) => void listener(request, response));
    world.wakeWebhook = (bot, lane) => this.#wakeWebhook(bot, lane);
    world.clock.waitsFor(() => Promise.all([...this.#pushers.values()].map((pusher) => pusher.idle())));
  }

  /** Starts listening; returns the URL without a trailing slash. */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, resolve);
    });
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The fake must listen on a TCP port.");
    return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
  }

  /** Lets deliveries and replies that are under way finish, so that a bot's last call does not fail, then closes. */
  async close(): Promise<void> {
    const pushers = [...this.#pushers.values()];
    for (const pusher of pushers) pusher.drain();
    for (const bot of this.#world.bots()) bot.poll?.wake();
    const quiet = Promise.all([...pushers.map((pusher) => pusher.idle()), this.#inFlight.idle()]);
    await within(quiet, CLOSING_PATIENCE);
    for (const pusher of pushers) pusher.stop();
    this.#world.clock.close();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** Keeps one pusher for each bot that has a webhook, and a new one whenever the webhook is set anew. */
  #wakeWebhook(bot: BotAccount, lane: string | undefined): void {
    let pusher = this.#pushers.get(bot);
    if (pusher && pusher.webhook !== bot.webhook) {
      pusher.stop();
      this.#pushers.delete(bot);
      pusher = undefined;
    }
    if (!bot.webhook) return;
    if (!pusher) {
      pusher = new WebhookPusher(this.#world, bot, bot.webhook, (method, params) => this.#execute(bot, method, params));
      this.#pushers.set(bot, pusher);
      pusher.wake();
    }
    pusher.wake(lane);
  }

  /** Runs what a webhook's reply asked for; nobody sees the result. */
  #execute(bot: BotAccount, method: string, params: Record<string, unknown>): void {
    const later: (() => void)[] = [];
    const caller = { signal: new AbortController().signal, afterReply: (action: () => void) => later.push(action) };
    void this.#dispatcher.dispatch(bot, method, new Params(params), caller).then(() => {
      for (const action of later) action();
    });
  }
}
