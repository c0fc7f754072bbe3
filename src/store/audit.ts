import { sql } from "kysely";
import type { Statement } from "../database/port.ts";
import { listed, type QueryBuilder, textOf } from "./query-builder.ts";

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

/**
 * Something that must not be.
 *
 * - `payment_unaccounted`: a payment in no place.
 * - `confirmed_without_payment`: a booking with a price that nobody paid, and that no administrator confirmed.
 * - `confirmed_but_refunded`: a confirmed booking whose payment went back in full, or is on its way, other than by policy `externalRefund`.
 * - `confirmed_without_claim`, `held_without_claim`: a live booking whose place, or a part of it, somebody else could take.
 * - `claim_without_booking`: a place that is kept for no live booking; the id is the booking's and the claim's number.
 * - `claims_overlap`: two bookings of one exclusive resource at one time.
 * - `refunds_miscounted`: the refunds of a payment are more than was paid, or not what its row counts.
 * - `refund_stuck`: due for an hour and not taken, or called thirty times without an answer.
 * - `refund_without_worker`: it waits for a worker, but its provider has no refund call; a person must `resolve` it.
 */
export interface AuditProblem {
  readonly problem:
    | "payment_unaccounted"
    | "confirmed_without_payment"
    | "confirmed_but_refunded"
    | "confirmed_without_claim"
    | "held_without_claim"
    | "claim_without_booking"
    | "claims_overlap"
    | "refunds_miscounted"
    | "refund_stuck"
    | "refund_without_worker";
  /** The row it is about. */
  readonly id: string;
}

/**
 * One statement, one snapshot: a payment that is being settled while we look is seen before or after, never in between. `byPerson` names
 * the providers that have no refund call.
 */
