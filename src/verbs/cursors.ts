import { z } from "zod";
import type { Engine } from "../engine/engine.ts";
import { cursorStatements } from "../store/cursors.ts";
import type { Store } from "../store/store.ts";
import { identifier, json, parseInput } from "./input.ts";
import { read } from "./reader.ts";

/** Where a reader of somebody else's list has got to: Telegram's ledger, an external calendar. Any JSON. */
export interface Cursors {
  /** The stored value, or null. */
  get(name: string): Promise<unknown>;
  set(name: string, value: unknown): Promise<void>;
}

const schema = z.strictObject({ name: identifier, value: json });

export function cursors(engine: Engine, store: Store): Cursors {
  const statements = cursorStatements(store.queries);
  return {
    async get(name) {
      return read<unknown>(engine, statements.get(parseInput("cursors.get", identifier, name)));
    },
    async set(name, value) {
      const cursor = parseInput("cursors.set", schema, { name, value });
      await read<unknown>(engine, statements.set(cursor.name, cursor.value));
    },
  };
}
