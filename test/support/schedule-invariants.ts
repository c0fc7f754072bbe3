import { expect } from "vitest";
import type { TestDatabase } from "./database.ts";
import type { Shop } from "./fixtures.ts";

/** The tables keep every rule and the money adds up. */
export async function expectSound(db: TestDatabase): Promise<void> {
  const { rows } = await db.pool.query<{ broken: string }>(soundness.replaceAll("@s", db.schema));
  expect(rows).toEqual([]);
  const { problems, unaccounted } = await db.bookonce.audit();
  expect({ problems, unaccounted }).toEqual({ problems: [], unaccounted: 0 });
}

/** The audit finds nothing, but that nobody has run the worker of the refunds for an hour. */
export async function expectAudited(shop: Shop): Promise<void> {
  const { problems, unaccounted } = await shop.audit();
  const others = problems.filter(({ problem }) => problem !== "refund_stuck");
  expect({ problems: others, unaccounted }).toEqual({ problems: [], unaccounted: 0 });
}

/**
 * What must hold in the tables after anything at all: asked for in SQL of its own, so that neither the core nor the constraints are
 * taken at their word. Each entry is a broken rule and the row that breaks it; nothing is good.
 * `@s` stands for the schema. Other rules may follow with `union all`.
 */
export const soundness = `
with clock as materialized (select @s.clock() as now),
live as materialized (
  select c.*, r.kind, r.capacity from @s.claims c join @s.resources r on r.id = c.resource_id, clock
  where c.live_from <= clock.now and (c.live_until is null or clock.now < c.live_until)),
standing as materialized (
  select b.* from @s.bookings b, clock
  where b.state = 'confirmed' or b.state = 'held' and clock.now < b.hold_expires_at),
events as materialized (
  select booking_id, count(distinct version) as versions, max(version) as newest, array_agg(type) as types
  from @s.events where booking_id is not null group by booking_id)

-- B2, B3: at no moment of the past or the present did two parties have one exclusive resource.
select 'overlap: ' || a.resource_id || ' at ' || a.starts_at as broken from @s.claims a join @s.claims b
  on a.resource_id = b.resource_id and (a.booking_id, a.number) < (b.booking_id, b.number)
  and a.starts_at < b.ends_at and b.starts_at < a.ends_at
  and a.live_from < coalesce(b.live_until, 'infinity') and b.live_from < coalesce(a.live_until, 'infinity')
  and a.live_from <> coalesce(a.live_until, 'infinity') and b.live_from <> coalesce(b.live_until, 'infinity')
  join @s.resources r on r.id = a.resource_id
  where r.kind = 'exclusive' and a.booking_id <> b.booking_id and (a.session_id is null or a.session_id is distinct from b.session_id)
union all
select 'kind: ' || booking_id from live where exclusive = (kind = 'counted') or kind = 'pool'
union all
-- B3: the peak fits the capacity, wherever it may lie.
select 'peak: ' || m.resource_id || ' at ' || m.starts_at from live m
  where m.kind = 'counted' and (select sum(o.quantity) from live o
    where o.resource_id = m.resource_id and o.starts_at <= m.starts_at and m.starts_at < o.ends_at) > m.capacity
union all
select 'session: ' || session_id || ' on ' || resource_id from live where session_id is not null and exclusive
  group by session_id, resource_id having sum(quantity) > min(session_capacity)
union all
-- Those that stand claim all they have, buffers included, and nothing else; the others claim nothing.
select 'claims of a standing booking: ' || s.id from standing s where s.resource_ids <> (
  select coalesce(array_agg(l.resource_id order by l.number), '{}') from live l where l.booking_id = s.id
    and l.starts_at = s.starts_at - s.buffer_before_ms * interval '1 millisecond'
    and l.ends_at = s.ends_at + s.buffer_after_ms * interval '1 millisecond'
    and l.session_id is not distinct from s.session_id
    and l.live_until is not distinct from (case s.state when 'held' then s.hold_expires_at end))
union all
select 'live claim of no standing booking: ' || l.booking_id from live l where l.booking_id not in (select id from standing)
union all
select 'claims beside the booking''s own: ' || s.id from standing s
  where (select count(*) from live l where l.booking_id = s.id) <> cardinality(s.resource_ids)
union all
select 'one resource twice: ' || s.id from standing s
  where cardinality(s.resource_ids) <> (select count(distinct r) from unnest(s.resource_ids) as r)
union all
select 'stands in a pool: ' || s.id from standing s join @s.resources r on r.id = any (s.resource_ids) where r.kind = 'pool'
union all
-- B6: every state tells when it began.
select 'state: ' || b.id from @s.bookings b where
  (b.state = 'confirmed') > (b.confirmed_at is not null) or (b.state = 'cancelled') <> (b.cancelled_at is not null)
  or (b.state = 'held') > (b.hold_expires_at is not null) or (b.attendance is not null) > (b.confirmed_at is not null)
union all
-- B11: every version and every state has its event.
select 'history: ' || b.id || ' ' || b.state || ' v' || b.version || ' ' || coalesce(e.types::text, 'nothing') from @s.bookings b
  left join events e on e.booking_id = b.id
  where e.newest is distinct from b.version or e.versions <> b.version
    or not case b.state when 'confirmed' then 'booking_confirmed' = any (e.types)
      when 'cancelled' then 'booking_cancelled' = any (e.types) or 'waitlist_lapsed' = any (e.types)
      when 'expired' then e.types && array['booking_expired', 'waitlist_lapsed'] else true end
    or b.attendance = 'attended' and not 'booking_attended' = any (e.types)
    or b.attendance = 'no_show' and not 'booking_no_show' = any (e.types)
union all
-- S12: never more back than was paid, and never twice.
select 'refunds: ' || p.id from @s.payments p join @s.refunds f on f.payment_id = p.id
  group by p.id, p.amount having sum(f.amount) > p.amount
union all
select 'paid twice: ' || booking_id from @s.payments where disposition = 'booked' group by booking_id having count(*) > 1
union all
-- B12: a place is offered to one at a time, and one has one offer at a time.
select 'two offers: ' || waitlist_entry_id from standing where waitlist_entry_id is not null and state = 'held'
  group by waitlist_entry_id having count(*) > 1
union all
-- S11, S12: money that bought nothing goes back, all of it and at once.
select 'kept though it bought nothing: ' || p.id from @s.payments p where p.disposition in ('late', 'surplus')
  and p.amount <> (select coalesce(sum(f.amount), 0) from @s.refunds f where f.payment_id = p.id)
union all
select 'no event: refund ' || f.id || ' ' || f.state from @s.refunds f where exists (
  select from unnest(array['refund_requested', case f.state when 'completed' then 'refund_completed' end]) as t(type)
    where t.type is not null and not exists (
      select from @s.events e where e.type = t.type and e.data ->> 'refundId' = f.id::text))
union all
select 'no event: ' || p.disposition || ' ' || p.id from @s.payments p where not exists (
  select from @s.events e where e.data ->> 'paymentId' = p.id::text and e.type = case p.disposition
    when 'booked' then 'booking_confirmed' when 'late' then 'payment_late' when 'surplus' then 'payment_surplus' else 'payment_review' end)
union all
-- S7: an approval stands for what may still be paid.
select 'approved, but cancelled: ' || b.id from @s.bookings b join @s.checkouts c on c.booking_id = b.id
  where b.state = 'cancelled' and c.decision = 'approved' and c.voided_at is null`;
