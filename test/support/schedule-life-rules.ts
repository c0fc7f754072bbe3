import type { SteppedDatabase } from "./schedule-clock.ts";
import { soundness } from "./schedule-invariants.ts";

/** Rules besides those of every life. Each set of them is one prepared statement, under a name of its own. */
export interface LifeRules {
  readonly name: string;
  readonly more: string;
}

/** Every rule that the tables break after a step of a life, found by one statement. */
export async function brokenInLife(db: SteppedDatabase, { name, more }: LifeRules): Promise<string[]> {
  const text = `${soundness} ${ofLives} ${more}`.replaceAll("@s", db.schema);
  const { rows } = await db.pool.query<{ broken: string }>({ name, text });
  return rows.map(({ broken }) => broken);
}

/**
 * What holds besides, where nothing is done but the steps: holds of a quarter of an hour, refunds by the cancellation policy and by no
 * person, an administrator called Olga.
 */
const ofLives = `
union all
-- B7, S4: a hold ends when it was said to: a quarter of an hour from the request, or so long after the approval that a charge may need.
select 'end of hold: ' || b.id || ' ' || b.hold_expires_at from @s.bookings b
  where b.state in ('held', 'expired') and b.waitlist_entry_id is null and b.hold_expires_at is not null and b.hold_expires_at <> greatest(
    (select b.created_at + interval '15 minutes' from @s.events e
      where e.booking_id = b.id and e.version = 1 and e.data ->> 'state' = 'held'),
    (select max(c.decided_at + case c.provider when 'telegram_payments' then interval '15 minutes' else interval '5 minutes' end)
      from @s.checkouts c where c.booking_id = b.id and c.decision = 'approved'))
union all
select 'end of invoice: ' || id from @s.bookings where state = 'pending' and payable_until <> created_at + interval '24 hours'
union all
select 'over too early: ' || b.id from @s.bookings b where b.state = 'expired' and coalesce(b.hold_expires_at, b.payable_until) >
  (select max(e.at) from @s.events e where e.booking_id = b.id and e.type = 'booking_expired')
union all
-- B9: what goes back of a cancelled booking is what the policy in it says, by the clock of the cancellation.
select 'refund of a cancelled booking: ' || p.id || ' ' || wanted.amount from @s.bookings b
  join @s.payments p on p.booking_id = b.id and p.disposition = 'booked'
  cross join lateral (select b.policy -> 'cancellation' as terms) c
  cross join lateral (select case when b.cancelled_by = 'olga' then 100
    when b.attendance = 'attended' and not (c.terms ->> 'refundAttended')::boolean then 0
    else coalesce((select max((t ->> 'percent')::int) from jsonb_array_elements(c.terms -> 'tiers') as t
      where b.cancelled_at + (t ->> 'untilMsBeforeStart')::float8 * interval '1 millisecond' <= b.starts_at), 0) end as percent) share
  cross join lateral (select case when p.provider = 'telegram_stars' and share.percent between 1 and 99
    then case c.terms ->> 'wholeInsteadOfPart' when 'all' then p.amount else 0 end
    else p.amount * share.percent / 100 end as amount) wanted
  where b.state = 'cancelled' and wanted.amount <> (select coalesce(sum(f.amount), 0) from @s.refunds f where f.payment_id = p.id)
union all
select 'paid back though it is kept: ' || b.id from @s.bookings b
  join @s.payments p on p.booking_id = b.id and p.disposition = 'booked' join @s.refunds f on f.payment_id = p.id
  where b.state <> 'cancelled'
union all
-- B10, B11: the history tells where a booking is and whose it is.
select 'somewhere else: ' || b.id from @s.bookings b cross join lateral (
  select e.data -> 'to' ->> 'start' as start from @s.events e where e.booking_id = b.id and e.type = 'booking_rescheduled'
  order by e.id desc limit 1) last where last.start::timestamptz <> b.starts_at
union all
select 'somebody else''s: ' || b.id from @s.bookings b where b.waitlist_entry_id is null and b.customer is distinct from coalesce(
  (select e.data ->> 'to' from @s.events e where e.booking_id = b.id and e.type = 'booking_transferred' order by e.id desc limit 1),
  (select e.actor from @s.events e where e.booking_id = b.id and e.version = 1 order by e.id limit 1))
union all
select 'claimed too long: ' || b.id from @s.bookings b join @s.claims c on c.booking_id = b.id, clock
  where b.state = 'cancelled' and (c.live_until is null or c.live_until > b.cancelled_at)
union all
-- B13: nobody is reminded of what is no more.
select 'reminded of what was: ' || r.id from @s.events r join @s.events e on e.booking_id = r.booking_id and e.id < r.id
  where r.type = 'reminder_due' and e.version > r.version`;
