import type { WebhookSettings } from "./bot-account.ts";
import { isObject, type JsonObject, parseJson } from "./json.ts";
import type { World } from "./world.ts";

/** How one delivery ended. */
export type DeliveryResult =
  | {
      readonly ok: true;
      /** A method that the webhook's reply asks to run; empty for none. */
      readonly method: string;
      readonly params: Record<string, unknown>;
    }
  | { readonly ok: false; readonly error: string; readonly status: number; readonly retryAfter: number };

/** Posts one update. Only 2xx counts; silence beyond the idle time-out (on the fake's clock) is a closed connection. */
export async function deliver(
  world: World,
  webhook: WebhookSettings,
  update: JsonObject,
  stopped: AbortSignal,
): Promise<DeliveryResult> {
  const idle = new AbortController();
  const timer = world.clock.schedule(world.settings.webhookIdleTimeout, () => idle.abort());
  try {
    const response = await fetch(webhook.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(webhook.secretToken === "" ? {} : { "x-telegram-bot-api-secret-token": webhook.secretToken }),
      },
      body: JSON.stringify(update),
      redirect: "manual",
      signal: AbortSignal.any([idle.signal, stopped]),
    });
    const text = await response.text();
    if (response.ok) return { ok: true, ...requestedMethod(text, response.headers.get("content-type") ?? "") };
    return {
      ok: false,
      error: `Wrong response from the webhook: ${response.status} ${response.statusText}`,
      status: response.status,
      retryAfter: Number.parseInt(response.headers.get("retry-after") ?? "", 10) || 0,
    };
  } catch {
    const error = idle.signal.aborted ? "Read timeout expired" : "Webhook connection closed";
    return { ok: false, error, status: 0, retryAfter: 0 };
  } finally {
    timer.cancel();
  }
}

/** A reply may carry a method to run, except those whose result would be needed and those that change the webhook. */
function requestedMethod(text: string, type: string): { method: string; params: Record<string, unknown> } {
  const body = type.includes("urlencoded") ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
  if (!isObject(body) || typeof body["method"] !== "string") return { method: "", params: {} };
  const { method, ...params } = body;
  const name = String(method).toLowerCase();
  const ignored = name.startsWith("get") || ["setwebhook", "deletewebhook", "close", "logout"].includes(name);
  return { method: ignored ? "" : String(method), params };
}
