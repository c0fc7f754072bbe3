import { ConnectionLost, TransactionFailed } from "./failure.ts";
import type { Statement, StatementResult, Transaction, TransactionOptions } from "./port.ts";

/** What an SQL driver's connection must offer for {@link runTransaction}: one query at a time, or several in one flight. */
export interface Session {
  query(statement: Sendable): Promise<QueryReply>;
  /** Whether queries that are sent without waiting travel in one flight. */
  readonly pipelined: boolean;
  /** Sends single statements together and answers each, where the driver can do better than one query after another. */
  readonly together?: ((statements: readonly Sendable[]) => Promise<QueryReply[]>) | undefined;
}

/** A statement; one with an empty list of values may be a script of several. BEGIN and its like have no list: see {@link isSingle}. */
export type Sendable = Statement | { readonly text: string };

/** The part of a driver's answer that we look at. */
export interface QueryReply {
  readonly rows: readonly unknown[];
  /** The command tag, such as `COMMIT` or `ROLLBACK`, where the driver tells it. */
  readonly command?: string;
}

const begin = "begin isolation level read committed read write";
const isolation = "set transaction isolation level read committed, read write";

/** What is local to every transaction of ours. */
function settings(options: TransactionOptions): readonly (readonly [name: string, value: string])[] {
  return [
    ["lock_timeout", `${Math.ceil(options.lockTimeoutMs)}`],
    ["statement_timeout", `${Math.ceil(options.statementTimeoutMs)}`],
    ["idle_in_transaction_session_timeout", `${Math.ceil(options.idleTimeoutMs)}`],
    // For prepared statements: the parameter is one document, which a plan of its own would see no better. Planning the read takes
    // longer than running it (2 ms and 0.5 ms, measured).
    ["plan_cache_mode", "force_generic_plan"],
  ];
}

/** All of them by one statement, which can be prepared, where each SET would be parsed anew. */
function setAll(options: TransactionOptions): Statement {
  const all = settings(options);
  const calls = all.map(([name], index) => `set_config('${name}', $${index + 1}::text, true)`);
  return { text: `select ${calls.join(", ")}`, values: all.map(([, value]) => value) };
}

/** As one simple query, for drivers that wait for every answer: no parameters, the same text for every transaction of an instance. */
function beginScript(options: TransactionOptions): Statement {
  const sets = settings(options).map(([name, value]) => `set local ${name} = ${value}`);
  return { text: [begin, ...sets].join("; "), values: [] };
}

/**
 * Runs a transaction on one connection: BEGIN travels with the first flight and COMMIT with the last. Rejects when anything failed,
 * including a COMMIT that the server answered with ROLLBACK, which it does (without an error) when the transaction had failed.
 *
 * When the signal fires, nothing more is sent but the roll-back; what is already on its way is still waited for.
 */
