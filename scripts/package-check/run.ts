import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const root: string = fileURLToPath(new URL("../../", import.meta.url));

const execute = promisify(execFile);

// What npm tells its scripts about this project would lead an npm inside another project astray.
const misleading = /^(npm_(package|lifecycle)_|npm_config_local_prefix$|INIT_CWD$)/;
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !misleading.test(name)));

/** Runs a program and returns what it printed; rejects with all its output when it fails. */
export async function run(
  program: string,
  args: readonly string[],
  { cwd = root, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  try {
    const { stdout } = await execute(program, args, {
      cwd,
      env: { ...inherited, ...env, NO_COLOR: "1" },
      maxBuffer: 64 * 1024 * 1024,
      // npm and npx are shell scripts there.
      shell: process.platform === "win32",
    });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
