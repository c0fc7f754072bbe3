import { sql } from "kysely";
import type { Statement } from "../database/port.ts";
import { type QueryBuilder, textOf } from "./query-builder.ts";

/** What the audit statement returns. */
export interface AuditRows {
  readonly payments: readonly {
    readonly place: PaymentPlace;
    readonly currency: string;
    readonly count: number;
    readonly amount: number;
  }[];
  readonly problems: readonly AuditProblem[];
}

/**
 * Where a payment is: it `bought` a live booking; it was `returned`; it stands in the queue of refunds (`returning`) or of people
 * (`review`); it was `kept`, by the cancellation policy or a person's decision; or it is `unaccounted`, which is a fault.
 */
export type PaymentPlace = "bought" | "returned" | "returning" | "review" | "kept" | "unaccounted";

/** Something that must not be. */
export interface AuditProblem {
  readonly problem:
    | "payment_unaccounted"
    | "confirmed_without_payment"
    | "confirmed_without_claim"
    | "claim_without_booking"
    | "claims_overlap"
    | "refund_stuck";
  /** The row it is about. */
  readonly id: string;
}

/** One statement, one snapshot: a payment that is being settled while we look is seen before or after, never in between. */
export function auditStatement(q: QueryBuilder): Statement {
  const { named } = q;
  const text = sql`with clock as materialized (select ${named("clock")}() as now),
  places as (
    select p.id, p.currency, p.amount, case
      when r.completed = p.amount then 'returned'
      when r.total > 0 and r.total > r.completed then 'returning'
      when p.disposition = 'booked' and b.state = 'confirmed' then 'bought'
      when p.disposition = 'booked' and b.state = 'cancelled' then 'kept'
      when p.disposition in ('mismatch', 'unmatched') and p.review = 'open' then 'review'
      when p.disposition in ('mismatch', 'unmatched') and p.review = 'closed' then 'kept'
      else 'unaccounted' end as place
    from ${named("payments")} p
    left join ${named("bookings")} b on b.id = p.booking_id
    left join lateral (
      select coalesce(sum(f.amount), 0) as total, coalesce(sum(f.amount) filter (where f.state = 'completed'), 0) as completed
      from ${named("refunds")} f where f.payment_id = p.id) r on true
  ),
  problems as (
    select 'payment_unaccounted' as problem, id::text as id from places where place = 'unaccounted'
    union all
    select 'confirmed_without_payment', b.id::text from ${named("bookings")} b
      where b.state = 'confirmed' and b.price_amount is not null
        and not exists (select from ${named("payments")} p where p.booking_id = b.id and p.disposition = 'booked')
        -- An administrator may have confirmed it, to be paid at the place: the history then says that nothing was paid, and who said so.
        and not exists (select from ${named("events")} e
          where e.booking_id = b.id and e.type = 'booking_confirmed' and e.data -> 'paymentId' = 'null')
    union all
    select 'confirmed_without_claim', b.id::text from ${named("bookings")} b
      where b.state = 'confirmed' and exists (select from unnest(b.resource_ids) r where not exists (
        select from ${named("claims")} c where c.booking_id = b.id and c.resource_id = r and c.live_until is null
          and c.starts_at = b.starts_at - b.buffer_before_ms * interval '1 millisecond'
          and c.ends_at = b.ends_at + b.buffer_after_ms * interval '1 millisecond'))
    union all
    select 'claim_without_booking', c.booking_id || '#' || c.number from ${named("claims")} c
      join ${named("bookings")} b on b.id = c.booking_id
      where c.live_until is null and b.state <> 'confirmed'
    union all
    select 'claims_overlap', c.booking_id || '#' || c.number from clock, ${named("claims")} c
      join ${named("claims")} d on d.resource_id = c.resource_id and d.exclusive and d.during && c.during
        and d.live && c.live and d.booking_id > c.booking_id and d.holder <> c.holder
      where c.exclusive and c.live @> clock.now
    union all
    select 'refund_stuck', f.id::text from clock, ${named("refunds")} f
      where f.state in ('pending', 'unconfirmed') and f.due_at < clock.now - interval '1 hour'
        or f.state = 'sending' and f.lease_until < clock.now - interval '1 hour'
  )
  select json_build_object(
    'payments', (select coalesce(json_agg(x), '[]') from (
      select place, currency, count(*)::int as count, sum(amount)::bigint as amount from places group by place, currency order by place, currency) x),
    'problems', (select coalesce(json_agg(x), '[]') from (select * from problems limit 1000) x))::text as result`;
  return { text: textOf(q, text), values: [] };
}
