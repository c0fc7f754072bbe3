import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** One import, re-export, dynamic import or `import("…")` type, whatever its syntax. */
export interface Import {
  /** Both relative to the repository, with slashes; `to` is the specifier itself where it names a package. */
  readonly from: string;
  readonly to: string;
  readonly line: number;
  readonly typesOnly: boolean;
  readonly isPackage: boolean;
}

/** TypeScript files of a folder and those below it, relative to the repository; none when there is no such folder. */
export function sourceFiles(folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => slashed(relative(root, join(entry.parentPath, entry.name))))
      .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file))
      .sort();
  } catch {
    return [];
  }
}

export function parse(file: string, text: string = readFileSync(join(root, file), "utf8")): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

export function importsOf(source: ts.SourceFile): Import[] {
  const imports: Import[] = [];
  const add = (specifier: ts.Node | undefined, typesOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const isPackage = !specifier.text.startsWith(".");
    imports.push({
      from: source.fileName,
      to: isPackage ? specifier.text : slashed(relative(root, resolve(root, dirname(source.fileName), specifier.text))),
      line: source.getLineAndCharacterOfPosition(specifier.getStart(source)).line + 1,
      typesOnly,
      isPackage,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, importsTypesOnly(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, exportsTypesOnly(node));
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return imports;
}

function importsTypesOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  if (clause.name !== undefined || bindings === undefined || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
}

function exportsTypesOnly({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean {
  if (isTypeOnly) return true;
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return false;
  return exportClause.elements.length > 0 && exportClause.elements.every((element) => element.isTypeOnly);
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}
