import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root, run } from "./run.ts";

/** An empty project in a temporary folder with the tarball installed, as a user would have it. */
export interface Consumer {
  readonly folder: string;
  node(file: string, env: Readonly<Record<string, string>>): Promise<string>;
}

/** `name` is a folder of test/package. */
export async function consumer(
  temporary: string,
  name: string,
  type: "module" | "commonjs",
  packages: readonly string[],
): Promise<Consumer> {
  const folder = join(temporary, name);
  await mkdir(folder);
  await cp(join(root, "test/package", name), folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: `uses-bookonce-${name}`, private: true, type }));
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], { cwd: folder });
  return { folder, node: (file, env) => run("node", [file], { cwd: folder, env }) };
}

const strictest = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  target: "es2023",
  types: ["node"],
};

/** Compiles the project under both ways in which today's TypeScript projects resolve modules; the first also emits what is run. */
export async function compile(folder: string): Promise<void> {
  const settings = [
    { ...strictest, module: "nodenext", moduleResolution: "nodenext", outDir: "out" },
    { ...strictest, module: "esnext", moduleResolution: "bundler", noEmit: true },
  ];
  for (const compilerOptions of settings) {
    const file = join(folder, `tsconfig.${compilerOptions.moduleResolution}.json`);
    await writeFile(
      file,
      JSON.stringify({ compilerOptions: { ...compilerOptions, rootDir: "." }, files: ["main.ts", "sub-paths.ts"] }),
    );
    await run("node", [join(root, "node_modules/typescript/bin/tsc"), "-p", file], { cwd: folder });
  }
}
