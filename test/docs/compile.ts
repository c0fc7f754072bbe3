import { dirname, join } from "node:path";
import ts from "typescript";
import { root } from "../architecture/imports.ts";
import type { Block } from "./blocks.ts";

/** Compiles all blocks in one program, each as a module of its own beside the file it stands in; returns what is wrong with them. */
export function compile(blocks: readonly Block[]): string[] {
  const virtual = new Map(blocks.map((block) => [join(root, dirname(block.file), `${fileName(block)}.ts`), block]));
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (path) => virtual.has(path) || fileExists(path);
  host.readFile = (path) => virtual.get(path)?.code ?? readFile(path);
  host.getSourceFile = (path, settings, ...rest) => {
    const block = virtual.get(path);
    return block === undefined
      ? getSourceFile(path, settings, ...rest)
      : ts.createSourceFile(path, block.code, settings);
  };
  const program = ts.createProgram([...virtual.keys()], options, host);
  return [...virtual].flatMap(([path, block]) => {
    const source = program.getSourceFile(path);
    const diagnostics = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return diagnostics.map(({ start = 0, messageText }) => {
      const { line } = source?.getLineAndCharacterOfPosition(start) ?? { line: 0 };
      return `${block.file}:${block.line + line} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
  });
}

function fileName({ file, line }: Block): string {
  return `${file.replaceAll("/", "_")}.line-${line}`;
}

/** The project's own settings, but for one that is a matter of taste: a bot's handler may end with or without `return ctx.reply()`. */
function compilerOptions(): ts.CompilerOptions {
  const path = join(root, "tsconfig.json");
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  return { ...ts.parseJsonConfigFileContent(config, ts.sys, root).options, noImplicitReturns: false };
}
