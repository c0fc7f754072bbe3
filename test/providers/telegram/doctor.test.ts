import { createServer } from "node:http";
import { fetchApi } from "bookonce/telegram";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type Salon, salon } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const call = (at: Salon, method: string, params: object) =>
  at.api.call(method, { ...params }, { signal: AbortSignal.timeout(5_000) });

test("a bot that polls is well, and is told what to mind", async () => {
  const at = await salon(db);
  const report = await at.telegram.doctor();
  expect(report).toMatchObject({ ok: true, findings: [{ code: "polling", severity: "info" }] });
  expect(report.findings[0]?.message).toMatch(/drop_pending_updates/);
});

test("B05: allowed_updates without pre_checkout_query is an error that names it", async () => {
  const at = await salon(db);
  await call(at, "getUpdates", { allowed_updates: ["message", "callback_query"] });
  const report = await at.telegram.doctor();
  expect(report.ok).toBe(false);
  expect(report.findings).toContainEqual({
    code: "allowed_updates_missing",
    severity: "error",
    message: expect.stringContaining("leaves out pre_checkout_query:"),
  });
});

test("B05: both missing are named", async () => {
  const at = await salon(db);
  await call(at, "getUpdates", { allowed_updates: ["callback_query"] });
  const { findings } = await at.telegram.doctor();
  expect(findings[0]?.message).toContain("message and pre_checkout_query");
});

test("allowed_updates that name both, and an empty list, are well", async () => {
  const at = await salon(db);
  for (const allowed_updates of [["message", "pre_checkout_query"], []]) {
    await call(at, "getUpdates", { allowed_updates });
    expect(await at.telegram.doctor()).toMatchObject({ ok: true });
  }
});

test("a webhook that fails, and what waits behind it", async () => {
  const at = await salon(db);
  const server = createServer((_, response) => response.writeHead(500).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await call(at, "setWebhook", { url: `http://127.0.0.1:${port}/` });
  await at.person().send("/start");
  const codes = async () => (await at.telegram.doctor({ pendingLimit: 1 })).findings.map(({ code }) => code);
  await expect.poll(codes).toEqual(["webhook_failing", "updates_pending", "webhook_secret"]);
  const { findings } = await at.telegram.doctor();
  expect(findings[0]?.message).toMatch(/500/);
});

test("a bot id of another bot", async () => {
  const at = await salon(db);
  const report = await at.another(db.bookonce, { botId: 4711 }).doctor();
  expect(report.findings[0]).toMatchObject({
    code: "wrong_bot",
    severity: "error",
    message: expect.stringContaining(String(at.bot.id)),
  });
});

test("a revoked token is said once", async () => {
  const at = await salon(db);
  const api = fetchApi({ token: "1:revoked", apiRoot: at.fake.url });
  const report = await at.another(db.bookonce, { api }).doctor();
  expect(report.findings).toMatchObject([{ code: "token_refused", severity: "error" }]);
});

test("Telegram that cannot be reached is said once, and the token is not in it", async () => {
  const at = await salon(db);
  const api = fetchApi({ token: "1:secret-token", apiRoot: "http://127.0.0.1:1" });
  const report = await at.another(db.bookonce, { api }).doctor();
  expect(report.findings).toMatchObject([{ code: "telegram_unreachable" }]);
  expect(JSON.stringify(report)).not.toContain("secret-token");
});

test("trouble on Telegram's own side is told apart", async () => {
  const at = await salon(db);
  const api = {
    call: async (method: string) =>
      method === "getMe"
        ? { id: at.bot.id }
        : { url: "https://x.example", last_synchronization_error_date: 1_700_000_000 },
  };
  expect(await at.another(db.bookonce, { api }).doctor()).toMatchObject({
    findings: [{ code: "webhook_unsynchronised", severity: "warning" }, { code: "webhook_secret" }],
  });
});
