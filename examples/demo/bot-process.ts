import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = fileURLToPath(new URL("../grammy-bot/src/main.ts", import.meta.url));

/** The example bot, as it is, in a process of its own. */
export interface BotProcess {
  readonly pid: number;
  /** Everything that it has printed. */
  output(): string;
  /** Its exit code, or the signal that killed it, once it has ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** Starts the bot. It is ready when it says so: see {@link startBot}. It does not outlive this process. */
export function spawnBot(env: Readonly<Record<string, string>>): BotProcess & { readonly ready: Promise<void> } {
  const child = spawn(process.execPath, ["--import", "tsx", program], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (/listens on port|is polling/.test(output)) resolve();
    });
  }
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(child, "close").then(([code, signal]) => {
    process.off("exit", kill);
    return (code ?? signal) as number | NodeJS.Signals;
  });
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    ready,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts the bot and resolves when it says that it listens, or polls. */
export async function startBot(env: Readonly<Record<string, string>>): Promise<BotProcess> {
  const bot = spawnBot(env);
  const first = await Promise.race([bot.ready, bot.ended]);
  if (first !== undefined) throw new Error(`The bot ended (${first}) before it was ready. It said:\n${bot.output()}`);
  return bot;
}
