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
  created_at timestamptz not null
);

create table {{schema}}.bookings (
  id uuid primary key,
  token text not null unique,
  customer text not null,
  payer text,
  state text not null check (state in ('pending', 'held', 'confirmed', 'expired', 'cancelled')),
  resource_ids text[] not null check (cardinality(resource_ids) > 0),
  starts_at timestamptz not null,
  ends_at timestamptz not null,
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
  check (starts_at < ends_at),
  check ((price_amount is null) = (price_currency is null)),
  check (state <> 'held' or hold_expires_at is not null),
  check (state <> 'pending' or payable_until is not null),
  check (state <> 'confirmed' or confirmed_at is not null),
  check (state <> 'cancelled' or (cancelled_at is not null and cancelled_by is not null)),
  unique (customer, request_id)
);

create index bookings_by_customer on {{schema}}.bookings (customer, starts_at);
-- What the sweeper looks for.
create index bookings_that_lapse on {{schema}}.bookings ((coalesce(hold_expires_at, payable_until)))
  where state in ('held', 'pending');

-- A booking's right to a resource. \`during\` is what it takes; \`live\` says when the claim counted: a hold until it expires, a
-- confirmed booking without end, closed at release. A lapsed hold stops blocking at its instant, with no worker running.
create table {{schema}}.claims (
  booking_id uuid not null references {{schema}}.bookings,
  number integer not null check (number > 0),
  resource_id text not null references {{schema}}.resources,
  exclusive boolean not null default true,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  live_from timestamptz not null,
  live_until timestamptz,
  during tstzrange not null generated always as (tstzrange(starts_at, ends_at)) stored,
  live tstzrange not null generated always as (tstzrange(live_from, live_until)) stored,
  primary key (booking_id, number),
  check (starts_at < ends_at),
  check (live_from <= live_until),
  -- Whoever writes: two bookings never hold one exclusive resource for overlapping times at the same moment (B5). A booking may
  -- overlap itself, so that it can be moved by less than its own length.
  constraint claims_exclusive exclude using gist
    (resource_id with =, during with &&, live with &&, booking_id with <>) where (exclusive)
);

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

create index refunds_due on {{schema}}.refunds (due_at) where state in ('pending', 'sending', 'unconfirmed');

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

create index events_by_booking on {{schema}}.events (booking_id, id);
create index events_undelivered on {{schema}}.events (id) where delivered_at is null and parked_at is null;

-- Where a reader of somebody else's list has got to, such as the reconciliation of Telegram's ledger.
create table {{schema}}.cursors (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null
);
` },
];
