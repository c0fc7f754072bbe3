import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Hono } from "hono";
import { BotApiError } from "./bot-api-error.ts";
import { type Dispatcher, type Reply, toEnvelope } from "./dispatcher.ts";
import type { InFlight } from "./in-flight.ts";
import { readParams } from "./params.ts";
import type { World } from "./world.ts";

/** A request to the fake, with Node's own request and response beside it. */
export type FakeApp = Hono<{ Bindings: HttpBindings }>;
type FakeContext = Context<{ Bindings: HttpBindings }>;

/** `/bot<token>/<method>` and, for bots of the test environment, `/bot<token>/test/<method>`. */
export function addBotApiRoutes(app: FakeApp, world: World, dispatcher: Dispatcher, inFlight: InFlight): void {
  const route = (environment: "production" | "test") => (c: FakeContext) => {
    const end = inFlight.begin();
    c.env.outgoing.once("close", end);
    return answer(c, world, dispatcher, environment, end);
  };
  app.on(["GET", "POST"], "/:token{bot[^/]+}/:method", route("production"));
  app.on(["GET", "POST"], "/:token{bot[^/]+}/test/:method", route("test"));
  app.all("*", () => toResponse(toEnvelope(new BotApiError(404, "Not Found"))));
}

async function answer(
  c: FakeContext,
  world: World,
  dispatcher: Dispatcher,
  environment: "production" | "test",
  givenUp: () => void,
): Promise<Response> {
  const token = (c.req.param("token") ?? "").slice("bot".length);
  const bot = world.botByToken(token);
  if (bot?.environment !== environment) return toResponse(toEnvelope(new BotApiError(401, "Unauthorized")));
  const hangUp = new AbortController();
  c.env.outgoing.once("close", () => hangUp.abort());
  const later: (() => void)[] = [];
  const caller = { signal: hangUp.signal, afterReply: (action: () => void) => later.push(action) };
  const reply = await dispatch(c, dispatcher, bot, caller);
  const runLater = (): void =>
    later.forEach((action) => {
      action();
    });
  if (reply === "lost" || reply === "hang" || hangUp.signal.aborted) {
    if (reply === "lost") c.env.incoming.socket.destroy();
    runLater();
    givenUp();
    return RESPONSE_ALREADY_SENT;
  }
  // "close" comes after the reply has been written out, or when the caller is gone: either way the call is over.
  c.env.outgoing.once("close", runLater);
  return toResponse(reply);
}

async function dispatch(
  c: FakeContext,
  dispatcher: Dispatcher,
  bot: Parameters<Dispatcher["dispatch"]>[0],
  caller: Parameters<Dispatcher["dispatch"]>[3],
): Promise<Reply> {
  try {
    const params = await readParams(c.req.raw);
    return await dispatcher.dispatch(bot, c.req.param("method") ?? "", params, caller);
  } catch (error) {
    if (error instanceof BotApiError) return toEnvelope(error);
    throw error;
  }
}

function toResponse(reply: Exclude<Reply, "lost" | "hang">): Response {
  return Response.json(reply.body, {
    status: reply.status,
    headers: reply.retryAfter === undefined ? {} : { "retry-after": String(reply.retryAfter) },
  });
}
