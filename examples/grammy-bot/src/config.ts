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
  readonly minutes: number;
  readonly stars: number;
  readonly daysAhead: number;
}

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const required = (name: string): string => {
    const value = env[name];
    if (value === undefined || value === "") throw new Error(`${name} is not set. See README.md for the bot's settings.`);
    return value;
  };
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = Number(env[name] ?? fallback);
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new Error(`${name} must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
  const webhookUrl = env["WEBHOOK_URL"];
  return {
    botToken: required("BOT_TOKEN"),
    databaseUrl: required("DATABASE_URL"),
    webhook:
      webhookUrl === undefined || webhookUrl === ""
        ? null
        : { url: webhookUrl, port: integer("PORT", 8080, 1, 65535), secret: required("WEBHOOK_SECRET") },
    apiRoot: env["API_ROOT"],
    consultant: env["CONSULTANT"] ?? "Anna",
    zone: env["ZONE"] ?? "Asia/Tashkent",
    hours: { from: integer("WORK_FROM", 10, 0, 23), to: integer("WORK_TO", 18, 1, 24) },
    minutes: integer("MINUTES", 60, 5, 480),
    stars: integer("STARS", 500, 1, 10_000),
    daysAhead: integer("DAYS_AHEAD", 5, 1, 30),
  };
}
