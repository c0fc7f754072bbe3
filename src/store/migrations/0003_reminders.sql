-- bookonce 0003: reminders, and who wants them.

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
