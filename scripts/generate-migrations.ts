// Puts the numbered SQL files into one module, so that they survive every bundler. A test fails when the module is out of date.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = new URL("../src/store/migrations/", import.meta.url);
const target = new URL("../src/store/migrations.generated.ts", import.meta.url);

export function generatedMigrations(): string {
  const files = readdirSync(folder)
    .filter((file) => /^\d{4}_\w+\.sql$/.test(file))
    .sort();
  const entries = files.map((file) => {
    const text = readFileSync(new URL(file, folder), "utf8");
    const escaped = text.replace(/[\\`]/g, "\\$&").replaceAll("${", "\\${");
    return `  { number: ${Number.parseInt(file, 10)}, name: "${file.slice(5, -4)}", sql: \`${escaped}\` },\n`;
  });
  return [
    "// Generated from migrations/*.sql by `npm run generate`. Do not edit.\n",
    'import type { Migration } from "./migrate.ts";\n\n',
    `export const migrations: readonly Migration[] = [\n${entries.join("")}];\n`,
  ].join("");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) writeFileSync(target, generatedMigrations());
