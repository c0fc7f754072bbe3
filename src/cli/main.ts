#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { runCli } from "./run.ts";

const packageFile = await readFile(new URL("../../package.json", import.meta.url), "utf8");

process.exitCode = await runCli(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  actor: `cli:${loginName()}`,
  version: (JSON.parse(packageFile) as { version: string }).version,
});

/** Containers often run under a user id that has no name. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}
