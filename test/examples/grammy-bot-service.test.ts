import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Config, readConfig } from "../../examples/grammy-bot/src/config.ts";
import { freeDays } from "../../examples/grammy-bot/src/free-times.ts";
import { offerService, service } from "../../examples/grammy-bot/src/service.ts";
import { clockLabel, timeLabel } from "../../examples/grammy-bot/src/words.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { databaseNow } from "../support/fixtures.ts";

const env = { BOT_TOKEN: "42:abc", DATABASE_URL: "postgres://localhost/bot" };
const seeker = { customer: "telegram:42", locale: "en" } as const;
const day = 86_400_000;

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function offering(settings: Record<string, string>): Promise<Config> {
  const config = readConfig({ ...env, NOTICE_HOURS: "0", ...settings });
  await offerService(db.bookonce, config);
  return config;
}

const reserve = (start: Date) =>
  db.bookonce.reserveSlot({ customer: "telegram:42", service, start, claim: "at_checkout" });

/** The date at noon, so many days from now, in Tashkent. */
const noon = (daysAhead: number) =>
  new Date(Math.floor((Date.now() + 5 * 3_600_000) / day) * day + daysAhead * day + 7 * 3_600_000);

describe("what the settings of the bot offer", () => {
  test("B16 days off and days that are not worked are neither listed nor sold", async () => {
    const off = noon(2);
    const weekday = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "Asia/Tashkent" });
    const worked = [noon(1), noon(2), noon(3)].map((date) => weekday.format(date).toLowerCase());
    const config = await offering({ WORK_DAYS: worked.join(","), DAYS_OFF: off.toISOString().slice(0, 10) });
    const listed = (await freeDays(db.bookonce, config, seeker)).map(({ date }) => date);
    expect(listed).toEqual([noon(1), noon(3)].map((date) => date.toISOString().slice(0, 10)));
    expect(await reserve(off)).toMatchObject({ reason: "closed", because: "day_off" });
    expect(await reserve(noon(4))).toMatchObject({ reason: "closed", because: "day_off" });
    expect(await reserve(noon(3))).toMatchObject({ outcome: "reserved" });
  });

  test("B16 every listed time of the horizon is sold, and none after it", async () => {
    const config = await offering({ DAYS_AHEAD: "2", WORK_FROM: "0", WORK_TO: "24", MINUTES: "240" });
    const starts = (await freeDays(db.bookonce, config, seeker)).flatMap((group) => group.starts);
    expect(starts.length).toBeGreaterThanOrEqual(12);
    for (const start of starts) expect(await reserve(start)).toMatchObject({ outcome: "reserved" });
    const last = starts.at(-1) ?? new Date(0);
    expect(await reserve(new Date(last.getTime() + 4 * 3_600_000))).toMatchObject({ reason: "too_far" });
  });

  test("B16 the notice that must be given is kept by the list and by the sale", async () => {
    const config = await offering({ NOTICE_HOURS: "30", WORK_FROM: "0", WORK_TO: "24", MINUTES: "30" });
    const [first] = (await freeDays(db.bookonce, config, seeker)).flatMap((group) => group.starts);
    const wait = (first?.getTime() ?? 0) - (await databaseNow(db)).getTime();
    expect(wait).toBeGreaterThan(29.9 * 3_600_000);
    expect(wait).toBeLessThanOrEqual(30.5 * 3_600_000);
    const sooner = new Date((first?.getTime() ?? 0) - 1_800_000);
    expect(await reserve(sooner)).toMatchObject({ reason: "too_soon" });
  });
});

test("B15 a time names its zone, and its offset where the clocks show it twice", () => {
  const berlin = readConfig({ ...env, ZONE: "Europe/Berlin" });
  const [first, second] = [new Date("2026-10-25T00:30:00Z"), new Date("2026-10-25T01:30:00Z")];
  expect([clockLabel(berlin, first, "en"), clockLabel(berlin, second, "en")]).toEqual([
    "02:30 (UTC+2)",
    "02:30 (UTC+1)",
  ]);
  expect(timeLabel(berlin, first, "en")).toBe("Sunday, October 25, 02:30 (UTC+2), local time, Berlin");
  expect(timeLabel(berlin, first, "ru")).toBe("воскресенье, 25 октября, 02:30 (UTC+2), местное время, Берлин");
  expect(clockLabel(berlin, new Date("2026-10-25T11:00:00Z"), "uz")).toBe("12:00");
});
