import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../architecture/imports.ts";

/** Relative links of a page that lead to no file, as `page:line link`. */
export function brokenLinks(file: string, text: string): string[] {
  const broken: string[] = [];
  let fenced = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*```/.test(line)) fenced = !fenced;
    if (fenced) continue;
    // Inline links and images, reference definitions, and HTML, which READMEs use for pictures.
    const prose = line.replace(/`[^`]*`/g, "");
    const links = [...prose.matchAll(/\]\(\s*<?([^\s)>]+)|^\s*\[[^\]]+\]:\s*(\S+)|(?:href|src|srcset)="([^"]+)"/g)];
    for (const [, inline, reference, html] of links) {
      const link = inline ?? reference ?? html ?? "";
      if (!leads(file, link)) broken.push(`${file}:${index + 1} ${link}`);
    }
  }
  return broken;
}

function leads(file: string, link: string): boolean {
  const path = decodeURI(link.replace(/[?#].*$/, ""));
  // An address of its own, or an anchor on the same page.
  if (/^[a-z][a-z+.-]*:/i.test(link) || path === "") return true;
  // The reference is generated, not committed.
  const target = join(dirname(file), path);
  return target.startsWith(join("docs", "api")) || existsSync(join(root, target));
}
