-- bookonce 0004: indexes that hold only what is looked up in them, and a guard of counted places that judges every write.

-- Every change of a booking is a new entry in each of its indexes: those of few bookings hold those only.
alter table {{schema}}.bookings drop constraint bookings_customer_request_id_key;
create unique index bookings_one_request on {{schema}}.bookings (customer, request_id) where request_id is not null;
drop index {{schema}}.bookings_one_offer;
create unique index bookings_one_offer on {{schema}}.bookings (waitlist_entry_id)
  where state = 'held' and waitlist_entry_id is not null;

-- The second lock on the door for counted resources and sessions, for every write: an INSERT, and an UPDATE that takes more than the
-- row took before (longer, another time, more places, another resource or holder). A capacity that was lowered below what is sold
-- refuses nothing that was there before: what an UPDATE finds beside the row as it was is no reason.
create or replace function {{schema}}.guard_capacity() returns trigger language plpgsql as $$
declare
  claim {{schema}}.claims%rowtype;
  judged tstzrange;
  grown boolean;
  places integer;
  refused boolean;
begin
  if tg_op = 'UPDATE' and new.live <@ old.live and new.during <@ old.during and new.quantity <= old.quantity
    and new.resource_id = old.resource_id and new.holder = old.holder and new.exclusive = old.exclusive
    and new.session_capacity is not distinct from old.session_capacity then
    return null;
  end if;
  -- The lock makes writers that took none wait for each other here; the statements after it see what they left.
  select capacity into places from {{schema}}.resources where id = new.resource_id for no key update;
  -- The row as it is now: what was taken and closed in one transaction takes nothing.
  select * into claim from {{schema}}.claims where booking_id = new.booking_id and number = new.number;
  -- An UPDATE is judged from now on: what was beside the row once and is gone takes no place.
  judged := claim.live;
  grown := true;
  if tg_op = 'UPDATE' then
    judged := claim.live * tstzrange({{schema}}.clock(), null);
    grown := new.quantity > old.quantity or new.resource_id <> old.resource_id or new.holder <> old.holder
      or new.exclusive <> old.exclusive or new.session_capacity is distinct from old.session_capacity;
  end if;
  if judged is null or isempty(judged) then
    return null;
  end if;

  if not claim.exclusive then
    -- Places taken, and places that are new beside the row, at every moment of its time at which one of them changes.
    select bool_or(taken > places and fresh > 0) into refused from (
      select sum(sum(step.quantity)) over w as taken, sum(sum(step.fresh)) over w as fresh
      from (
        select c.*, (grown or not (c.live && old.live and c.during && old.during))::int as fresh
        from {{schema}}.claims c
        where c.resource_id = claim.resource_id and not c.exclusive and c.during && claim.during and c.live && judged
      ) beside cross join lateral (values
        (greatest(beside.starts_at, claim.starts_at), beside.quantity, beside.fresh),
        (beside.ends_at, -beside.quantity, -beside.fresh)) as step(at, quantity, fresh)
      where step.at < claim.ends_at
      group by step.at window w as (order by step.at)) moments;
    if refused then
      raise exception 'no place left on %', claim.resource_id using errcode = 'exclusion_violation';
    end if;
  end if;

  if claim.session_capacity is not null then
    -- Resources may be needed in different quantities (a room, two mats each): the smallest is the number of people.
    select sum(people) > claim.session_capacity and bool_or(fresh) into refused from (
      select min(per_resource.quantity) as people, bool_or(per_resource.fresh) as fresh from (
        select c.booking_id, sum(c.quantity) as quantity, grown or not bool_and(c.live && old.live) as fresh
        from {{schema}}.claims c
        where c.holder = claim.holder and c.session_capacity is not null and c.live && judged
        group by c.booking_id, c.resource_id) per_resource
      group by per_resource.booking_id) bookings;
    if refused then
      raise exception 'no place left in %', claim.holder using errcode = 'exclusion_violation';
    end if;
  end if;
  return null;
end $$;
