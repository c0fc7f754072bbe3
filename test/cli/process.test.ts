import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const run = promisify(execFile);

test("the command runs as a process of its own, uncoloured where there is no terminal", async () => {
  const env = { ...process.env, DATABASE_URL: "", FORCE_COLOR: undefined };
  const { stdout } = await run(process.execPath, [main, "sql", "--schema", 'Odd "name"'], { env });
  expect(stdout).toMatch(/^create schema if not exists "Odd ""name""";/);
  const failed: unknown = await run(process.execPath, [main, "audit"], { env }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/^error: Which database\?/) });
});
