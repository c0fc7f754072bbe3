/** What a failed statement means for the command that sent it. SQLSTATEs are read here and nowhere else. */
export type Failure =
  /** The same command may succeed at once or soon: a deadlock, a lost connection, a row somebody inserted first. */
  | "transient"
  /** Locks or statements took longer than they may. */
  | "busy"
  | "not_migrated"
  | "unexpected";

const transient = new Set([
  "08000", // connection_exception
  "08001", // sqlclient_unable_to_establish_sqlconnection
  "08003", // connection_does_not_exist
  "08004", // sqlserver_rejected_establishment_of_sqlconnection
  "08006", // connection_failure
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  "23505", // unique_violation: another process inserted the same key; read again, it is known now
  "23P01", // exclusion_violation: a writer that did not lock; read again, the slot is taken now
  "23503", // foreign_key_violation: a row was removed in between
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "53300", // too_many_connections
  "25P03", // idle_in_transaction_session_timeout: we stalled
  "25006", // read_only_sql_transaction: a fail-over is going on
]);

const busy = new Set([
  "55P03", // lock_not_available
  "57014", // query_canceled: statement_timeout
]);

const notMigrated = new Set([
  "42P01", // undefined_table
  "42883", // undefined_function
  "42703", // undefined_column
  "3F000", // invalid_schema_name
]);

const lostConnection = new Set(["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "ENOENT"]);

/** The SQLSTATE, or the system's error code, of whatever a driver throws. */
export function errorCode(error: unknown): string | null {
  if (typeof error !== "object" || error === null) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors[0]);
  return "cause" in error ? errorCode(error.cause) : null;
}

export function classify(error: unknown): Failure {
  if (error instanceof ConnectionLost) return "transient";
  const code = errorCode(error);
  if (code === null) return isConnectionMessage(error) ? "transient" : "unexpected";
  if (transient.has(code) || lostConnection.has(code)) return "transient";
  if (busy.has(code)) return "busy";
  return notMigrated.has(code) ? "not_migrated" : "unexpected";
}

/** The connection went away, or was given up, so that nobody knows what the server did with the last flight. */
export class ConnectionLost extends Error {
  override readonly name: string = "ConnectionLost";
}

// node-postgres reports these without a code.
function isConnectionMessage(error: unknown): boolean {
  return (
    error instanceof Error &&
    /connection terminated|connection error|not queryable|timeout exceeded when trying to connect|server closed/i.test(
      error.message,
    )
  );
}
