import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

// Node's own: it leaves colours out under NO_COLOR and where the output is no terminal.
const style =
  (format: Format) =>
  (text: string): string =>
    styleText(format, text, { stream: process.stdout });

export const bold: (text: string) => string = style("bold");
export const dim: (text: string) => string = style("dim");
export const red: (text: string) => string = style("red");
export const green: (text: string) => string = style("green");
export const yellow: (text: string) => string = style("yellow");

/** A column: its heading, and its text for a row; null prints as a dash. */
export type Column<Row> = readonly [heading: string, cell: (row: Row) => string | null];

/** Rows under headings, or one sentence when there are none. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], none: string): string {
  if (rows.length === 0) return dim(none);
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row) ?? "–"));
  const widths = columns.map(([heading], index) =>
    Math.max(heading.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd();
  return [bold(line(columns.map(([heading]) => heading))), ...cells.map(line)].join("\n");
}

/** An instant in UTC: whoever reads it may be anywhere. */
export function at(instant: Date): string {
  return `${instant.toISOString().slice(0, 19).replace("T", " ")}Z`;
}

/** An amount in the minor units that everything here counts in. */
export function money({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  return `${amount} ${currency}`;
}
