import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { parse, root, sourceFiles } from "../architecture/imports.ts";

/** A fenced TypeScript example. `line` is where its code begins in its file, from 1. */
export interface Block {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  /** Marked "no-check": not compiled. */
  readonly skipped: boolean;
  /** The last line of prose before it. */
  readonly before: string;
}

/** README*.md and other pages at the root, docs/**, without the generated reference. */
export function pages(): string[] {
  const atRoot = readdirSync(root).filter((file) => file.endsWith(".md"));
  const below = ["docs", "examples", "bench"].flatMap((folder) => markdownBelow(folder));
  return [...atRoot, ...below].sort();
}

function markdownBelow(folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md") && !/(^|[\\/])(node_modules|dist)[\\/]/.test(file))
      .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
      .filter((file) => !file.startsWith("docs/api/"));
  } catch {
    return [];
  }
}

export function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

export function blocksOfPage(file: string, text: string = read(file)): Block[] {
  return fences(file, text.split("\n"), 1);
}

/** Examples in the doc comments of all sources. */
export function blocksOfSources(): Block[] {
  return sourceFiles("src").flatMap((file) => blocksOfSource(parse(file)));
}

export function blocksOfSource(source: ts.SourceFile): Block[] {
  return docComments(source).flatMap(({ text, line }) =>
    fences(
      source.fileName,
      text.split("\n").map((row) => row.replace(/^\s*(\/\*\*|\*\/|\* ?)/, "")),
      line,
    ),
  );
}

/** `@example` tags without a fence: nothing would compile them. */
export function unfencedExamples(source: ts.SourceFile): string[] {
  return docComments(source).flatMap(({ text, line }) =>
    text.includes("@example") && !text.includes("```ts") ? [`${source.fileName}:${line}`] : [],
  );
}

function docComments(source: ts.SourceFile): { readonly text: string; readonly line: number }[] {
  const comments = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? []) {
      const text = source.text.slice(range.pos, range.end);
      if (text.startsWith("/**")) comments.set(range.pos, text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...comments].map(([position, text]) => ({
    text,
    line: source.getLineAndCharacterOfPosition(position).line + 1,
  }));
}

function fences(file: string, lines: readonly string[], firstLine: number): Block[] {
  const blocks: Block[] = [];
  let open:
    | {
        readonly fence: string;
        readonly info: string;
        readonly line: number;
        readonly before: string;
        readonly code: string[];
      }
    | undefined;
  let before = "";
  for (const [index, line] of lines.entries()) {
    const [, fence = "", info = ""] = /^\s*(`{3,})(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== "") open = { fence, info: info.trim(), line: firstLine + index + 1, before, code: [] };
      else if (line.trim() !== "") before = line.trim();
    } else if (fence === open.fence && info.trim() === "") {
      const [language, ...marks] = open.info.split(/\s+/);
      if (language === "ts" || language === "typescript") {
        const { line: at, before: prose, code } = open;
        blocks.push({ file, line: at, code: code.join("\n"), skipped: marks.includes("no-check"), before: prose });
      }
      open = undefined;
    } else {
      open.code.push(line);
    }
  }
  return blocks;
}
