import { once } from "node:events";
import { type Bookonce, createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import { type DatabaseClock, databaseClock, type FakeTelegram, startFakeTelegram } from "bookonce/testing";
import { freePort, startPostgres } from "../../scripts/postgres.ts";
import { type BotProcess, startBot } from "./bot-process.ts";
import { type LoadBalancer, startLoadBalancer } from "./load-balancer.ts";
import type { Timeline } from "./timeline.ts";

/** Everything that the demo plays on. Only Telegram is not the real one. */
export interface Stage extends AsyncDisposable {
  readonly telegram: FakeTelegram;
  readonly bot: { readonly id: number; readonly username: string };
  readonly balancer: LoadBalancer;
  readonly processes: readonly BotProcess[];
  /** A third instance, for counting: it sees what the processes have done. */
  readonly bookonce: Bookonce<never>;
  /** The clock of all decisions, in all processes. */
  readonly clock: DatabaseClock;
  readonly databaseUrl: string;
  waitForInterrupt(): Promise<void>;
}

export const price = 500;

export async function openStage(timeline: Timeline, { keep }: { readonly keep: boolean }): Promise<Stage> {
  timeline.act("The stage");
  const postgres = await startPostgres();
  timeline.note("A real PostgreSQL is up: embedded, empty, and gone when this ends.");
  const telegram = await startFakeTelegram();
  const bot = telegram.bot({ username: "consultant_bot" });
  timeline.note(`A fake Telegram listens at ${telegram.url}: invoices, Pay buttons, Stars, the 10-second rule.`);

  const balancer = await startLoadBalancer();
  const env = {
    BOT_TOKEN: bot.token,
    API_ROOT: telegram.url,
    DATABASE_URL: postgres.url,
    WEBHOOK_URL: balancer.url,
    WEBHOOK_SECRET: "demo-secret",
    STARS: String(price),
  };
  const processes = await Promise.all([startBot(env, await freePort()), startBot(env, await freePort())]);
  balancer.setTargets(processes.map((one) => one.port));
  timeline.note(
    `The example bot runs twice (processes ${processes.map((one) => one.pid).join(" and ")}); every update goes to the next of them.`,
  );

  const database = pgDatabase({ connectionString: postgres.url });
  return {
    telegram,
    bot,
    balancer,
    processes,
    bookonce: createBookonce({ database }),
    clock: databaseClock(database),
    databaseUrl: postgres.url,
    async waitForInterrupt() {
      timeline.note(`PostgreSQL stays at ${postgres.url} until you press Ctrl+C.`);
      if (keep) await once(process, "SIGINT");
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map((one) => one.stop()));
      await balancer.close();
      await telegram.close();
      await database.close();
      await postgres.stop();
    },
  };
}
