import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { expect, inject, onTestFinished, test, vi } from "vitest";

// A demo takes seconds; several of them beside other tests on two cores, more.
vi.setConfig({ testTimeout: 180_000 });

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Demo {
  readonly child: ChildProcess;
  output(): string;
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** The demo as `npm run demo` starts it, on the server of the tests unless told otherwise. */
function demo(args: readonly string[], databaseUrl: string = inject("postgresUrl")): Demo {
  const child = spawn(process.execPath, ["--import", "tsx", "examples/demo/main.ts", ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: databaseUrl, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, output: () => output, ended };
}

async function databases(): Promise<string[]> {
  const client = new pg.Client({ connectionString: inject("postgresUrl") });
  await client.connect();
  const { rows } = await client.query(
    "select datname from pg_database where datname like 'bookonce_demo_%' order by 1",
  );
  await client.end();
  return rows.map(({ datname }) => datname);
}

test.each([2, 12])("one slot, %i buyers: the counts add up", async (buyers) => {
  const before = await databases();
  const { ended, output } = demo(["--json", "--buyers", String(buyers)]);
  const code = await ended;
  const counts: unknown = JSON.parse(output().trim().split("\n").at(-1) ?? "");
  // All there is, and nothing else: one booking in each of the first two acts, two in the third.
  expect(counts, output()).toStrictEqual({
    buyers,
    booked: 4,
    refusedBeforeCharge: buyers - 1,
    charged: 5,
    refunded: 1,
    duplicatesIgnored: 2,
    unaccounted: 0,
  });
  expect(output()).toMatch(/Nothing is lost, nothing doubled\./);
  expect(code).toBe(0);
  expect(await databases()).toEqual(before);
});

test.skipIf(process.platform === "win32")(
  "--keep prints the address, and leaves nothing behind after Ctrl+C",
  async () => {
    const before = await databases();
    const { child, ended, output } = demo(["--keep"]);
    const address = await vi.waitFor(
      () => {
        const found = /psql (postgres\S+)/.exec(output())?.[1];
        expect(found, output()).toBeDefined();
        return found;
      },
      { timeout: 150_000, interval: 100 },
    );
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    const { rows } = await client.query("select count(*)::int as n from bookonce.bookings where state = 'confirmed'");
    expect(rows[0].n).toBe(4);
    await client.end();
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(await databases()).toEqual(before);
  },
  120_000,
);

test.skipIf(process.platform === "win32")("interrupted half-way, it leaves nothing behind either", async () => {
  const before = await databases();
  const { child, ended, output } = demo([]);
  await vi.waitFor(() => expect(output()).toContain("Act 1"), { timeout: 150_000, interval: 20 });
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(await databases()).toEqual(before);
});

test("what cannot start is named, without a stack trace", async () => {
  const { ended, output } = demo([], "postgres://nobody@127.0.0.1:1/none");
  expect(await ended).toBe(1);
  expect(output()).toMatch(/The demo has failed: PostgreSQL cannot be used\. connect ECONNREFUSED 127\.0\.0\.1:1/);
  expect(output()).not.toMatch(/^\s+at /m);
});

test("nonsense on the command line is refused", async () => {
  const { ended, output } = demo(["--buyers", "1"]);
  expect(await ended).toBe(1);
  expect(output()).toMatch(/a whole number from 2 to 1000/);
});
