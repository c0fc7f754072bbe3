import type { QueryReply, Sendable } from "./session.ts";

/** The part of node-postgres's connection that a query class of one's own works with, as those for cursors and streams do. */
interface Connection {
  readonly stream: { cork?(): void; uncork?(): void };
  /** The names that are prepared on it, with their texts; node-postgres and every copy of this file keep the same record. */
  readonly parsedStatements: Record<string, string>;
  parse(query: { readonly name: string; readonly text: string }): void;
  bind(config: { readonly statement: string; readonly values: readonly string[] }): void;
  execute(config: object): void;
  close(what: { readonly type: "S"; readonly name: string }): void;
  sync(): void;
}

/** A node-postgres client that takes a query class of one's own. One that pipelines by itself does not. */
export interface FlightClient {
  readonly connection: Connection;
  query(query: Flight): unknown;
}

const needed = ["parse", "bind", "execute", "close", "sync"] as const;

/** Whether the client is node-postgres in JavaScript: its native twin, and what others make in its image, send one query at a time. */
export function takesFlights(client: object): client is FlightClient {
  if ("pipeline" in client && client.pipeline === true) return false;
  const connection = "connection" in client ? client.connection : null;
  if (typeof connection !== "object" || connection === null) return false;
  return (
    "stream" in connection &&
    "parsedStatements" in connection &&
    needed.every((name) => typeof Reflect.get(connection, name) === "function")
  );
}

/**
 * Several statements in one flight: one write, one Sync, one answer. node-postgres's own pipelining syncs after every query, and the
 * server answers each Sync at once: measured for a transaction of two flights, 7 times the system calls on both sides.
 *
 * @param nameOf The name under which a statement is prepared; empty: not at all.
 */
export function sendTogether(
  client: FlightClient,
  statements: readonly Sendable[],
  nameOf: (statement: Sendable) => string,
): Promise<QueryReply[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new Flight(statements, nameOf, (error, replies) => (error === null ? resolve(replies) : reject(error))),
    );
  });
}

/**
 * Names that a failed flight may have prepared or not. The next one, which is the roll-back, closes them first: that is no error where
 * there is none.
 */
const inDoubt = new WeakMap<Connection, readonly string[]>();

class Flight {
  /** node-postgres wraps it when it was given a `query_timeout`. */
  callback: (error: unknown, replies: QueryReply[]) => void;
  readonly #statements: readonly Sendable[];
  readonly #nameOf: (statement: Sendable) => string;
  readonly #replies: QueryReply[] = [];
  readonly #prepared = new Map<string, string>();
  #rows: { readonly result: unknown }[] = [];

  constructor(
    statements: readonly Sendable[],
    nameOf: (statement: Sendable) => string,
    callback: (error: unknown, replies: QueryReply[]) => void,
  ) {
    this.#statements = statements;
    this.#nameOf = nameOf;
    this.callback = callback;
  }

  submit(connection: Connection): void {
    const { stream } = connection;
    stream.cork?.();
    try {
      for (const name of inDoubt.get(connection) ?? []) connection.close({ type: "S", name });
      inDoubt.delete(connection);
      for (const statement of this.#statements) this.#write(connection, statement);
      connection.sync();
    } finally {
      stream.uncork?.();
    }
  }

  #write(connection: Connection, statement: Sendable): void {
    const name = this.#nameOf(statement);
    const isPrepared = name !== "" && (name in connection.parsedStatements || this.#prepared.has(name));
    if (!isPrepared) connection.parse({ name, text: statement.text });
    if (!isPrepared && name !== "") this.#prepared.set(name, statement.text);
    // Without Describe: an answer is one text column, and its name is known.
    connection.bind({ statement: name, values: "values" in statement ? statement.values : [] });
    connection.execute({});
  }

  handleDataRow({ fields }: { readonly fields: readonly unknown[] }): void {
    this.#rows.push({ result: fields[0] });
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#replies.push({ rows: this.#rows, command: text.split(" ", 1)[0] ?? "" });
    this.#rows = [];
  }

  handleReadyForQuery(connection: Connection): void {
    for (const [name, text] of this.#prepared) connection.parsedStatements[name] = text;
    this.callback(null, this.#replies);
  }

  handleError(error: unknown, connection: Connection): void {
    inDoubt.set(connection, [...this.#prepared.keys()]);
    this.callback(error, []);
  }

  // node-postgres calls them all; of ours nothing is described, suspended, empty or copied.
  handleRowDescription(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
