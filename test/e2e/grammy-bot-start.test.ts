import { createServer } from "node:net";
import { BookonceError } from "bookonce";
import { GrammyError } from "grammy";
import { expect, onTestFinished, test, vi } from "vitest";
import { spawnBot } from "../../examples/demo/bot-process.ts";
import { ConfigError, readConfig } from "../../examples/grammy-bot/src/config.ts";
import { isHopeless } from "../../examples/grammy-bot/src/errors.ts";
import { openWorld } from "../support/bot-world.ts";

vi.setConfig({ testTimeout: 180_000 });

const good = { BOT_TOKEN: "42:abc", DATABASE_URL: "postgres://localhost/bot" };

test("what is left out has a default, and polling needs no more than a token and a database", () => {
  expect(readConfig(good)).toMatchObject({ webhook: null, zone: "Asia/Tashkent", minutes: 60, stars: 500 });
  expect(readConfig(good)).toMatchObject({ daysOff: [], ownerChatId: null, latePayment: "refund", noticeHours: 2 });
  expect(readConfig(good).workDays).toHaveLength(7);
  const own = { WORK_DAYS: "Tuesday, monday", DAYS_OFF: "2027-01-01, 2027-01-07", OWNER_CHAT_ID: "-1001234567890" };
  expect(readConfig({ ...good, ...own })).toMatchObject({
    workDays: ["monday", "tuesday"],
    daysOff: ["2027-01-01", "2027-01-07"],
    ownerChatId: -1001234567890,
  });
  expect(readConfig({ ...good, WEBHOOK_URL: "" }).webhook).toBeNull();
  expect(readConfig({ ...good, WEBHOOK_URL: "https://bot.example/hook", WEBHOOK_SECRET: "s" }).webhook).toEqual({
    url: "https://bot.example/hook",
    port: 8080,
    secret: "s",
  });
});

test.each([
  [{ BOT_TOKEN: undefined }, "BOT_TOKEN is not set: the token that BotFather gave you, like 123:abc."],
  [
    { BOT_TOKEN: "my secret" },
    "BOT_TOKEN does not look right; it must be the token that BotFather gave you, like 123:abc.",
  ],
  [{ DATABASE_URL: "" }, "DATABASE_URL is not set: an address like postgres://localhost/bot."],
  [
    { DATABASE_URL: "localhost" },
    "DATABASE_URL does not look right; it must be an address like postgres://localhost/bot.",
  ],
  [{ ZONE: "+05:00" }, 'ZONE is "+05:00"; it must be the name of a time zone, like Asia/Tashkent.'],
  [{ ZONE: "Mars/Olympus" }, 'ZONE is "Mars/Olympus"; it must be the name of a time zone, like Asia/Tashkent.'],
  [{ STARS: "1.5" }, 'STARS is "1.5"; it must be a whole number from 1 to 10000.'],
  [
    { WORK_DAYS: "monday,funday" },
    'WORK_DAYS is "monday,funday"; it must be days of the week with commas between, like monday,tuesday.',
  ],
  [
    { DAYS_OFF: "2027-02-30" },
    'DAYS_OFF is "2027-02-30"; it must be dates with commas between, like 2027-01-01,2027-01-02.',
  ],
  [{ LATE_PAYMENT: "keep" }, 'LATE_PAYMENT is "keep"; it must be refund or rebookIfFree.'],
  [{ OWNER_CHAT_ID: "@anna" }, /^OWNER_CHAT_ID is "@anna"; it must be a whole number/],
  [{ WORK_FROM: "18", WORK_TO: "10" }, "Between WORK_FROM 18 and WORK_TO 10 there is no room for 60 MINUTES."],
  [{ WEBHOOK_URL: "https://bot.example/hook" }, "WEBHOOK_SECRET is not set: 1 to 256 characters of A-Z a-z 0-9 _ -."],
  [
    { WEBHOOK_URL: "bot.example", WEBHOOK_SECRET: "s" },
    "WEBHOOK_URL does not look right; it must be the https address at which Telegram reaches this bot.",
  ],
])("%j is refused in one sentence", (env, sentence) => {
  const read = () => readConfig({ ...good, ...env });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(sentence);
});

/** Starts the bot where it cannot start: what it says, and how it ends. */
async function refusal(env: Record<string, string>): Promise<{ says: string; code: number | string }> {
  const bot = spawnBot({ WEBHOOK_URL: "", ...env });
  onTestFinished(async () => void (await bot.stop("SIGKILL")));
  void bot.ready.then(() => bot.stop());
  const code = await bot.ended;
  return { says: bot.output().trim(), code };
}

test("a bot that cannot start says why in one line, and its exit code is 1", async () => {
  const world = await openWorld({ delivery: "webhook" });
  onTestFinished(() => world.close());
  const busy = createServer().listen(0);
  onTestFinished(() => void busy.close());
  const address = busy.address();
  const port = typeof address === "object" && address !== null ? String(address.port) : "";
  const env = { BOT_TOKEN: world.bot.token, API_ROOT: world.telegram.url, DATABASE_URL: world.databaseUrl };
  const webhook = { ...env, WEBHOOK_URL: world.balancer.url, WEBHOOK_SECRET: "s" };

  const refusals = await Promise.all([
    refusal({ ...env, BOT_TOKEN: "" }),
    refusal({ ...env, DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }),
    refusal({ ...env, BOT_TOKEN: "42:revoked" }),
    refusal({ ...env, API_ROOT: "http://127.0.0.1:1" }),
    refusal({ ...webhook, PORT: port }),
  ]);
  expect(refusals.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1]);
  expect(refusals.map(({ says }) => says)).toEqual([
    expect.stringMatching(/^BOT_TOKEN is not set: .*\.$/),
    expect.stringMatching(/^The database at DATABASE_URL does not work: .*ECONNREFUSED.*$/),
    expect.stringMatching(/^Telegram refused getMe: Unauthorized\.$/),
    expect.stringMatching(/^Telegram cannot be reached: .*\(ECONNREFUSED\)$/),
    expect.stringMatching(new RegExp(`^The port ${port} is in use; set PORT to another one\\.$`)),
  ]);
  for (const { says } of refusals) expect(says).not.toContain(world.bot.token);
});

test("an update that failed is asked for again, unless that is in vain", () => {
  const refused = (code: number) =>
    new GrammyError("refused", { ok: false, error_code: code, description: "…" }, "sendMessage", {});
  const again = [
    new BookonceError("unavailable", "the database is away"),
    new BookonceError("internal", "nobody knows"),
    new Error("Request timed out after 30000 ms"),
    refused(429),
    refused(502),
  ];
  const inVain = [
    new BookonceError("invalid_input", "no such day"),
    refused(400),
    refused(403),
    new TypeError("a bug"),
  ];
  expect(again.filter(isHopeless)).toEqual([]);
  expect(inVain.filter((error) => !isHopeless(error))).toEqual([]);
});
