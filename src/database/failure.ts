/** What a failed statement means for the command that sent it. SQLSTATEs are read here and nowhere else. */
export type Failure =
  /** The server could not be reached, or the connection was lost: nobody knows what it did with the last flight. */
  | "lost"
  /** The same command may succeed at once: a deadlock, a row somebody inserted first, a transaction that had failed before. */
  | "conflict"
  /** Locks or statements took longer than they may. */
  | "busy"
  | "not_migrated"
  | "unexpected";

// Whole classes first; a code of its own, below, says more than its class.
const classes: Readonly<Record<string, Failure>> = {
  "08": "lost", // connection exceptions
  "28": "lost", // not let in, such as while a password is being changed
  "53": "lost", // out of memory, disk or connections
};

const codes: Readonly<Record<string, Failure>> = {
  "57P01": "lost", // admin_shutdown
  "57P02": "lost", // crash_shutdown
  "57P03": "lost", // cannot_connect_now
  "57P05": "lost", // idle_session_timeout
  "3D000": "lost", // invalid_catalog_name: no such database, such as while it is being restored
  "25P03": "lost", // idle_in_transaction_session_timeout: we stalled
  "25006": "lost", // read_only_sql_transaction: a fail-over is going on
  "40001": "conflict", // serialization_failure
  "40P01": "conflict", // deadlock_detected
  "23505": "conflict", // unique_violation: another process inserted the same key; read again, it is known now
  "23P01": "conflict", // exclusion_violation: a writer that did not lock; read again, the slot is taken now
  "23503": "conflict", // foreign_key_violation: a row was removed in between
  "25P02": "conflict", // in_failed_sql_transaction: the caller's had failed before it came to us
  "26000": "conflict", // invalid_sql_statement_name: a pooler gave us a connection that does not know it; it is prepared anew
  "55P03": "busy", // lock_not_available
  "57014": "busy", // query_canceled: statement_timeout
  "25P04": "busy", // transaction_timeout
  "42P01": "not_migrated", // undefined_table
  "42883": "not_migrated", // undefined_function
  "42703": "not_migrated", // undefined_column
  "3F000": "not_migrated", // invalid_schema_name
};

const lostConnection =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT|ERR_STREAM|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED))/;

// Every SQLSTATE has a digit; "EPIPE" has none.
const sqlstate = /^(?=.*\d)[0-9A-Z]{5}$/;

/** The SQLSTATE, or the system's error code, of whatever a driver throws; of its cause, where a tool has wrapped it. */
export function errorCode(error: unknown): string | null {
  if (typeof error !== "object" || error === null) return null;
  if ("code" in error && typeof error.code === "string" && !isPrisma(error.code)) return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors[0]);
  if ("meta" in error) return errorCode(error.meta);
  if ("driverAdapterError" in error) return errorCode(error.driverAdapterError);
  if ("originalCode" in error && typeof error.originalCode === "string") return error.originalCode;
  return "cause" in error ? errorCode(error.cause) : null;
}

// "P2010" is Prisma's for "a raw query failed"; the SQLSTATE is further inside. PostgreSQL's own class P0 is PL/pgSQL's.
function isPrisma(code: string): boolean {
  return /^P[12]\d{3}$/.test(code);
}

export function classify(error: unknown): Failure {
  if (error instanceof ConnectionLost) return "lost";
  if (error instanceof TransactionFailed) return "conflict";
  const code = errorCode(error);
  if (code === null) return isConnectionMessage(error) ? "lost" : "unexpected";
  if (lostConnection.test(code)) return "lost";
  // PgBouncer ends a connection with this code; PostgreSQL answers with it what no right program sends.
  if (code === "08P01" && !isFatal(error)) return "unexpected";
  return codes[code] ?? (sqlstate.test(code) ? classes[code.slice(0, 2)] : undefined) ?? "unexpected";
}

function isFatal(error: unknown): boolean {
  return typeof error === "object" && error !== null && "severity" in error && error.severity === "FATAL";
}

/** Whether the server itself answered with this error, so that the connection is still in step and can be rolled back and used. */
export function isAnswered(error: unknown): boolean {
  // The code decides, not the severity: a server with another lc_messages says "ОШИБКА" instead of "ERROR".
  const code = errorCode(error);
  return code !== null && sqlstate.test(code) && !/^(08|57P|XX|25P0[34])/.test(code);
}

/** The connection went away, or was given up, so that nobody knows what the server did with the last flight. */
export class ConnectionLost extends Error {
  override readonly name: string = "ConnectionLost";
}

/** The transaction ended with a roll-back where a commit was asked for: nothing of it was stored. */
export class TransactionFailed extends Error {
  override readonly name: string = "TransactionFailed";
}

// node-postgres reports these without a code.
function isConnectionMessage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const known =
    /connection terminated|connection error|not queryable|timeout exceeded when trying to connect|query read timeout|timeout expired|server closed|connection has been discarded/i;
  return known.test(error.message) || isConnectionMessage(error.cause);
}
