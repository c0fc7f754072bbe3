import type { BotAccount } from "./bot-account.ts";
import { BotApiError, badRequest } from "./bot-api-error.ts";
import { toMilliseconds } from "./duration.ts";
import type { MethodFault } from "./faults.ts";
import type { JsonObject } from "./json.ts";
import { accountMethods } from "./methods/account.ts";
import { messageMethods } from "./methods/messages.ts";
import { Described, type Method, type MethodCall } from "./methods/method.ts";
import { paymentMethods } from "./methods/payments.ts";
import { starMethods } from "./methods/stars.ts";
import { updateMethods } from "./methods/updates.ts";
import type { Params } from "./params.ts";
import type { World } from "./world.ts";

/** What goes back to the caller: an envelope, or the silence that a fault asked for. */
export type Reply = Envelope | "lost" | "hang";

interface Envelope {
  readonly status: number;
  readonly body: JsonObject | { readonly ok: true; readonly result: unknown; readonly description?: string };
  readonly retryAfter?: number | undefined;
}

const METHODS: ReadonlyMap<string, Method> = new Map(
  [accountMethods, updateMethods, messageMethods, paymentMethods, starMethods]
    .flat()
    .map((method) => [method.name.toLowerCase(), method]),
);

/** Finds the method, applies the faults that wait for it, runs it, and notes the call. */
export class Dispatcher {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async dispatch(
    bot: BotAccount,
    name: string,
    params: Params,
    caller: Pick<MethodCall, "signal" | "afterReply">,
  ): Promise<Reply> {
    const method = METHODS.get(name.toLowerCase());
    if (!method) return toEnvelope(new BotApiError(404, "Not Found: method not found"));
    const call: MethodCall = { world: this.#world, bot, params, ...caller };
    const record =
      method.name === "getUpdates"
        ? undefined
        : this.#world.calls.add({
            bot: bot.id,
            method: method.name,
            params: toJson(params),
            at: this.#world.clock.now(),
          });
    const reply = await this.#answer(method, call);
    if (record && typeof reply === "object") record.reply = summarise(reply);
    return reply;
  }

  async #answer(method: Method, call: MethodCall): Promise<Reply> {
    // A caller who hangs up meanwhile changes nothing: the request has arrived.
    const fault = this.#world.faults.method(call.bot.id, method.name);
    const delay = fault?.delay ? toMilliseconds(fault.delay) : 0;
    const afterwards = fault?.effect === "done";
    if (delay > 0 && !afterwards) await this.#world.clock.sleep(delay);
    if (fault && !afterwards && (fault.error || fault.reply)) return faultyReply(fault);
    const result = await this.#run(method, call);
    if (delay > 0 && afterwards) await this.#world.clock.sleep(delay);
    const replaced = fault && afterwards && (fault.error || fault.reply) && result.status === 200;
    return replaced ? faultyReply(fault) : result;
  }

  async #run(method: Method, call: MethodCall): Promise<Envelope> {
    try {
      if (this.#world.settings.strict) checkNames(method, call.params);
      const result = await method.run(call);
      const body =
        result instanceof Described
          ? ({ ok: true, result: result.result, description: result.description } as const)
          : ({ ok: true, result } as const);
      return { status: 200, body };
    } catch (error) {
      if (error instanceof BotApiError) return toEnvelope(error);
      throw error;
    }
  }
}

/** Real Telegram ignores names it does not know, so that a misspelt one does damage in silence. Strict mode does not. */
function checkNames(method: Method, params: Params): void {
  const known = method.parameters;
  const unknown = known && params.names.find((name) => !known.includes(name) && !name.startsWith("attach"));
  if (unknown !== undefined) throw badRequest(`strict mode: ${method.name} has no parameter "${unknown}"`);
  const missing = method.required?.find((name) => !params.has(name));
  if (missing !== undefined) throw badRequest(`strict mode: ${method.name} needs the parameter "${missing}"`);
}

function faultyReply(fault: MethodFault): Reply {
  if (fault.error) {
    return toEnvelope(new BotApiError(fault.error.code, fault.error.description, fault.error.retryAfter));
  }
  if (fault.reply === "lost" || fault.reply === "hang") return fault.reply;
  return { status: 200, body: { ok: true, result: true } };
}

/** A refusal in Telegram's envelope; the HTTP status is the error code. */
export function toEnvelope(error: BotApiError): Envelope {
  return {
    status: error.code,
    body: {
      ok: false,
      error_code: error.code,
      description: error.message,
      ...(error.retryAfter === undefined ? {} : { parameters: { retry_after: error.retryAfter } }),
    },
    retryAfter: error.retryAfter,
  };
}

function summarise({ status, body }: Envelope): { ok: boolean; code: number; description?: string } {
  const description = body.description;
  return { ok: status === 200, code: status, ...(typeof description === "string" ? { description } : {}) };
}

function toJson(params: Params): JsonObject {
  return JSON.parse(JSON.stringify(params.values));
}