export async function runTransaction<Result>(
  session: Session,
  options: TransactionOptions,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  let begun = false;
  let ended = false;
  // Remembered, so that a COMMIT after a failure nobody looked at is refused even where the driver does not tell command tags.
  const failures: unknown[] = [];
  const flight = async (statements: readonly Sendable[], opening?: TransactionOptions): Promise<QueryReply[]> => {
    try {
      return await sendFlight(session, statements, { opening, signal: options.signal });
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  const transaction: Transaction = {
    async send(statements, { last = false } = {}) {
      const opening = begun ? undefined : options;
      begun = true;
      const replies = await flight(last ? [...statements, { text: "commit" }] : statements, opening);
      if (last) {
        ended = true;
        expectCommit(replies.at(-1));
      }
      return replies.slice(0, statements.length).map(resultOf);
    },
  };
  try {
    const result = await work(transaction);
    if (failures.length > 0) throw rolledBack(failures[0]);
    if (begun && !ended) expectCommit((await flight([{ text: "commit" }])).at(-1));
    return result;
  } catch (error) {
    // The first error is the one that tells; a roll-back that fails too means a connection the adapter will throw away.
    if (begun && !ended) await session.query({ text: "rollback" }).catch(() => undefined);
    throw error;
  }
}

const joined = new WeakMap<object, Transaction>();

/**
 * Statements inside a transaction that somebody else begins and ends. The same handle gives the same transaction, by which the engine
 * knows that two calls share it.
 */
export function joinTransaction(caller: object, sessionOf: () => Session): Transaction {
  const known = joined.get(caller);
  if (known !== undefined) return known;
  const session = sessionOf();
  const transaction: Transaction = {
    async send(statements) {
      return (await sendFlight(session, statements)).map(resultOf);
    },
  };
  joined.set(caller, transaction);
  return transaction;
}

/**
 * Runs a transaction that the driver begins, commits and rolls back around a callback of ours, as most query builders do it. Where
 * it began is not ours to say, so its isolation and time-outs are set by the first statements.
 */
export async function runInside<Result>(
  session: Session,
  options: TransactionOptions,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  // One statement a text: not every driver takes several.
  let unsent: readonly Sendable[] = [{ text: isolation }, setAll(options)];
  const failures: unknown[] = [];
  const result = await work({
    async send(statements) {
      const first = unsent;
      unsent = [];
      try {
        const replies = await sendFlight(session, [...first, ...statements], { signal: options.signal });
        return replies.slice(first.length).map(resultOf);
      } catch (error) {
        failures.push(error);
        throw error;
      }
    },
  });
  // The driver would send COMMIT, and the server answer it with ROLLBACK, without an error.
  if (failures.length > 0) throw rolledBack(failures[0]);
  expectTime(options.signal);
  return result;
}

interface FlightOptions {
  /** The transaction begins with this flight. */
  readonly opening?: TransactionOptions | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends the statements and answers with their replies. */
async function sendFlight(
  session: Session,
  statements: readonly Sendable[],
  { opening, signal }: FlightOptions = {},
): Promise<QueryReply[]> {
  expectTime(signal);
  if (session.together !== undefined && statements.every(isSingle)) {
    const replies = await session.together([
      ...(opening === undefined ? [] : [{ text: begin }, setAll(opening)]),
      ...statements,
    ]);
    return replies.slice(replies.length - statements.length);
  }
  const flight = opening === undefined ? statements : [beginScript(opening), ...statements];
  const replies = session.pipelined ? await sendAtOnce(session, flight) : await sendInTurn(session, flight, signal);
  return replies.slice(flight.length - statements.length);
}

/** What has values is one statement, and so is BEGIN, COMMIT or ROLLBACK; a statement without any values may be a text of several. */
export function isSingle(statement: Sendable): boolean {
  return !("values" in statement) || statement.values.length > 0;
}

async function sendInTurn(
  session: Session,
  flight: readonly Sendable[],
  signal: AbortSignal | undefined,
): Promise<QueryReply[]> {
  const replies: QueryReply[] = [];
  for (const statement of flight) {
    expectTime(signal);
    replies.push(await session.query(statement));
  }
  return replies;
}

/** All are answered before the first failure is reported: the connection is quiet again when we return. */
async function sendAtOnce(session: Session, flight: readonly Sendable[]): Promise<QueryReply[]> {
  const settled = await Promise.allSettled(flight.map((statement) => session.query(statement)));
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

function expectCommit(reply: QueryReply | undefined): void {
  if (reply?.command === "ROLLBACK") throw rolledBack(undefined);
}

function rolledBack(cause: unknown): TransactionFailed {
  return new TransactionFailed("the transaction was rolled back instead of committed", { cause });
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
  const onAbort = (): void => reject(gaveUp());
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Throws when the time is over: nobody waits for what would be done now. */
export function expectTime(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw gaveUp();
}

function gaveUp(): ConnectionLost {
  return new ConnectionLost("given up: the time for this operation is over");
}
