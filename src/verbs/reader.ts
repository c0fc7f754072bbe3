import type { Statement } from "../database/port.ts";
import type { Engine } from "../engine/engine.ts";
import type { CallOptions } from "./input.ts";

/** Runs one reading statement in a transaction of its own and parses its JSON. */
export async function read<Row>(engine: Engine, statement: Statement, options: CallOptions = {}): Promise<Row> {
  const [result] = await engine.transaction((tx) => tx.send([statement], { last: true }), options.signal);
  // The shape is the statement's own.
  return JSON.parse(result ?? "null") as Row;
}
