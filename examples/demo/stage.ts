import { type Bookonce, createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import { type DatabaseClock, databaseClock, type FakeTelegram, startFakeTelegram } from "bookonce/testing";
import { createDatabase, freePort, startPostgres } from "../../scripts/postgres.ts";
import { startBot } from "./bot-process.ts";
import { type LoadBalancer, startLoadBalancer } from "./load-balancer.ts";
import type { Timeline } from "./timeline.ts";

/** Everything that the demo plays on. Only Telegram is not the real one. */
export interface Stage {
  readonly telegram: FakeTelegram;
  readonly balancer: LoadBalancer;
  /** A third instance, for counting: it sees what the processes have done. */
  readonly bookonce: Bookonce<never>;
  /** The clock of all decisions, in all processes. */
  readonly clock: DatabaseClock;
  readonly databaseUrl: string;
}

/** What must be put away when the demo ends, or fails half-way. */
export class Cleanup {
  readonly #steps: (() => Promise<unknown>)[] = [];

  add(step: () => Promise<unknown>): void {
    this.#steps.unshift(step);
  }

  /** Newest first; a step that fails does not keep the others from being done. */
  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step().catch((error: unknown) => console.error(error));
  }
}

export const price = 500;

export async function openStage(timeline: Timeline, cleanup: Cleanup): Promise<Stage> {
  timeline.act("The stage");
  const postgres = await starting("PostgreSQL", startPostgres({ onSignal: "caller" }));
  cleanup.add(() => postgres.stop());
  const { url: databaseUrl, drop } = await starting("PostgreSQL", createDatabase(postgres.url, "bookonce_demo"));
  cleanup.add(drop);
  timeline.note("A real PostgreSQL is up, with an empty database that is gone when this ends.");

  const telegram = await startFakeTelegram();
  cleanup.add(() => telegram.close());
  const bot = telegram.bot({ username: "consultant_bot" });
  timeline.note(`A fake Telegram listens at ${telegram.url}: invoices, Pay buttons, Stars, the 10-second rule.`);

  const balancer = await startLoadBalancer();
  cleanup.add(() => balancer.close());
  const env = {
    BOT_TOKEN: bot.token,
    API_ROOT: telegram.url,
    DATABASE_URL: databaseUrl,
    WEBHOOK_URL: balancer.url,
    WEBHOOK_SECRET: "demo-secret",
    STARS: String(price),
  };
  const ports = await Promise.all([freePort(), freePort()]);
  const processes = await Promise.all(
    ports.map(async (port) => {
      const started = await starting("The bot", startBot({ ...env, PORT: String(port) }));
      cleanup.add(() => started.stop());
      return started;
    }),
  );
  balancer.setTargets(ports);
  timeline.note(
    `The example bot runs twice (processes ${processes.map((one) => one.pid).join(" and ")}); every update goes to the next of them.`,
  );

  const database = pgDatabase({ connectionString: databaseUrl });
  cleanup.add(() => database.close());
  return {
    telegram,
    balancer,
    bookonce: createBookonce({ database }),
    clock: databaseClock(database),
    databaseUrl,
  };
}

async function starting<Result>(what: string, start: Promise<Result>): Promise<Result> {
  try {
    return await start;
  } catch (error) {
    throw new Error(`${what} cannot be used. ${reasonOf(error)}`, { cause: error });
  }
}

/** An error of several addresses that were tried has no message of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(reasonOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
