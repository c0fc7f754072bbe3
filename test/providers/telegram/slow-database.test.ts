import { type Telegram, telegramWebhook } from "bookonce/telegram";
import { webhookCallback } from "grammy";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";
import { grammyBot, secretToken, serve } from "./bots.ts";
import { answers } from "./press-pay.ts";
import { charge, overWire, type Salon, salon } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

interface Delivery {
  readonly message?: { readonly from: { readonly id: number } };
  readonly pre_checkout_query?: { readonly from: { readonly id: number } };
}

type Respond = (request: Request) => Promise<Response>;

/** Ways of standing behind a webhook; grammY's own gives up after ten seconds, and what it throws is a 500. */
const webhooks: Readonly<Record<string, (at: Salon, telegram: Telegram) => Promise<Respond>>> = {
  telegramWebhook: async (_, telegram) => telegramWebhook(telegram, { secretToken }),
  "grammY's webhookCallback": async (at, telegram) => {
    const onHandled = async () => undefined;
    const bot = grammyBot(at, { donations: 0, handled: [] }, { delivery: "webhook", onHandled }, telegram);
    await bot.init();
    const callback = webhookCallback(bot, "std/http", { secretToken });
    return (request) => callback(request).catch(() => new Response(null, { status: 500 }));
  },
};

test.each(Object.entries(webhooks))(
  "case B17: fifty receipts and twenty presses of Pay at once while every answer of the database is 200 ms late, behind %s: each is delivered once, and in time",
  async (_, respondWith) => {
    // Telegram gives up on a delivery that is silent for ten seconds here, as it does on a query.
    const at = await salon(db, { fake: { webhookIdleTimeout: { seconds: 10 } } });
    const proxy = await startTcpProxy(db.url);
    onTestFinished(() => proxy.close());
    const slow = overWire(db, proxy.through(db.url));
    proxy.delay(200);
    const respond = await respondWith(at, at.another(slow));
    const delivered: string[] = [];
    const statuses = new Set<number>();
    const url = await serve(async (request) => {
      const { message, pre_checkout_query }: Delivery = JSON.parse(await request.clone().text());
      delivered.push(
        message === undefined ? `query of ${pre_checkout_query?.from.id}` : `receipt of ${message.from.id}`,
      );
      const response = await respond(request);
      statuses.add(response.status);
      return response;
    });

    const charged = Array.from({ length: 50 }, () => at.person());
    const paying = Array.from({ length: 20 }, () => at.person());
    const bookings = [];
    for (const person of [...charged, ...paying]) bookings.push(await at.reserve(person));
    // Fifty are charged already; their receipts wait at Telegram for the webhook, and come all at once.
    for (const [n, person] of charged.entries()) await charge(at, person, bookings[n] ?? (await at.reserve(person)));
    const links = await Promise.all(bookings.slice(charged.length).map((booking) => at.link(booking)));
    const params = { url, secret_token: secretToken, max_connections: 100 };
    const [outcomes] = await Promise.all([
      Promise.all(paying.map((person, n) => person.pay(links[n]))),
      at.api.call("setWebhook", params, { signal: AbortSignal.timeout(5_000) }),
    ]);
    expect(outcomes.filter(({ outcome }) => outcome !== "paid")).toEqual([]);

    await expect.poll(async () => (await at.fake.updates.pending(at.bot)).length, { timeout: 20_000 }).toBe(0);
    const once = [
      ...[...charged, ...paying].map(({ id }) => `receipt of ${id}`),
      ...paying.map(({ id }) => `query of ${id}`),
    ];
    expect(delivered.toSorted()).toEqual(once.toSorted());
    expect(statuses).toEqual(new Set([200]));
    const info = await at.api.call("getWebhookInfo", {}, { signal: AbortSignal.timeout(5_000) });
    expect(info).not.toHaveProperty("last_error_message");
    // Of one buyer the query comes first, and his receipt after it.
    for (const { id } of paying) {
      expect(delivered.indexOf(`query of ${id}`)).toBeLessThan(delivered.indexOf(`receipt of ${id}`));
    }
    // The only call on the way of a delivery is the answer to a query: a yes, within its ten seconds.
    expect((await answers(at)).map(({ ok }) => String(ok))).toEqual(paying.map(() => "true"));
    const called = (await at.fake.calls()).map(({ method }) => method);
    const ours = new Set(["createInvoiceLink", "setWebhook", "getWebhookInfo", "getMe"]);
    expect(called.filter((method) => !ours.has(method) && method !== "answerPreCheckoutQuery")).toEqual([]);
    const states = await Promise.all(bookings.map(async ({ id }) => (await db.bookonce.bookings.get(id))?.state));
    expect(new Set(states)).toEqual(new Set(["confirmed"]));
    expect(at.errors).toEqual([]);
  },
);
