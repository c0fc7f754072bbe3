import { sql } from "kysely";
import type { TimeRules } from "../core/context.ts";
import type { Statement } from "../database/port.ts";
import { migrations } from "./migrations.generated.ts";
import { type QueryBuilder, textOf } from "./query-builder.ts";

/** One session that waits for another, as PostgreSQL tells it. */
export interface Wait {
  readonly waitingPid: number;
  /** How long its present statement has been running, the wait included, in milliseconds. */
  readonly waitingMs: number;
  readonly waitingFor: string;
  readonly waitingQuery: string;
  readonly blockingPid: number;
  readonly blockingState: string;
  /** How long the blocking transaction has been open, in milliseconds. */
  readonly blockingMs: number;
  readonly blockingQuery: string;
  readonly blockingApplication: string;
}

export interface HealthRows {
  readonly databaseNow: string;
  readonly clockNow: string;
  readonly missingMigrations: readonly number[];
  readonly waits: readonly Wait[];
  readonly oldestUndelivered: string | null;
  readonly parkedEvents: number;
  readonly refundsNeedingAttention: number;
  readonly oldestOpenRefund: string | null;
  readonly openReviews: number;
  readonly lapsedUnswept: number;
  /** What is stored about times, with whose it is: plain data, which only the calendar can judge. */
  readonly rules: readonly { readonly of: string; readonly rules: TimeRules }[];
  /** The zones of bookings to come. */
  readonly zones: readonly string[];
}

/** Who waits for whom in this database (B4). Without the right to see other users' sessions their queries are hidden, not the waits. */
function waits() {
  const ms = (since: string) => sql`(extract(epoch from (clock_timestamp() - ${sql.raw(since)})) * 1000)::bigint`;
  return sql`(select coalesce(json_agg(w order by w."waitingMs" desc), '[]') from (
    select w.pid as "waitingPid", ${ms("w.query_start")} as "waitingMs",
      coalesce(w.wait_event_type || '/' || w.wait_event, '') as "waitingFor", left(w.query, 500) as "waitingQuery",
      b.pid as "blockingPid", coalesce(b.state, '') as "blockingState", coalesce(${ms("b.xact_start")}, 0) as "blockingMs",
      left(coalesce(b.query, ''), 500) as "blockingQuery", coalesce(b.application_name, '') as "blockingApplication"
    from pg_stat_activity w cross join lateral unnest(pg_blocking_pids(w.pid)) as blocker(pid)
    join pg_stat_activity b on b.pid = blocker.pid
    where w.datname = current_database()) w)`;
}

export function waitsStatement(q: QueryBuilder): Statement {
  return { text: textOf(q, sql`select ${waits()}::text as result`), values: [] };
}

export function healthStatement(q: QueryBuilder): Statement {
  const { named } = q;
  const known = sql.raw(migrations.map((migration) => `(${migration.number})`).join(", "));
  const text = sql`select json_build_object(
    'databaseNow', clock_timestamp(),
    'clockNow', ${named("clock")}(),
    'missingMigrations', (select coalesce(json_agg(k.number order by k.number), '[]') from (values ${known}) as k(number)
      where not exists (select from ${named("migrations")} m where m.number = k.number)),
    'waits', ${waits()},
    'oldestUndelivered', (select min(at) from ${named("events")} where delivered_at is null and parked_at is null),
    'parkedEvents', (select count(*) from ${named("events")} where delivered_at is null and parked_at is not null),
    'refundsNeedingAttention', (select count(*) from ${named("refunds")} where state = 'needs_attention'),
    'oldestOpenRefund', (select min(requested_at) from ${named("refunds")} where state in ('pending', 'sending', 'unconfirmed')),
    'openReviews', (select count(*) from ${named("payments")} where review = 'open'),
    'lapsedUnswept', (select count(*) from ${named("bookings")} where state in ('held', 'pending')
      and coalesce(hold_expires_at, payable_until) < ${named("clock")}() - interval '1 hour'),
    'rules', (select coalesce(json_agg(json_build_object('of', t.of, 'rules', t.rules) order by t.of), '[]') from (
      select 'service ' || id as of, definition -> 'rules' as rules from ${named("services")} where active
      union all select 'resource ' || id, rules from ${named("resources")} where active) t where jsonb_typeof(t.rules) <> 'null'),
    'zones', (select coalesce(json_agg(distinct zone order by zone), '[]') from ${named("bookings")}
      where zone is not null and state in ('held', 'pending', 'confirmed') and starts_at > ${named("clock")}())
  )::text as result`;
  return { text: textOf(q, text), values: [] };
}
