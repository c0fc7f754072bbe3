/**
 * One SQL statement. Every value crosses as text (JSON where there is more than one), and every statement that returns something
 * returns one row with one text column, `result`: an adapter moves strings, and no driver's idea of dates, bigints or arrays matters.
 */
export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

/** The `result` column of the statement's first row; null when it returned none. */
export type StatementResult = string | null;

/** An open transaction. */
export interface Transaction {
  /**
   * Sends statements in order, in one flight where the driver can, and resolves with their results. Rejects with the error of the
   * first that failed, after all of them were answered.
   *
   * With `last`, the transaction ends with these statements: where the driver can, the COMMIT travels in the same flight.
   */
  send(statements: readonly Statement[], options?: { readonly last?: boolean }): Promise<readonly StatementResult[]>;
}

/** Time-outs of one transaction, in milliseconds, local to it. */
export interface TransactionOptions {
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** A client that stalls between two flights must not keep a slot locked. */
  readonly idleTimeoutMs: number;
  /** Gives up waiting for a connection or for an answer; the connection in doubt is not used again. */
  readonly signal?: AbortSignal;
}

/**
 * A pluggable PostgreSQL. Adapters: `bookonce/pg`, `bookonce/kysely`, `bookonce/pglite`. An adapter of your own implements this
 * interface and passes the conformance suite of `bookonce/testing`.
 *
 * `Caller` is what `bookonce.within()` takes: the driver's own handle of an open transaction.
 */
export interface Database<Caller = never> {
  /** Runs `work` in a READ COMMITTED transaction of its own: committed when it resolves, rolled back when it rejects. */
  transaction<Result>(
    options: TransactionOptions,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result>;
  /** Sends statements inside a transaction that the caller opened and will end. */
  join(caller: Caller): Transaction;
}