export function auditStatement(q: QueryBuilder, byPerson: readonly string[]): Statement {
  const { named } = q;
  // Sets are joined as wholes: with a look-up per row a year of bookings took longer than a statement may.
  const text = sql`with clock as materialized (select ${named("clock")}() as now),
  returned as (
    select payment_id, sum(amount) as total, coalesce(sum(amount) filter (where state = 'completed'), 0) as completed,
      coalesce(sum(amount) filter (where state = 'completed' and reason = 'external'), 0) as elsewhere, min(currency) as one, max(currency) as other
    from ${named("refunds")} group by payment_id
  ),
  money as materialized (
    select p.id, p.booking_id, p.disposition, p.review, p.amount, p.currency, p.refunded_amount,
      coalesce(r.total, 0) as total, coalesce(r.completed, 0) as completed, coalesce(r.elsewhere, 0) as elsewhere,
      coalesce(r.one <> p.currency or r.other <> p.currency, false) as foreign_refunds,
      b.state as booking_state, b.policy ->> 'externalRefund' as external_policy
    from ${named("payments")} p left join returned r on r.payment_id = p.id left join ${named("bookings")} b on b.id = p.booking_id
  ),
  places as (
    select id, currency, amount, case
      when completed = amount then 'returned'
      when total > completed then 'returning'
      when disposition = 'booked' and booking_state = 'confirmed' then 'bought'
      when disposition = 'booked' and booking_state = 'cancelled' then 'kept'
      when disposition in ('mismatch', 'unmatched') and review = 'open' then 'review'
      when disposition in ('mismatch', 'unmatched') and review = 'closed' then 'kept'
      else 'unaccounted' end as place
    from money
  ),
  unpaid as materialized (
    select b.id from ${named("bookings")} b where b.state = 'confirmed' and b.price_amount is not null
      and not exists (select from money m where m.booking_id = b.id and m.disposition = 'booked')
  ),
  -- What each live booking has, or must have: confirmed without end, held until its hold is over.
  wanted as materialized (
    select b.id, b.state, b.hold_expires_at, w.resource, w.quantity,
      b.starts_at - b.buffer_before_ms * interval '1 millisecond' as starts_at,
      b.ends_at + b.buffer_after_ms * interval '1 millisecond' as ends_at
    from clock, ${named("bookings")} b, unnest(b.resource_ids, b.quantities) as w(resource, quantity)
    where b.state = 'confirmed' or (b.state = 'held' and b.hold_expires_at > clock.now)
  ),
  -- What counts now, or will: after a fail-over the clock may stand a little before what was decided last.
  live as materialized (
    select c.booking_id, c.number, c.resource_id, c.holder, c.exclusive, c.quantity, c.starts_at, c.ends_at, c.live_until, c.live
    from clock, ${named("claims")} c where (c.live_until is null or c.live_until > clock.now) and not isempty(c.live)
  ),
  -- Exclusive resources on which somebody begins before another is through. None, mostly: then nothing is compared in pairs.
  crowded as materialized (
    select distinct resource_id from (
      select resource_id, starts_at, max(ends_at) over (partition by resource_id order by starts_at, ends_at, holder
        rows between unbounded preceding and 1 preceding) as busy_until
      from (select distinct resource_id, holder, starts_at, ends_at from live where exclusive) taken) ordered
    where busy_until > starts_at
  ),
  problems as (
    select 'payment_unaccounted' as problem, id::text as id from places where place = 'unaccounted'
    union all
    select 'confirmed_without_payment', u.id::text from unpaid u
      -- An administrator may have confirmed it, to be paid at the place: the history then says that nothing was paid, and who said so.
      where not exists (select from ${named("events")} e
        where e.booking_id = u.id and e.type = 'booking_confirmed' and e.data -> 'paymentId' = 'null')
    union all
    -- Money that went back behind our back leaves the booking to its policy.
    select 'confirmed_but_refunded', booking_id::text from money
      where disposition = 'booked' and booking_state = 'confirmed' and total >= amount
        and (elsewhere = 0 or external_policy = 'cancelBooking')
    union all
    select distinct case w.state when 'confirmed' then 'confirmed_without_claim' else 'held_without_claim' end, w.id::text from wanted w
      where not exists (select from live c where c.booking_id = w.id and c.resource_id = w.resource and c.quantity = w.quantity
        and c.starts_at = w.starts_at and c.ends_at = w.ends_at
        and coalesce(c.live_until, 'infinity') >= case w.state when 'confirmed' then 'infinity' else w.hold_expires_at end)
    union all
    -- Without end: for a confirmed booking, and only where it is now. With an end: no longer than the booking itself had.
    select 'claim_without_booking', c.booking_id || '#' || c.number from live c
      where c.live_until is null and not exists (select from wanted w where w.id = c.booking_id and w.state = 'confirmed'
        and w.resource = c.resource_id and w.starts_at = c.starts_at and w.ends_at = c.ends_at)
    union all
    select 'claim_without_booking', c.booking_id || '#' || c.number from live c left join ${named("bookings")} b on b.id = c.booking_id
      where c.live_until is not null and c.live_until > coalesce(case b.state when 'confirmed' then 'infinity'
        when 'held' then b.hold_expires_at when 'cancelled' then b.cancelled_at end, '-infinity')
    union all
    select distinct 'claims_overlap', c.booking_id || '#' || c.number from crowded
      join live c on c.resource_id = crowded.resource_id and c.exclusive
      join live d on d.resource_id = c.resource_id and d.exclusive and d.holder <> c.holder and d.booking_id > c.booking_id
        and d.starts_at < c.ends_at and c.starts_at < d.ends_at and d.live && c.live
    union all
    select 'refunds_miscounted', id::text from money where total <> refunded_amount or total > amount or foreign_refunds
    union all
    select 'refund_stuck', f.id::text from clock, ${named("refunds")} f
      where f.state in ('pending', 'unconfirmed') and f.due_at < clock.now - interval '1 hour'
        or f.state = 'sending' and f.lease_until < clock.now - interval '1 hour'
        -- About a day of calls: the wait between them grows to an hour.
        or f.state = 'unconfirmed' and f.attempts >= 30
    union all
    select 'refund_without_worker', f.id::text from ${named("refunds")} f join ${named("payments")} p on p.id = f.payment_id
      where f.state in ('pending', 'sending', 'unconfirmed') and p.provider = ${listed("byPerson", "text")}
  )
  select json_build_object(
    'payments', (select coalesce(json_agg(x), '[]') from (
      select place, currency, count(*)::int as count, sum(amount)::bigint as amount from places group by place, currency order by place, currency) x),
    'problems', (select coalesce(json_agg(x), '[]') from (select * from problems limit 1000) x))::text as result`;
  return { text: textOf(q, text), values: [JSON.stringify({ byPerson })] };
}
