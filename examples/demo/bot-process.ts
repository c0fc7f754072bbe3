import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = fileURLToPath(new URL("../grammy-bot/src/main.ts", import.meta.url));

/** The example bot, as it is, in a process of its own. */
export interface BotProcess {
  readonly pid: number;
  readonly port: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the bot and resolves when it says that it listens. */
export async function startBot(env: Readonly<Record<string, string>>, port: number): Promise<BotProcess> {
  const child = spawn(process.execPath, ["--import", "tsx", program], {
    cwd: root,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
  await listening(child, errors);
  return {
    pid: child.pid ?? 0,
    port,
    async stop(signal = "SIGTERM") {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, "exit");
    },
  };
}

async function listening(child: ChildProcess, errors: readonly string[]): Promise<void> {
  const exited = once(child, "exit").then(() => {
    throw new Error(`The bot ended before it listened.\n${errors.join("")}`);
  });
  const said = new Promise<void>((resolve) => {
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (/listens on port|is polling/.test(output)) resolve();
    });
  });
  await Promise.race([said, exited]);
  // Its end is expected from now on.
  exited.catch(() => undefined);
}
