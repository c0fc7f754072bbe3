import { type HandledUpdate, type Telegram, telegramWebhook, type WebhookOptions } from "bookonce/telegram";
import { expect, test } from "vitest";

const secretToken = "s3cret";

/** The webhook over a layer that answers as told, and what reached whom. */
function webhook(result: Partial<HandledUpdate>, options: Partial<WebhookOptions<unknown>> = {}) {
  const updates: unknown[] = [];
  const reports: unknown[] = [];
  const unused = () => Promise.reject(new Error("not here"));
  const telegram: Telegram = {
    account: "1",
    handleUpdate: async (update) => {
      updates.push(update);
      return { outcome: "ignored", handled: true, ack: "ok", ...result } as HandledUpdate;
    },
    reconcile: unused,
    auditLedger: unused,
    doctor: unused,
    report: (error) => reports.push(error),
  };
  const respond = telegramWebhook(telegram, { secretToken, ...options });
  const send = (body: string, secret: string | null = secretToken, method = "POST") =>
    respond(
      new Request("http://h/hook", {
        method,
        headers: secret === null ? {} : { "x-telegram-bot-api-secret-token": secret },
        ...(method === "POST" ? { body } : {}),
      }),
    );
  return { updates, reports, send };
}

test("200 when it is dealt with", async () => {
  const { updates, send } = webhook({});
  expect((await send('{"update_id":1}')).status).toBe(200);
  expect(updates).toEqual([{ update_id: 1 }]);
});

test.each([[""], ["s3cre"], ["s3cret "], ["S3CRET"], ["s3crets"], ["x".repeat(10_000)], [null]])(
  "secret %j is 401, and nothing is read",
  async (secret) => {
    const { updates, send } = webhook({});
    const wanted = secret === "s3cret " ? 200 : 401;
    // Headers are trimmed on the way: a blank behind the secret is none.
    expect((await send("{}", secret)).status).toBe(wanted);
    expect(updates).toHaveLength(wanted === 200 ? 1 : 0);
  },
);

test("503 with Retry-After when it must be delivered again", async () => {
  const response = await webhook({ ack: "retry" }, { retryAfterSeconds: 5 }).send("{}");
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
});

test("what is not ours goes to next, and what it throws is 500 and reported", async () => {
  const passed: unknown[] = [];
  const kind = webhook({ handled: false }, { next: (update) => passed.push(update) });
  expect((await kind.send('{"update_id":2}')).status).toBe(200);
  expect(passed).toEqual([{ update_id: 2 }]);
  const broken = webhook({ handled: false }, { next: () => Promise.reject(new Error("bot")) });
  expect((await broken.send("{}")).status).toBe(500);
  expect(broken.reports).toHaveLength(1);
  const handled = webhook({ handled: true }, { next: (update) => passed.push(update) });
  await handled.send("{}");
  expect(passed).toHaveLength(1);
});

test("other methods, other bodies, and bodies without end", async () => {
  const { updates, send } = webhook({});
  const get = await send("", secretToken, "GET");
  expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
  for (const body of ["", "{", "update", "{'a':1}"]) expect((await send(body)).status).toBe(400);
  expect((await send(`"${"x".repeat(2_000_000)}"`)).status).toBe(413);
  expect(updates).toEqual([]);
});

test.each(["", "with space", "ключ", "x".repeat(257), "semi;colon"])("secret %j is refused at once", (secret) => {
  expect(() => webhook({}, { secretToken: secret })).toThrow(expect.objectContaining({ code: "invalid_input" }));
});
