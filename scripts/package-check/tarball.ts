import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import ts from "typescript";
import { root, run } from "./run.ts";

/** The packed package. */
export interface Tarball {
  readonly path: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Packs what `npm publish` would publish. */
export async function pack(folder: string): Promise<Tarball> {
  const [packed] = JSON.parse(await run("npm", ["pack", "--json", "--pack-destination", folder])) as {
    readonly filename: string;
    readonly files: Tarball["files"];
  }[];
  if (packed === undefined) throw new Error("npm pack packed nothing.");
  return { path: join(folder, packed.filename), files: packed.files };
}

const expected = /^(dist\/.+\.(js|d\.ts)|package\.json|README[\w.-]*\.md|LICENSE|CHANGELOG\.md)$/;

/** Files that do not belong into the package, and paths of this machine inside those that do. */
export async function strayFiles({ files }: Tarball): Promise<string[]> {
  const stray = files
    .filter(({ path }) => !expected.test(path) || path.includes("test."))
    .map(({ path }) => `${path} does not belong there`);
  for (const { path } of files) {
    const text = await readFile(join(root, path), "utf8");
    if (text.includes(root) || text.includes("sourceMappingURL"))
      stray.push(`${path} names a source map or a path of this machine`);
  }
  return stray;
}

/**
 * The packages that the declarations of an entry point mention, directly or through the files that they import. For "." there must be
 * none: nobody should have to match our version of zod or Kysely.
 */
export async function packagesInDeclarations(entry: string): Promise<string[]> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(
      await readFile(join(root, file), "utf8"),
      true,
      true,
    );
    for (const { fileName } of typeReferenceDirectives) packages.add(fileName);
    for (const { fileName } of importedFiles) {
      if (fileName.startsWith(".")) await visit(join(dirname(file), fileName.replace(/\.js$/, ".d.ts")));
      else packages.add(fileName);
    }
  };
  await visit(entry);
  return [...packages].sort();
}
