import { type Bookonce, createBookonce } from "bookonce";
import { type PgClient, pgDatabase } from "bookonce/pg";
import {
  type BotRecord,
  type DatabaseClock,
  databaseClock,
  type FakeTelegram,
  type FakeTelegramOptions,
  startFakeTelegram,
} from "bookonce/testing";
import pg from "pg";
import { inject } from "vitest";
import { type BotProcess, startBot } from "../../examples/demo/bot-process.ts";
import { type LoadBalancer, startLoadBalancer } from "../../examples/demo/load-balancer.ts";
import { createDatabase, freePort } from "../../scripts/postgres.ts";

export type Delivery = "polling" | "webhook";

export interface WorldOptions {
  readonly delivery: Delivery;
  /** More settings of the bot. */
  readonly env?: Readonly<Record<string, string>>;
  readonly telegram?: FakeTelegramOptions;
  /** An empty database instead of one on the server that the test files share. */
  readonly databaseUrl?: string;
}

/** A fake Telegram, a real database, and the example bot, unchanged, in as many processes as are started. */
export interface BotWorld {
  readonly telegram: FakeTelegram;
  readonly bot: BotRecord;
  readonly databaseUrl: string;
  /** The environment of its processes, but for the port. */
  readonly settings: Readonly<Record<string, string>>;
  /** An instance of the test's own, which sees what the processes have done. */
  readonly bookonce: Bookonce<PgClient>;
  readonly clock: DatabaseClock;
  readonly pool: pg.Pool;
  readonly balancer: LoadBalancer;
  /** Starts another process, and lets the balancer know. */
  start(env?: Readonly<Record<string, string>>): Promise<BotProcess>;
  processes(): readonly BotProcess[];
  /** Stops every process; resolves to how each of them ended. */
  stopAll(signal?: NodeJS.Signals): Promise<(number | NodeJS.Signals)[]>;
  close(): Promise<void>;
}

/** How a process ends that was asked to. Windows has no SIGTERM to speak of: it ends the process at once. */
export const cleanEnd = process.platform === "win32" ? "SIGTERM" : 0;

/** What a consultation costs in these tests. */
export const price = 500;

export async function openWorld(options: WorldOptions): Promise<BotWorld> {
  const database =
    options.databaseUrl === undefined
      ? await createDatabase(inject("postgresUrl"), "bookonce_bot")
      : { url: options.databaseUrl, drop: async () => undefined };
  const telegram = await startFakeTelegram(options.telegram);
  const bot = telegram.bot({ username: "consultant_bot" });
  const balancer = await startLoadBalancer();
  const observer = pgDatabase({ connectionString: database.url });
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on("error", () => undefined);
  const webhook = { WEBHOOK_URL: balancer.url, WEBHOOK_SECRET: "a-secret" };
  const settings = {
    BOT_TOKEN: bot.token,
    API_ROOT: telegram.url,
    DATABASE_URL: database.url,
    STARS: String(price),
    ...(options.delivery === "webhook" ? webhook : { WEBHOOK_URL: "" }),
    ...options.env,
  };
  const processes = new Map<BotProcess, number>();
  const direct = () => balancer.setTargets([...processes.values()]);
  return {
    telegram,
    bot,
    databaseUrl: database.url,
    settings,
    bookonce: createBookonce({ database: observer }),
    clock: databaseClock(observer),
    pool,
    balancer,
    async start(env = {}) {
      const port = await freePort();
      const started = await startBot({ ...settings, PORT: String(port), ...env });
      processes.set(started, port);
      direct();
      void started.ended.then(() => {
        processes.delete(started);
        direct();
      });
      return started;
    },
    processes: () => [...processes.keys()],
    stopAll: (signal) => Promise.all([...processes.keys()].map((one) => one.stop(signal))),
    async close() {
      await Promise.all([...processes.keys()].map((one) => one.stop("SIGKILL")));
      await balancer.close();
      await telegram.close();
      await Promise.allSettled([observer.close(), pool.end()]);
      await database.drop();
    },
  };
}
