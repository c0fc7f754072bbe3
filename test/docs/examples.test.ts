import { expect, test } from "vitest";
import { parse, sourceFiles } from "../architecture/imports.ts";
import { type Block, blocksOfPage, blocksOfSource, blocksOfSources, pages, read, unfencedExamples } from "./blocks.ts";
import { compile } from "./compile.ts";
import { brokenLinks } from "./links.ts";

// Raise it only together with the reason that stands before the block.
const mostSkipped = 1;

const blocks = [...pages().flatMap((page) => blocksOfPage(page)), ...blocksOfSources()];

test("every example in the docs and doc comments compiles as it stands", { timeout: 120_000 }, () => {
  expect(blocks.length).toBeGreaterThan(0);
  expect(compile(blocks.filter((block) => !block.skipped))).toEqual([]);
});

test("examples that are not compiled are few, and say why", () => {
  const skipped = blocks.filter((block) => block.skipped);
  expect(skipped.filter(({ before }) => !isSentence(before)).map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  expect(skipped.length).toBeLessThanOrEqual(mostSkipped);
});

test("every @example has a fenced block", () => {
  expect(sourceFiles("src").flatMap((file) => unfencedExamples(parse(file)))).toEqual([]);
});

test("relative links lead to files", () => {
  expect(pages().flatMap((page) => brokenLinks(page, read(page)))).toEqual([]);
});

test.each(["README.md", "README.ru.md", "README.uz.md"])("%s leads to every guide, and is short", (file) => {
  const guides = pages().filter((page) => /^docs\/[^/]+\.md$/.test(page));
  expect(guides.length).toBeGreaterThan(10);
  expect(guides.filter((guide) => !read(file).includes(`](${guide})`))).toEqual([]);
  expect(read(file).split("\n").length).toBeLessThan(150);
});

/** Prose, not a heading or a doc tag. */
function isSentence(line: string): boolean {
  return line.length > 20 && !/^[#@]/.test(line);
}

// The checks above must be able to fail.
test("what does not compile is named by file and line", () => {
  const page = [
    "# Title",
    "",
    "```ts",
    `import { createBookonce } from "bookonce";`,
    "createBookonce({ databse: 1 });",
    "```",
  ].join("\n");
  const [block] = blocksOfPage("docs/guide.md", page);
  expect(compile([block as Block])).toEqual([expect.stringMatching(/^docs\/guide\.md:5 .*databse/)]);

  const comment = [
    "/**",
    " * Adds.",
    " *",
    " * @example",
    " * ```ts",
    " * const sum: string = 1;",
    " * ```",
    " */",
    "export const x = 1;",
  ];
  const [documented] = blocksOfSource(parse("src/core/x.ts", comment.join("\n")));
  expect(compile([documented as Block])).toEqual([expect.stringMatching(/^src\/core\/x\.ts:6 Type 'number'/)]);
});

test("blocks are told apart: other languages, no-check, unfenced examples", () => {
  const page = [
    "```js",
    "nonsense(",
    "```",
    "Only the start, not compiled:",
    "```ts no-check",
    "const a =",
    "```",
  ].join("\n");
  expect(blocksOfPage("a.md", page)).toEqual([
    { file: "a.md", line: 6, code: "const a =", skipped: true, before: "Only the start, not compiled:" },
  ]);
  expect(unfencedExamples(parse("src/x.ts", "/** @example x() */\nexport const x = 1;"))).toEqual(["src/x.ts:1"]);
});

test("a link to nowhere is named", () => {
  const page =
    '[a](package.json) [b](#anchor) [c](https://example.org) `[d](code.md)`\n[e](none.md#x) <img src="none.png">';
  expect(brokenLinks("README.md", page)).toEqual(["README.md:2 none.md#x", "README.md:2 none.png"]);
});
