import { defineSchedule, type Weekday } from "bookonce/calendar";

/** Everything that differs between installations, from the environment. See README.md for what each variable means. */
export interface Config {
  readonly botToken: string;
  readonly databaseUrl: string;
  /** Without it the bot polls. */
  readonly webhook: { readonly url: string; readonly port: number; readonly secret: string } | null;
  /** Another Bot API server: your own, or a fake one in tests. */
  readonly apiRoot: string | undefined;
  readonly consultant: string;
  readonly zone: string;
  /** Working hours, whole hours of the consultant's day. */
  readonly hours: { readonly from: number; readonly to: number };
  readonly workDays: readonly Weekday[];
  /** Dates of the consultant's calendar on which nothing is offered. */
  readonly daysOff: readonly string[];
  readonly minutes: number;
  readonly stars: number;
  /** How long before the start one must book. */
  readonly noticeHours: number;
  /** How many days after today can be booked. */
  readonly daysAhead: number;
  /** What becomes of money that comes when the time is no longer held for whoever paid. */
  readonly latePayment: "refund" | "rebookIfFree";
  /** Who is told about money that needs a person; without it, the log is. */
  readonly ownerChatId: number | null;
}

/** Something that the person who starts the bot must put right; said in one sentence, without a stack trace. */
export class ConfigError extends Error {}

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const webhookUrl = env["WEBHOOK_URL"] ?? "";
  const config: Config = {
    botToken: matching(env, "BOT_TOKEN", /^\d+:[\w-]+$/, "the token that BotFather gave you, like 123:abc"),
    databaseUrl: matching(env, "DATABASE_URL", /^postgres(ql)?:\/\/./, "an address like postgres://localhost/bot"),
    webhook:
      webhookUrl === ""
        ? null
        : {
            url: matching(env, "WEBHOOK_URL", /^https?:\/\/./, "the https address at which Telegram reaches this bot"),
            port: integer(env, "PORT", 8080, 1, 65535),
            secret: matching(env, "WEBHOOK_SECRET", /^[\w-]{1,256}$/, "1 to 256 characters of A-Z a-z 0-9 _ -"),
          },
    apiRoot: env["API_ROOT"],
    consultant: env["CONSULTANT"] ?? "Anna",
    zone: ianaZone(env["ZONE"] ?? "Asia/Tashkent"),
    hours: { from: integer(env, "WORK_FROM", 10, 0, 23), to: integer(env, "WORK_TO", 18, 1, 24) },
    minutes: integer(env, "MINUTES", 60, 5, 480),
    stars: integer(env, "STARS", 500, 1, 10_000),
    workDays: workDays(env["WORK_DAYS"] ?? ""),
    daysOff: list(env["DAYS_OFF"] ?? ""),
    noticeHours: integer(env, "NOTICE_HOURS", 2, 0, 168),
    daysAhead: integer(env, "DAYS_AHEAD", 5, 1, 30),
    latePayment: latePayment(env["LATE_PAYMENT"] ?? "refund"),
    ownerChatId: (env["OWNER_CHAT_ID"] ?? "") === "" ? null : integer(env, "OWNER_CHAT_ID", 0, -chatIds, chatIds),
  };
  const { hours, minutes, zone, daysOff } = config;
  if ((hours.to - hours.from) * 60 < minutes) {
    throw new ConfigError(
      `Between WORK_FROM ${hours.from} and WORK_TO ${hours.to} there is no room for ${minutes} MINUTES.`,
    );
  }
  refuseUnlessDates(zone, daysOff);
  return config;
}

/** Chat ids have at most 52 significant bits; those of groups are negative. */
const chatIds = 2 ** 52;

function matching(env: NodeJS.ProcessEnv, name: string, pattern: RegExp, meaning: string): string {
  const value = env[name] ?? "";
  if (value === "") throw new ConfigError(`${name} is not set: ${meaning}.`);
  // Not the value itself: it may be a secret, and this goes to a log.
  if (!pattern.test(value)) throw new ConfigError(`${name} does not look right; it must be ${meaning}.`);
  return value;
}

function integer(env: NodeJS.ProcessEnv, name: string, fallback: number, min: number, max: number): number {
  const value = Number(env[name] ?? fallback);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new ConfigError(`${name} is "${env[name]}"; it must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

/** "Asia/Tashkent", and never "+05:00": an offset is wrong for half of the year in most of the world (rule B15). */
function ianaZone(zone: string): string {
  try {
    if (!/^[+-]/.test(zone)) return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    // Falls through to the same sentence.
  }
  throw new ConfigError(`ZONE is "${zone}"; it must be the name of a time zone, like Asia/Tashkent.`);
}

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

function workDays(text: string): readonly Weekday[] {
  const named = list(text.toLowerCase());
  const known = weekdays.filter((day) => named.includes(day));
  if (known.length === named.length) return known.length === 0 ? weekdays : known;
  throw new ConfigError(
    `WORK_DAYS is "${text}"; it must be days of the week with commas between, like monday,tuesday.`,
  );
}

function refuseUnlessDates(zone: string, daysOff: readonly string[]): void {
  try {
    defineSchedule({ zone, weekly: {}, daysOff });
  } catch {
    throw new ConfigError(
      `DAYS_OFF is "${daysOff.join(",")}"; it must be dates with commas between, like 2027-01-01,2027-01-02.`,
    );
  }
}

function latePayment(text: string): Config["latePayment"] {
  if (text === "refund" || text === "rebookIfFree") return text;
  throw new ConfigError(`LATE_PAYMENT is "${text}"; it must be refund or rebookIfFree.`);
}

function list(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
