/** The part of node-postgres that we use. */
export interface Sql {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** What this program remembers: which version of a booking the calendar has. Its own table, in its own schema. */
export interface PushState {
  /** The version that was pushed last, or null. */
  pushed(bookingId: string): Promise<number | null>;
  remember(bookingId: string, version: number): Promise<void>;
  forget(bookingId: string): Promise<void>;
  all(): Promise<ReadonlyMap<string, number>>;
}

export async function pushState(sql: Sql): Promise<PushState> {
  await sql.query("create schema if not exists calendar_push");
  await sql.query(
    "create table if not exists calendar_push.pushed (booking_id uuid primary key, version integer not null, at timestamptz not null default now())",
  );
  return {
    async pushed(bookingId) {
      const { rows } = await sql.query("select version from calendar_push.pushed where booking_id = $1", [bookingId]);
      const version = rows[0]?.["version"];
      return typeof version === "number" ? version : null;
    },
    async remember(bookingId, version) {
      // Two deliveries at once: the newer version stays.
      await sql.query(
        `insert into calendar_push.pushed (booking_id, version) values ($1, $2)
         on conflict (booking_id) do update set version = greatest(calendar_push.pushed.version, excluded.version), at = now()`,
        [bookingId, version],
      );
    },
    async forget(bookingId) {
      await sql.query("delete from calendar_push.pushed where booking_id = $1", [bookingId]);
    },
    async all() {
      const { rows } = await sql.query("select booking_id, version from calendar_push.pushed");
      return new Map(rows.map((row) => [String(row["booking_id"]), Number(row["version"])]));
    },
  };
}
