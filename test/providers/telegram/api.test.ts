import { createServer } from "node:http";
import { autoRetry } from "@grammyjs/auto-retry";
import {
  fetchApi,
  grammyApi,
  type TelegramApi,
  TelegramApiError,
  TelegramCallError,
  telegrafApi,
} from "bookonce/telegram";
import { type BotRecord, type FakeTelegram, startFakeTelegram } from "bookonce/testing";
import { Bot } from "grammy";
import { Telegraf } from "telegraf";
import { describe, expect, onTestFinished, test } from "vitest";

const makers: [string, (telegram: FakeTelegram, token: string) => TelegramApi][] = [
  ["grammy", (telegram, token) => grammyApi(new Bot(token, { client: { apiRoot: telegram.url } }).api)],
  [
    "telegraf 4.16.3",
    (telegram, token) => telegrafApi(new Telegraf(token, { telegram: { apiRoot: telegram.url } }).telegram),
  ],
  ["fetch", (telegram, token) => fetchApi({ token, apiRoot: `${telegram.url}/` })],
];

async function fake(): Promise<{ telegram: FakeTelegram; bot: BotRecord }> {
  const telegram = await startFakeTelegram();
  onTestFinished(() => telegram.close());
  return { telegram, bot: telegram.bot() };
}

const soon = () => ({ signal: AbortSignal.timeout(5_000) });

describe.each(makers)("the API port over %s", (_, make) => {
  test("B41: methods that the framework does not know reach Telegram with path and body", async () => {
    const { telegram, bot } = await fake();
    const api = make(telegram, bot.token);
    const refund = { user_id: 42, telegram_payment_charge_id: "stx1" };
    await expect(api.call("refundStarPayment", refund, soon())).rejects.toMatchObject({
      name: "TelegramApiError",
      method: "refundStarPayment",
      errorCode: 400,
      description: "Bad Request: user not found",
      retryAfterMs: null,
    });
    expect(await api.call("getStarTransactions", { offset: 0, limit: 100 }, soon())).toEqual({ transactions: [] });
    expect(await telegram.calls()).toMatchObject([
      { method: "refundStarPayment", params: refund },
      { method: "getStarTransactions", params: { offset: 0, limit: 100 } },
    ]);
  });

  test("methods without parameters work, and heed the signal", async () => {
    const { telegram, bot } = await fake();
    const api = make(telegram, bot.token);
    expect(await api.call("getMe", {}, soon())).toMatchObject({ id: bot.id });
    expect(await api.call("getWebhookInfo", {}, soon())).toMatchObject({ url: "" });
    await telegram.faults.hang("getMe");
    await expect(api.call("getMe", {}, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ timedOut: true });
  });

  test("429 tells how long to wait", async () => {
    const { telegram, bot } = await fake();
    await telegram.faults.tooManyRequests("getMe", { retryAfter: 7 });
    await expect(make(telegram, bot.token).call("getMe", {}, soon())).rejects.toMatchObject({
      errorCode: 429,
      retryAfterMs: 7_000,
    });
  });

  test("a revoked token", async () => {
    const { telegram } = await fake();
    const error: unknown = await make(telegram, "1:revoked")
      .call("getMe", {}, soon())
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TelegramApiError);
    expect(error).toMatchObject({ errorCode: 401 });
  });

  test("no reply is no refusal", async () => {
    const { telegram, bot } = await fake();
    await telegram.faults.replyLost("getMe");
    const error: unknown = await make(telegram, bot.token)
      .call("getMe", {}, soon())
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TelegramCallError);
    expect(error).toMatchObject({ method: "getMe", timedOut: false });
  });

  test("500 is an answer whose outcome is unknown", async () => {
    const { telegram, bot } = await fake();
    await telegram.faults.serverError("getMe");
    await expect(make(telegram, bot.token).call("getMe", {}, soon())).rejects.toMatchObject({ errorCode: 500 });
  });

  test("a signal that has fired", async () => {
    const { telegram, bot } = await fake();
    await expect(make(telegram, bot.token).call("getMe", {}, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(
      TelegramCallError,
    );
  });
});

test("grammY with auto-retry installed gives up when our time is over", async () => {
  const { telegram, bot } = await fake();
  const grammy = new Bot(bot.token, { client: { apiRoot: telegram.url } });
  grammy.api.config.use(autoRetry());
  await telegram.faults.serverError("getMe", { times: "always" });
  const error: unknown = await grammyApi(grammy.api)
    .call("getMe", {}, { signal: AbortSignal.timeout(100) })
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(TelegramCallError);
  expect(error).toMatchObject({ timedOut: true });
});

test("fetch: a proxy's error page and a cut-off body", async () => {
  let reply = { status: 502, body: "<html>Bad Gateway</html>" };
  const server = createServer((_, response) => response.writeHead(reply.status).end(reply.body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const api = fetchApi({ token: "1:secret-token", apiRoot: `http://127.0.0.1:${port}` });
  await expect(api.call("getMe", {}, soon())).rejects.toMatchObject({ name: "TelegramApiError", errorCode: 502 });
  reply = { status: 200, body: '{"ok":tr' };
  await expect(api.call("getMe", {}, soon())).rejects.toBeInstanceOf(TelegramCallError);
  reply = { status: 200, body: "null" };
  await expect(api.call("getMe", {}, soon())).rejects.toMatchObject({ name: "TelegramApiError", errorCode: 200 });
});

test("fetch: the test environment, a fetch of one's own, and what cannot be right", async () => {
  const urls: string[] = [];
  const own: typeof fetch = async (url) => {
    urls.push(String(url));
    return Response.json({ ok: true, result: 1 });
  };
  expect(await fetchApi({ token: "1:a", test: true, fetch: own }).call("getMe", {}, soon())).toBe(1);
  await fetchApi({ token: "1:a", fetch: own, apiRoot: "http://h/fake/" }).call("getMe", {}, soon());
  expect(urls).toEqual(["https://api.telegram.org/bot1:a/test/getMe", "http://h/fake/bot1:a/getMe"]);
  expect(() => fetchApi({ token: "abc" })).toThrow(/BotFather/);
  expect(() => fetchApi({ token: "1:a", apiRoot: "nowhere" })).toThrow(/URL/);
});

test("fetch: no error has the token in it", async () => {
  const api = fetchApi({ token: "1:secret-token", apiRoot: "http://127.0.0.1:1" });
  const error: unknown = await api.call("getMe", {}, soon()).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(TelegramCallError);
  const inspected = (await import("node:util")).inspect(error, { depth: 10 });
  expect(inspected).not.toContain("secret-token");
});

test("grammyApi is told when it is not given bot.api", async () => {
  await expect(grammyApi({ raw: {} }).call("getMe", {}, soon())).rejects.toThrow(/pass bot.api/);
});
