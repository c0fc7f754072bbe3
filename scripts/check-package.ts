// `npm run check:package`: what a stranger gets from npm works. Builds, packs, lints the tarball, and installs it into empty projects
// of three kinds, each of which makes a reservation on a real PostgreSQL.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, consumer } from "./package-check/consumers.ts";
import { root, run } from "./package-check/run.ts";
import { pack, packagesInDeclarations, strayFiles } from "./package-check/tarball.ts";
import { startPostgres } from "./postgres.ts";

interface PackageJson {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const expected = JSON.stringify({ first: "reserved", second: "refused", reason: "slot_taken" });

const temporary = await mkdtemp(join(tmpdir(), "bookonce-package-"));
const postgres = await startPostgres();
try {
  await check(JSON.parse(await readFile(join(root, "package.json"), "utf8")) as PackageJson);
  console.log("The package is in order.");
} catch (error) {
  // What failed says enough; where in this script it did, does not.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
}

async function check({ exports, devDependencies }: PackageJson): Promise<void> {
  await step("build", () => run("npm", ["run", "build"]));
  const tarball = await step("pack", () => pack(temporary));
  for (const { path, size } of tarball.files) console.log(`  ${String(size).padStart(8)}  ${path}`);
  await step("files", async () => expectNone("stray files", await strayFiles(tarball)));
  await step("declarations of . mention no package", async () =>
    expectNone("packages", await packagesInDeclarations("dist/index.d.ts")),
  );
  await step("publint", () => run("publint", ["--strict", tarball.path]));
  await step("are the types wrong?", () => run("attw", [tarball.path, "--profile", "esm-only"]));

  const version = (name: string): string => `${name}@${devDependencies[name] ?? "latest"}`;
  const typescript = await step("install into TypeScript with ES modules", () =>
    consumer(temporary, "typescript", "module", [tarball.path, version("pg"), version("@types/node")]),
  );
  await step("compile it, strict and without skipLibCheck", () => compile(typescript.folder));
  await step("run it", () => reserves("typescript", typescript.folder, (env) => typescript.node("out/main.js", env)));

  const commonjs = await step("install into CommonJS", () =>
    consumer(temporary, "commonjs", "commonjs", [tarball.path]),
  );
  await step("without pg, the command line says what to install", () => asksForPg(commonjs.folder));
  await step("install pg beside it", () =>
    run("npm", ["install", "--no-audit", "--no-fund", version("pg")], { cwd: commonjs.folder }),
  );
  await step("run it", () => reserves("commonjs", commonjs.folder, (env) => commonjs.node("main.cjs", env)));

  const peers = ["pg", "hono", "@hono/node-server", "@electric-sql/pglite"].map(version);
  const esm = await step("install into JavaScript with ES modules and every peer", () =>
    consumer(temporary, "esm", "module", [tarball.path, ...peers]),
  );
  await step("run it", () => reserves("esm", esm.folder, (env) => esm.node("main.js", env)));
  await step("import every entry point", async () => {
    const entries = Object.keys(exports).map((path) => path.replace(/^\./, "bookonce"));
    const lines = entries.map(
      (name) => `await import("${name}"${name.endsWith(".json") ? ', { with: { type: "json" } }' : ""});`,
    );
    await writeFile(join(esm.folder, "entries.js"), lines.join("\n"));
    await esm.node("entries.js", {});
  });
}

/** Migrates with the command line of the tarball, then reserves with the project's program. */
async function reserves(
  name: string,
  folder: string,
  program: (env: Record<string, string>) => Promise<string>,
): Promise<void> {
  const env = { DATABASE_URL: postgres.url, SCHEMA: `package_${name}` };
  const help = await run("npx", ["--no-install", "bookonce", "--help"], { cwd: folder });
  if (!help.includes("Usage: bookonce")) throw new Error(`bookonce --help printed: ${help}`);
  await run("npx", ["--no-install", "bookonce", "migrate", "--schema", env.SCHEMA], { cwd: folder, env });
  const printed = (await program(env)).trim();
  if (printed !== expected) throw new Error(`The ${name} project printed ${printed} instead of ${expected}.`);
  await run("npx", ["--no-install", "bookonce", "audit", "--schema", env.SCHEMA], { cwd: folder, env });
}

async function asksForPg(folder: string): Promise<void> {
  const env = { DATABASE_URL: postgres.url };
  const audit = run("npx", ["--no-install", "bookonce", "audit"], { cwd: folder, env });
  const message = await audit.then(
    (printed) => printed,
    (error: Error) => error.message,
  );
  if (!message.includes("npm install pg")) throw new Error(`Without pg, bookonce audit printed: ${message}`);
}

async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  try {
    const result = await work();
    console.log(`✓ ${name} (${Math.round(performance.now() - started)} ms)`);
    return result;
  } catch (error) {
    console.log(`✗ ${name}`);
    throw error;
  }
}

function expectNone(what: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error(`There are ${what}:\n${found.join("\n")}`);
}
