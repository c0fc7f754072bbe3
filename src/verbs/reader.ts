import type { Statement } from "../database/port.ts";
import type { Engine } from "../engine/engine.ts";
import { type Patience, signalOf } from "./patience.ts";

/** Runs one reading statement in a transaction of its own and parses its JSON. */
export async function read<Row>(engine: Engine, statement: Statement, options: Patience = {}): Promise<Row> {
  const [result] = await engine.transaction((tx) => tx.send([statement], { last: true }), signalOf(options));
  // The shape is the statement's own.
  return JSON.parse(result ?? "null") as Row;
}
