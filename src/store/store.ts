import { type Locks, locks } from "./lock.ts";
import { type Lookups, lookups } from "./lookups.ts";
import { type Outbox, outbox } from "./outbox.ts";
import { type QueryBuilder, queryBuilder } from "./query-builder.ts";
import { type Reader, reader } from "./read.ts";
import { type Writer, writer } from "./write.ts";

/** The SQL of one schema, compiled once. */
export interface Store {
  readonly schema: string;
  readonly queries: QueryBuilder;
  readonly locks: Locks;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly lookups: Lookups;
  readonly outbox: Outbox;
}

export function createStore(schema: string): Store {
  const queries = queryBuilder(schema);
  return {
    schema,
    queries,
    locks: locks(queries),
    reader: reader(queries),
    writer: writer(queries),
    lookups: lookups(queries),
    outbox: outbox(queries),
  };
}
