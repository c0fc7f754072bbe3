import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The pgbouncer on the PATH; null when there is none. */
export function findPgbouncer(): string | null {
  try {
    // Debian puts it where only administrators look.
    const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/usr/local/sbin` };
    return execFileSync("/bin/sh", ["-c", "command -v pgbouncer"], { env, encoding: "utf8" }).trim();
  } catch {
    return null;
  }
}

export interface RunningPgbouncer {
  /** The same database, through the pooler. */
  url(direct: string): string;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode before this server, with only so many connections of its own to each database. */
export async function startPgbouncer(program: string, server: string, poolSize: number): Promise<RunningPgbouncer> {
  const { hostname, port, username, password } = new URL(server);
  const folder = await mkdtemp(join(tmpdir(), "bookonce-pgbouncer-"));
  const listenPort = await freePort();
  await writeFile(join(folder, "users.txt"), `"${username}" "${password}"\n`);
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: listenPort,
    unix_socket_dir: "",
    pool_mode: "transaction",
    auth_type: "trust",
    auth_file: join(folder, "users.txt"),
    default_pool_size: poolSize,
    max_client_conn: 500,
    query_wait_timeout: 20,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const config = ["[databases]", `* = host=${hostname} port=${port}`, "[pgbouncer]", ...lines, ""].join("\n");
  await writeFile(join(folder, "pgbouncer.ini"), config);
  await chmod(folder, 0o755);
  // It refuses to run as root, as which containers often run; 65534 is nobody.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn(program, ["-q", join(folder, "pgbouncer.ini")], { stdio: ["ignore", "ignore", "pipe"], ...user });
  await listening(child, listenPort);
  return {
    url(direct) {
      const url = new URL(direct);
      url.hostname = "127.0.0.1";
      url.port = String(listenPort);
      return url.href;
    },
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  while (child.exitCode === null) {
    const connected = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (connected) return;
    await sleep(20);
  }
  throw new Error(`pgbouncer did not start: ${errors}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
