import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FakeTelegramOptions } from "bookonce/testing";
import { onTestFinished } from "vitest";
import { call, fakeTelegram } from "./bots.ts";

/** An HTTP server that is closed when the test ends; returns its URL. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

export interface Delivery {
  update: {
    update_id: number;
    message?: { text?: string; successful_payment?: object };
    pre_checkout_query?: { id: string };
  };
  headers: IncomingMessage["headers"];
  /** The fake's clock, in seconds since the first delivery. */
  second: number;
  reply: (status: number, headers?: Record<string, string>, body?: string) => void;
}

/** A webhook without a framework: `react` decides how each delivery is answered. */
export async function rawWebhook(
  react: (delivery: Delivery, n: number) => void,
  options: FakeTelegramOptions = {},
  params: object = {},
) {
  const telegram = await fakeTelegram({ clock: "manual", ...options });
  const bot = telegram.bot();
  const deliveries: Delivery[] = [];
  let start: number | undefined;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const now = await telegram.clock.now();
    start ??= now;
    const delivery: Delivery = {
      update: JSON.parse(text),
      headers: request.headers,
      second: Math.round((now - start) / 1000),
      reply: (status, headers = {}, body = "") => response.writeHead(status, headers).end(body),
    };
    deliveries.push(delivery);
    react(delivery, deliveries.length);
  };
  const url = await serve((request, response) => void receive(request, response));
  await call(telegram, bot.token, "setWebhook", { url, ...params });
  const info = async () => JSON.parse(JSON.stringify((await call(telegram, bot.token, "getWebhookInfo")).body.result));
  return { telegram, bot, deliveries, info, url, alice: telegram.user() };
}
