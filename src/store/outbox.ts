import { sql } from "kysely";
import type { Statement } from "../database/port.ts";
import { columns } from "./columns.ts";
import { document, type QueryBuilder, textOf } from "./query-builder.ts";

/**
 * The two outboxes, refunds and events. A worker leases rows with SKIP LOCKED under a token of its own, works outside any
 * transaction, and settles with the token: whoever lost the lease meanwhile changes nothing.
 */
export interface Outbox {
  leaseRefunds(lease: Lease & { readonly provider: string; readonly account: string | null }): Statement;
  leaseEvents(lease: Lease): Statement;
  delivered(event: EventLease): Statement;
  failed(event: EventLease & { readonly error: string; readonly parkAfter: number }): Statement;
  replay(eventId: number): Statement;
}

export interface Lease {
  readonly token: string;
  readonly limit: number;
  readonly leaseMs: number;
}

export interface EventLease {
  readonly id: number;
  readonly token: string;
}

export function outbox(q: QueryBuilder): Outbox {
  const { named } = q;
  const now = sql`(select ${named("clock")}())`;
  const param = (name: string) => sql`(${document} ->> ${sql.lit(name)})`;
  const leaseEnd = sql`${now} + ${param("leaseMs")}::float8 * interval '1 millisecond'`;
  const refundColumns = sql.join(columns.refunds.map((column) => sql.ref(`r.${column}`)));
  const paymentColumns = sql.join(columns.payments.map((column) => sql.ref(`p.${column}`)));

  // A lease that ran out means that a worker died in the middle of a call: the refund may have happened.
  const leaseRefunds = sql`with due as (
      select r.id, r.state from ${named("refunds")} r join ${named("payments")} p on p.id = r.payment_id
      where p.provider = ${param("provider")} and (${param("account")} is null or p.account = ${param("account")})
        and ((r.state in ('pending', 'unconfirmed') and r.due_at <= ${now}) or (r.state = 'sending' and r.lease_until <= ${now}))
      order by r.due_at, r.id limit ${param("limit")}::int for no key update of r skip locked
    ), leased as (
      update ${named("refunds")} r set state = 'sending', attempts = r.attempts + 1,
        lease_token = ${param("token")}::uuid, lease_until = ${leaseEnd}
      from due where r.id = due.id returning r.*, due.state as was
    )
    select coalesce(json_agg(json_build_object(
      'refund', (select row_to_json(x) from (select ${refundColumns}) x),
      'payment', (select row_to_json(x) from (select ${paymentColumns}) x),
      'was', r.was) order by r.due_at, r.id), '[]')::text as result
    from leased r join ${named("payments")} p on p.id = r.payment_id`;

  // In order per booking: an event waits for the earlier ones of its booking to be delivered; a parked one holds its booking back.
  const leaseEvents = sql`with due as (
      select e.id from ${named("events")} e
      where e.delivered_at is null and e.parked_at is null
        and (e.due_at is null or e.due_at <= ${now}) and (e.lease_until is null or e.lease_until <= ${now})
        and not exists (select from ${named("events")} earlier
          where earlier.booking_id = e.booking_id and earlier.id < e.id and earlier.delivered_at is null)
      order by e.id limit ${param("limit")}::int for no key update of e skip locked
    ), leased as (
      update ${named("events")} e set attempts = e.attempts + 1, lease_token = ${param("token")}::uuid, lease_until = ${leaseEnd}
      from due where e.id = due.id and e.delivered_at is null returning e.*
    )
    select coalesce(json_agg(json_build_object('now', ${now}, 'event', row_to_json(e), 'booking', (
      select row_to_json(b) from ${named("bookings")} b where b.id = e.booking_id)) order by e.id), '[]')::text as result
    from leased e`;

  const delivered = sql`with done as (
      update ${named("events")} set delivered_at = ${now}, lease_token = null, lease_until = null, last_error = null
      where id = ${param("id")}::bigint and lease_token = ${param("token")}::uuid and delivered_at is null returning id
    ) select count(*)::text as result from done`;

  // 1 s, 2 s, 4 s … at most an hour.
  const failed = sql`with done as (
      update ${named("events")} set lease_token = null, lease_until = null, last_error = ${param("error")},
        due_at = ${now} + least(3600, power(2, least(attempts, 20) - 1)) * interval '1 second',
        parked_at = case when attempts >= ${param("parkAfter")}::int then ${now} end
      where id = ${param("id")}::bigint and lease_token = ${param("token")}::uuid and delivered_at is null
      returning parked_at
    ) select count(parked_at)::text as result from done`;

  const replay = sql`with done as (
      update ${named("events")} set parked_at = null, delivered_at = null, due_at = null, attempts = 0, lease_token = null, lease_until = null
      where id = ${param("id")}::bigint returning id
    ) select count(*)::text as result from done`;

  const compiled = {
    leaseRefunds: textOf(q, leaseRefunds),
    leaseEvents: textOf(q, leaseEvents),
    delivered: textOf(q, delivered),
    failed: textOf(q, failed),
    replay: textOf(q, replay),
  };
  const statement = (text: string, values: unknown): Statement => ({ text, values: [JSON.stringify(values)] });
  return {
    leaseRefunds: (lease) => statement(compiled.leaseRefunds, lease),
    leaseEvents: (lease) => statement(compiled.leaseEvents, lease),
    delivered: (event) => statement(compiled.delivered, event),
    failed: (event) => statement(compiled.failed, event),
    replay: (id) => statement(compiled.replay, { id }),
  };
}
