import ts from "typescript";

// What a pure function cannot have: a clock, chance, timers, the world.
const globals = new Set([
  "process",
  "performance",
  "crypto",
  "fetch",
  "console",
  "globalThis",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
]);
const members = new Map([
  ["Date", new Set(["now"])],
  ["Math", new Set(["random"])],
  ["Temporal", new Set(["Now"])],
]);

/** Every place where a file reads a clock, draws a random number or touches the world. */
export function impurities(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const add = (node: ts.Node, what: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.push(`${source.fileName}:${line + 1} ${what}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && isNamed(node.expression, "Date") && (node.arguments?.length ?? 0) === 0)
      add(node, "new Date()");
    if (ts.isCallExpression(node) && isNamed(node.expression, "Date")) add(node, "Date()");
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      if (members.get(node.expression.text)?.has(node.name.text) === true)
        add(node, `${node.expression.text}.${node.name.text}`);
    }
    if (ts.isIdentifier(node) && globals.has(node.text) && isReference(node)) add(node, node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

/** Not a property, a parameter or a variable that happens to have the name. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  return !("name" in parent && parent.name === node) && !("propertyName" in parent && parent.propertyName === node);
}
