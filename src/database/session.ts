import { ConnectionLost } from "./failure.ts";
import type { Statement, StatementResult, Transaction, TransactionOptions } from "./port.ts";

/** What an SQL driver's connection must offer for {@link runTransaction}: one query at a time, or several in one flight. */
export interface Session {
  query(statement: Statement | { readonly text: string }): Promise<QueryReply>;
  /** Whether queries that are sent without waiting travel in one flight. */
  readonly pipelined: boolean;
}

/** The part of a driver's answer that we look at. */
export interface QueryReply {
  readonly rows: readonly unknown[];
  /** The command tag, such as `COMMIT` or `ROLLBACK`, where the driver tells it. */
  readonly command?: string;
}

/** BEGIN with its local time-outs, as one simple query: no parameters, the same text for every transaction of an instance. */
export function beginText(options: TransactionOptions): string {
  return [
    "begin isolation level read committed read write",
    `set local lock_timeout = ${Math.ceil(options.lockTimeoutMs)}`,
    `set local statement_timeout = ${Math.ceil(options.statementTimeoutMs)}`,
    `set local idle_in_transaction_session_timeout = ${Math.ceil(options.idleTimeoutMs)}`,
  ].join("; ");
}

/**
 * Runs a transaction on one connection: BEGIN travels with the first flight and COMMIT with the last. Rejects when anything failed,
 * including a COMMIT that the server answered with ROLLBACK, which it does (without an error) when the transaction had failed.
 */
export async function runTransaction<Result>(
  session: Session,
  options: TransactionOptions,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  let begun = false;
  let ended = false;
  const transaction: Transaction = {
    async send(statements, { last = false } = {}) {
      const flight: { readonly text: string }[] = begun ? [] : [{ text: beginText(options) }];
      const skipped = flight.length;
      begun = true;
      flight.push(...statements);
      if (last) flight.push({ text: "commit" });
      const replies = await sendFlight(session, flight);
      if (last) {
        expectCommit(replies.at(-1));
        ended = true;
      }
      return replies.slice(skipped, skipped + statements.length).map(resultOf);
    },
  };
  try {
    const result = await work(transaction);
    if (begun && !ended) expectCommit(await session.query({ text: "commit" }));
    return result;
  } catch (error) {
    // The first error is the one that tells; a roll-back that fails too means a connection the adapter will throw away.
    if (begun && !ended) await session.query({ text: "rollback" }).catch(() => undefined);
    throw error;
  }
}

/** Statements inside somebody else's transaction: neither begun nor ended here. */
export function joinTransaction(session: Session): Transaction {
  return {
    async send(statements) {
      return (await sendFlight(session, statements)).map(resultOf);
    },
  };
}

async function sendFlight(session: Session, flight: readonly { readonly text: string }[]): Promise<QueryReply[]> {
  if (!session.pipelined) {
    const replies: QueryReply[] = [];
    for (const statement of flight) replies.push(await session.query(statement));
    return replies;
  }
  // All are answered before the first failure is reported: the connection is quiet again when we return.
  const settled = await Promise.allSettled(flight.map((statement) => session.query(statement)));
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

function expectCommit(reply: QueryReply | undefined): void {
  if (reply?.command === "ROLLBACK") throw new ConnectionLost("the transaction was rolled back instead of committed");
}

function resultOf(reply: QueryReply): StatementResult {
  // node-postgres answers a text of several statements, as migrations are, with an array of replies.
  if (Array.isArray(reply)) return null;
  const row = reply.rows[0];
  if (typeof row !== "object" || row === null || !("result" in row)) return null;
  return typeof row.result === "string" ? row.result : null;
}

/** Resolves or rejects with `work`, or rejects as soon as the signal fires. What `work` does after that is the caller's to clean up. */
export async function abortable<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new ConnectionLost("given up: the time for this operation is over"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
