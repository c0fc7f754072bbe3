import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importsOf, parse, root, sourceFiles } from "./imports.ts";
import { impurities } from "./impure.ts";
import { complaint, roomOf } from "./rooms.ts";

const complaints = (file: string, text?: string): string[] =>
  importsOf(parse(file, text)).flatMap((arrow) => complaint(arrow) ?? []);

test("arrows between rooms run downwards", () => {
  const files = sourceFiles("src");
  expect(files.filter((file) => roomOf(file) === undefined)).toEqual([]);
  expect(files.flatMap((file) => complaints(file))).toEqual([]);
});

test("examples see the package as everybody else does", () => {
  const reachingIn = sourceFiles("examples")
    .flatMap((file) => importsOf(parse(file)))
    .filter(({ to, isPackage }) => !isPackage && to.startsWith("src/"))
    .map(({ from, line, to }) => `${from}:${line} → ${to}: import "bookonce…" instead`);
  expect(reachingIn).toEqual([]);
});

test("core and calendar have no I/O, no clock and no chance", () => {
  const pure = [...sourceFiles("src/core"), ...sourceFiles("src/calendar")];
  expect(pure.flatMap((file) => impurities(parse(file)))).toEqual([]);
});

test("no file is longer than one can hold in one's head", () => {
  const written = ["src", "examples", "bench", "scripts"]
    .flatMap(sourceFiles)
    .filter((file) => !file.endsWith(".generated.ts"));
  const long = written
    .map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").split("\n").length }))
    .filter(({ lines }) => lines > 500)
    .map(({ file, lines }) => `${file} has ${lines} lines: cut it where one idea ends`);
  expect(long).toEqual([]);
});

// The checks above must be able to fail.
test.each([
  ["src/core/cancel.ts", `import { z } from "zod";`, "src/core → zod"],
  ["src/core/cancel.ts", `import type { Store } from "../store/store.ts";`, "src/core → src/store/store.ts (types)"],
  ["src/verbs/cursors.ts", `import { sql } from "kysely";`, "src/verbs → kysely"],
  ["src/core/cancel.ts", `const fs = await import("node:fs");`, "src/core → node:fs"],
  ["src/calendar/grid.ts", `import type { Interval } from "../core/time.ts";`, "src/calendar → src/core/time.ts"],
  ["src/store/read.ts", `export * from "../engine/engine.ts";`, "src/store → src/engine/engine.ts"],
  [
    "src/providers/telegram/index.ts",
    `import { cancel } from "../../verbs/cancel.ts";`,
    "src/providers → src/verbs/cancel.ts",
  ],
  [
    "src/providers/telegram/index.ts",
    `type Row = import("../../store/tables.ts").BookingRow;`,
    "src/providers → src/store/tables.ts",
  ],
  [
    "src/testing/telegram/world.ts",
    `import { databaseClock } from "../database-clock.ts";`,
    "src/testing/telegram → src/testing/database-clock.ts",
  ],
  ["src/database/pg.ts", `import { type A, b } from "../core/state.ts";`, "src/database → src/core/state.ts:"],
])("a forbidden arrow in %s is seen: %s", (file, text, arrow) => {
  expect(complaints(file, text)).toEqual([expect.stringContaining(`${file}:1 ${arrow}`)]);
});

test("an allowed arrow is let through", () => {
  const text = [
    `import type { CancelInput } from "../../verbs/cancel.ts";`,
    `import { type CallOptions } from "../../verbs/input.ts";`,
    `import { BookonceError } from "../../core/error.ts";`,
    `import { timingSafeEqual } from "node:crypto";`,
    `import { own } from "./own.ts";`,
  ];
  expect(complaints("src/providers/telegram/index.ts", text.join("\n"))).toEqual([]);
});

test.each([
  "const now = Date.now();",
  "const now = new Date();",
  "const chance = Math.random();",
  "setTimeout(run, 1);",
  "const zone = process.env;",
  "const now = Temporal.Now.instant();",
])("%s is seen as impure", (text) => {
  expect(impurities(parse("src/core/cancel.ts", text))).toHaveLength(1);
});

test("a parsed instant and a field called process are pure", () => {
  const text = "const at = new Date(1); const job = { process: 1 }; export const sum = job.process + at.getTime();";
  expect(impurities(parse("src/core/cancel.ts", text))).toEqual([]);
});
