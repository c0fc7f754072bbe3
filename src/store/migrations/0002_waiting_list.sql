-- bookonce 0002: the waiting list. An offer is no table of its own: it is a booking that is held for the one who waits.

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
