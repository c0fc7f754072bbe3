// Generated from migrations/*.sql by `npm run generate`. Do not edit.
import type { Migration } from "./migrate.ts";

export const migrations: readonly Migration[] = [
  { number: 1, name: "paid_slots", sql: `-- bookonce 0001: resources, bookings and claims; checkouts, payments and refunds; the history, which is also the outbox.
-- {{schema}} stands for the schema's quoted name. Run inside one transaction.

-- Trusted since PostgreSQL 13: the owner of the database may create it. It gives GiST the operators for text and uuid.
create extension if not exists btree_gist;

-- The one clock of every decision. Tests and demos replace it (bookonce/testing, shiftClock); nothing else does.
create function {{schema}}.clock() returns timestamptz
  language sql volatile parallel restricted
  as $$ select pg_catalog.clock_timestamp() $$;

create table {{schema}}.resources (
  id text primary key check (id <> ''),
  name text not null,
  active boolean not null default true,
  -- exclusive: one booking at a time. counted: \`capacity\` places, the peak inside an interval decides. pool: one of its members.
  kind text not null default 'exclusive' check (kind in ('exclusive', 'counted', 'pool')),
  capacity integer not null default 1 check (capacity >= 0),
  members text[] not null default '{}',
  fairness text not null default 'least_loaded' check (fairness in ('least_loaded', 'least_recent')),
  last_chosen_at timestamptz,
  -- Its own opening hours; only the calendar reads them.
  rules jsonb,
  created_at timestamptz not null,
  check ((kind = 'pool') = (cardinality(members) > 0)),
  check (kind = 'counted' or capacity = 1)
);

-- What is offered: its duration, buffers, price, needs and times.
create table {{schema}}.services (
  id text primary key check (id <> ''),
  name text not null,
  active boolean not null default true,
  definition jsonb not null,
  created_at timestamptz not null
);

create table {{schema}}.bookings (
  id uuid primary key,
  token text not null unique,
  customer text not null,
  payer text,
  state text not null check (state in ('pending', 'held', 'confirmed', 'expired', 'cancelled')),
  -- What is wanted, resources or pools, and how many places of each; resource_ids are those it has, in the same order.
  wanted_ids text[] not null check (cardinality(wanted_ids) > 0),
  quantities integer[] not null check (0 < all (quantities)),
  resource_ids text[] not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  buffer_before_ms integer not null default 0 check (buffer_before_ms >= 0),
  buffer_after_ms integer not null default 0 check (buffer_after_ms >= 0),
  -- The local day it starts on, in the place's zone.
  day_starts_at timestamptz not null,
  day_ends_at timestamptz not null,
  -- The time as agreed, on the wall of the place, and which zone data made an instant of it.
  zone text,
  wall_date date,
  wall_time text,
  zone_data text,
  service_id text,
  session_id text,
  session_capacity integer,
  price_amount bigint check (price_amount > 0),
  price_currency text,
  hold_expires_at timestamptz,
  payable_until timestamptz,
  policy jsonb not null,
  version integer not null check (version > 0),
  request_id text,
  request_digest text not null,
  title text,
  data jsonb not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  cancelled_at timestamptz,
  cancelled_by text,
  cancel_reason text,
  attendance text check (attendance in ('attended', 'no_show')),
  check (starts_at < ends_at),
  check (day_starts_at <= starts_at and starts_at < day_ends_at),
  check (cardinality(wanted_ids) = cardinality(quantities) and cardinality(wanted_ids) = cardinality(resource_ids)),
  check ((zone is null) = (wall_date is null) and (zone is null) = (wall_time is null) and (zone is null) = (zone_data is null)),
  check ((session_id is null) = (session_capacity is null)),
  check ((price_amount is null) = (price_currency is null)),
  check (state <> 'held' or hold_expires_at is not null),
  check (state <> 'pending' or payable_until is not null),
  check (state <> 'confirmed' or confirmed_at is not null),
  check (state <> 'cancelled' or (cancelled_at is not null and cancelled_by is not null)),
  unique (customer, request_id)
);

create index bookings_by_customer on {{schema}}.bookings (customer, starts_at);
-- Bookings to come whose instant was made by other zone data.
create index bookings_anchored on {{schema}}.bookings (starts_at) where zone is not null and state in ('pending', 'held', 'confirmed');
-- What the sweeper looks for.
create index bookings_that_lapse on {{schema}}.bookings ((coalesce(hold_expires_at, payable_until)))
  where state in ('held', 'pending');

-- A booking's right to a resource. \`during\` is what it takes; \`live\` says when the claim counted: a hold until it expires, a
-- confirmed booking without end, closed at release. A lapsed hold stops blocking at its instant, with no worker running.
create table {{schema}}.claims (
  booking_id uuid not null references {{schema}}.bookings,
  number integer not null check (number > 0),
  resource_id text not null references {{schema}}.resources,
  -- Of a group session: claims of one session never exclude each other.
  session_id text,
  exclusive boolean not null default true,
  quantity integer not null default 1 check (quantity > 0),
  session_capacity integer,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  buffer_before_ms integer not null default 0,
  buffer_after_ms integer not null default 0,
  live_from timestamptz not null,
  live_until timestamptz,
  during tstzrange not null generated always as (tstzrange(starts_at, ends_at)) stored,
  live tstzrange not null generated always as (tstzrange(live_from, live_until)) stored,
  holder text not null generated always as (coalesce(session_id, booking_id::text)) stored,
  primary key (booking_id, number),
  check (starts_at < ends_at),
  check ((session_id is null) = (session_capacity is null)),
  check (live_from <= live_until),
  -- Whoever writes: two bookings never hold one exclusive resource for overlapping times at the same moment (B5). A booking may
  -- overlap itself, so that it can be moved by less than its own length.
  constraint claims_exclusive exclude using gist
    (resource_id with =, during with &&, live with &&, holder with <>) where (exclusive)
);

-- For what is counted the constraint cannot speak: look-ups by time, and the guard below.
create index claims_counted on {{schema}}.claims using gist (resource_id, during, live) where (not exclusive);
create index claims_of_sessions on {{schema}}.claims (holder) where (session_capacity is not null);

-- The second lock on the door for counted resources and sessions: whoever writes, at commit the peak fits the capacity.
create function {{schema}}.guard_capacity() returns trigger language plpgsql as $$
declare
  places integer;
  taken bigint;
begin
  if isempty(new.live) then
    return null;
  end if;
  -- The lock makes writers that took none wait for each other here; the statements after it see what they left.
  select capacity into places from {{schema}}.resources where id = new.resource_id for no key update;
  if not new.exclusive then
    select coalesce(max(at_once), 0) into taken from (
      select sum(other.quantity) as at_once
      from {{schema}}.claims moment
      join {{schema}}.claims other on other.resource_id = new.resource_id and not other.exclusive
        and other.during @> greatest(moment.starts_at, new.starts_at) and other.live && new.live
      where moment.resource_id = new.resource_id and not moment.exclusive
        and moment.during && new.during and moment.live && new.live
      group by moment.booking_id, moment.number) peaks;
    -- A capacity that was lowered below what is sold refuses nothing that was there before.
    if taken > places and tg_op = 'INSERT' then
      raise exception 'no place left on %', new.resource_id using errcode = 'exclusion_violation';
    end if;
  end if;
  if new.session_capacity is not null and tg_op = 'INSERT' then
    select coalesce(sum(quantity), 0) into taken from {{schema}}.claims
      where holder = new.holder and resource_id = new.resource_id and live && new.live;
    if taken > new.session_capacity then
      raise exception 'no place left in %', new.holder using errcode = 'exclusion_violation';
    end if;
  end if;
  return null;
end $$;

create constraint trigger guard_capacity after insert or update on {{schema}}.claims
  deferrable initially deferred for each row
  when (not new.exclusive or new.session_capacity is not null)
  execute function {{schema}}.guard_capacity();

create table {{schema}}.checkouts (
  provider text not null,
  account text not null,
  external_id text not null,
  token text not null,
  payer text not null,
  amount bigint not null,
  currency text not null,
  booking_id uuid references {{schema}}.bookings,
  decision text not null check (decision in ('approved', 'declined')),
  reason text,
  decided_at timestamptz not null,
  voided_at timestamptz,
  void_reason text,
  primary key (provider, account, external_id),
  check ((decision = 'declined') = (reason is not null)),
  check (decision = 'approved' or voided_at is null)
);

create index checkouts_approved on {{schema}}.checkouts (booking_id) where decision = 'approved';
-- At most one approval of a booking stands (S7).
create unique index checkouts_one_standing on {{schema}}.checkouts (booking_id)
  where decision = 'approved' and voided_at is null;

create table {{schema}}.payments (
  id uuid primary key,
  provider text not null,
  account text not null,
  external_id text not null,
  token text not null,
  payer text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  booking_id uuid references {{schema}}.bookings,
  disposition text not null check (disposition in ('booked', 'late', 'surplus', 'mismatch', 'unmatched')),
  reason text,
  received_at timestamptz not null,
  review text check (review in ('open', 'refunded', 'attached', 'closed')),
  reviewed_by text,
  reviewed_at timestamptz,
  note text,
  details jsonb not null,
  -- The sum of its refunds, kept by a trigger: never more than was paid, whoever writes.
  refunded_amount bigint not null default 0 check (refunded_amount between 0 and amount),
  unique (provider, account, external_id),
  check (disposition = 'unmatched' or booking_id is not null),
  check (disposition not in ('mismatch', 'unmatched') or review is not null)
);

-- A booking is bought once.
create unique index payments_one_booked on {{schema}}.payments (booking_id) where disposition = 'booked';
create index payments_by_booking on {{schema}}.payments (booking_id);
-- What a buyer sends to support.
create index payments_by_charge on {{schema}}.payments (external_id);
create index payments_in_review on {{schema}}.payments (received_at) where review = 'open';

create table {{schema}}.refunds (
  id uuid primary key,
  payment_id uuid not null references {{schema}}.payments,
  booking_id uuid references {{schema}}.bookings,
  amount bigint not null check (amount > 0),
  currency text not null,
  reason text not null,
  state text not null check (state in ('pending', 'sending', 'unconfirmed', 'completed', 'needs_attention')),
  attempts integer not null check (attempts >= 0),
  requested_at timestamptz not null,
  due_at timestamptz not null,
  lease_token uuid,
  lease_until timestamptz,
  last_error text,
  completed_at timestamptz,
  completed_by text,
  note text,
  -- One refund per charge and amount.
  unique (payment_id, amount),
  check ((state = 'completed') = (completed_at is not null)),
  check ((state = 'sending') = (lease_token is not null and lease_until is not null))
);

create index refunds_open on {{schema}}.refunds (due_at) where state <> 'completed';

-- Keeps payments.refunded_amount, whose check refuses to return more than was paid, or in another currency.
create function {{schema}}.count_refund() returns trigger language plpgsql as $$
declare
  paid_currency text;
begin
  update {{schema}}.payments
    set refunded_amount = refunded_amount
      + case when tg_op = 'DELETE' then 0 else new.amount end
      - case when tg_op = 'INSERT' then 0 else old.amount end
    where id = case when tg_op = 'DELETE' then old.payment_id else new.payment_id end
    returning currency into paid_currency;
  if tg_op <> 'DELETE' and (new.currency is distinct from paid_currency
    or (tg_op = 'UPDATE' and new.payment_id <> old.payment_id)) then
    raise exception 'a refund keeps its payment and its currency' using errcode = 'check_violation';
  end if;
  return null;
end $$;

create trigger count_refund after insert or delete or update of amount, currency, payment_id on {{schema}}.refunds
  for each row execute function {{schema}}.count_refund();

create table {{schema}}.events (
  id bigint generated always as identity primary key,
  booking_id uuid references {{schema}}.bookings,
  type text not null,
  at timestamptz not null,
  actor text not null,
  version integer,
  data jsonb not null,
  -- The outbox: an event is delivered at least once, in order per booking.
  delivered_at timestamptz,
  attempts integer not null default 0,
  due_at timestamptz,
  lease_token uuid,
  lease_until timestamptz,
  parked_at timestamptz,
  last_error text
);

-- What a provider reports again and again is one incident. A digest, for the data may be longer than an index entry can be.
create unique index events_incidents on {{schema}}.events (type, md5(data::text))
  where type in ('payment_recurring', 'payment_conflict', 'checkout_conflict');
create index events_by_booking on {{schema}}.events (booking_id, id);
create index events_undelivered on {{schema}}.events (id) where delivered_at is null and parked_at is null;

-- Where a reader of somebody else's list has got to, such as the reconciliation of Telegram's ledger.
create table {{schema}}.cursors (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null
);
` },
  { number: 2, name: "waiting_list", sql: `-- bookonce 0002: the waiting list. An offer is no table of its own: it is a booking that is held for the one who waits.

create table {{schema}}.waiting_list (
  id uuid primary key,
  -- The place in line: first come, first served.
  number bigint not null generated always as identity unique,
  customer text not null,
  service_id text not null,
  -- Instead of the service's own resources.
  wants jsonb,
  quantity integer not null check (quantity > 0),
  window_from timestamptz not null,
  window_to timestamptz not null,
  state text not null check (state in ('waiting', 'unservable', 'used', 'left', 'ended')),
  consent_text text not null,
  consent_at timestamptz not null,
  request_id text,
  digest text not null,
  joined_at timestamptz not null,
  closed_at timestamptz,
  closed_by text,
  check (window_from < window_to),
  check ((state in ('waiting', 'unservable')) = (closed_at is null)),
  unique (customer, request_id)
);

-- One entry for one wish of a customer, whoever writes.
create unique index waiting_list_once on {{schema}}.waiting_list (customer, digest) where state in ('waiting', 'unservable');
create index waiting_list_line on {{schema}}.waiting_list (service_id, number) where state in ('waiting', 'unservable');

alter table {{schema}}.bookings add column waitlist_entry_id uuid references {{schema}}.waiting_list;

create index bookings_of_entries on {{schema}}.bookings (waitlist_entry_id) where waitlist_entry_id is not null;
-- One live offer per entry, whoever writes. (One per freed place: the guards of the claims see to that.)
create unique index bookings_one_offer on {{schema}}.bookings (waitlist_entry_id) where state = 'held';
` },
  { number: 3, name: "reminders", sql: `-- bookonce 0003: reminders, and who wants them.

-- What a customer has agreed to, or taken back: the last word per topic, and when it was said.
create table {{schema}}.consents (
  customer text not null,
  topic text not null,
  granted boolean not null,
  source text not null,
  at timestamptz not null,
  primary key (customer, topic)
);

-- Reminders that were dealt with: one per booking, kind and version, so that a moved booking is reminded of anew and no worker
-- reminds twice. What is not here and is due is still to be sent; nothing has to be removed when a booking is cancelled or moved.
create table {{schema}}.reminders (
  booking_id uuid not null references {{schema}}.bookings,
  kind text not null,
  version integer not null,
  due_at timestamptz not null,
  at timestamptz not null,
  outcome text not null check (outcome in ('queued', 'missed')),
  primary key (booking_id, kind, version)
);

-- What the reminder looks through: confirmed bookings that begin soon.
create index bookings_confirmed on {{schema}}.bookings (starts_at) where state = 'confirmed';
` },
  { number: 4, name: "guard_every_write", sql: `-- bookonce 0004: indexes that hold only what is looked up in them, and a guard of counted places that judges every write.

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
` },
  { number: 5, name: "offered_start", sql: `-- bookonce 0005: an offer of the waiting list remembers the time that was offered, for the booking may be moved.

alter table {{schema}}.bookings add column offered_start timestamptz;

update {{schema}}.bookings b set offered_start = coalesce(
    (select (e.data -> 'from' ->> 'start')::timestamptz from {{schema}}.events e
      where e.booking_id = b.id and e.type = 'booking_rescheduled' order by e.id limit 1),
    b.starts_at)
  where waitlist_entry_id is not null;
` },
  { number: 6, name: "refunds_once", sql: `-- bookonce 0006: a refund of ours is made once per payment and amount. What went back without us is a fact, of whatever amount: the other
-- half of a payment, say, of which we returned one. The trigger keeps the sum.

alter table {{schema}}.refunds drop constraint refunds_payment_id_amount_key;

create unique index refunds_once on {{schema}}.refunds (payment_id, amount) where reason <> 'external';

create index refunds_of_payments on {{schema}}.refunds (payment_id);
` },
];
