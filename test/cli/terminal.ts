import { stripVTControlCharacters } from "node:util";
import { runCli } from "../../src/cli/run.ts";
import { type TestDatabase, testSchema } from "../support/database.ts";

export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One command line, as a terminal would see it; on the test's database unless `env` says otherwise. */
export async function cli(
  db: TestDatabase,
  args: readonly string[],
  env: Record<string, string> = { DATABASE_URL: db.url },
): Promise<Printed> {
  const output = { out: "", err: "" };
  const code = await runCli(["--schema", testSchema, ...args], {
    out: (text) => {
      output.out += text;
    },
    err: (text) => {
      output.err += text;
    },
    env,
    actor: "cli:test",
    version: "1.2.3",
  });
  // Whoever runs the tests may have forced colours on.
  return { code, out: stripVTControlCharacters(output.out), err: stripVTControlCharacters(output.err) };
}

export async function json(db: TestDatabase, ...args: string[]): Promise<unknown> {
  return JSON.parse((await cli(db, [...args, "--json"])).out);
}
