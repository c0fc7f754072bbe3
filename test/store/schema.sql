table bookings.id uuid not null
table bookings.token text not null
table bookings.customer text not null
table bookings.payer text
table bookings.state text not null
table bookings.wanted_ids text[] not null
table bookings.quantities integer[] not null
table bookings.resource_ids text[] not null
table bookings.starts_at timestamp with time zone not null
table bookings.ends_at timestamp with time zone not null
table bookings.buffer_before_ms integer not null default 0
table bookings.buffer_after_ms integer not null default 0
table bookings.day_starts_at timestamp with time zone not null
table bookings.day_ends_at timestamp with time zone not null
table bookings.zone text
table bookings.wall_date date
table bookings.wall_time text
table bookings.zone_data text
table bookings.service_id text
table bookings.session_id text
table bookings.session_capacity integer
table bookings.price_amount bigint
table bookings.price_currency text
table bookings.hold_expires_at timestamp with time zone
table bookings.payable_until timestamp with time zone
table bookings.policy jsonb not null
table bookings.version integer not null
table bookings.request_id text
table bookings.request_digest text not null
table bookings.title text
table bookings.data jsonb not null
table bookings.created_at timestamp with time zone not null
table bookings.confirmed_at timestamp with time zone
table bookings.cancelled_at timestamp with time zone
table bookings.cancelled_by text
table bookings.cancel_reason text
table bookings.attendance text
table bookings.waitlist_entry_id uuid
table bookings.offered_start timestamp with time zone
table checkouts.provider text not null
table checkouts.account text not null
table checkouts.external_id text not null
table checkouts.token text not null
table checkouts.payer text not null
table checkouts.amount bigint not null
table checkouts.currency text not null
table checkouts.booking_id uuid
table checkouts.decision text not null
table checkouts.reason text
table checkouts.decided_at timestamp with time zone not null
table checkouts.voided_at timestamp with time zone
table checkouts.void_reason text
table claims.booking_id uuid not null
table claims.number integer not null
table claims.resource_id text not null
table claims.session_id text
table claims.exclusive boolean not null default true
table claims.quantity integer not null default 1
table claims.session_capacity integer
table claims.starts_at timestamp with time zone not null
table claims.ends_at timestamp with time zone not null
table claims.buffer_before_ms integer not null default 0
table claims.buffer_after_ms integer not null default 0
table claims.live_from timestamp with time zone not null
table claims.live_until timestamp with time zone
table claims.during tstzrange not null generated always as (tstzrange(starts_at, ends_at)) stored
table claims.live tstzrange not null generated always as (tstzrange(live_from, live_until)) stored
table claims.holder text not null generated always as (COALESCE(session_id, (booking_id)::text)) stored
table consents.customer text not null
table consents.topic text not null
table consents.granted boolean not null
table consents.source text not null
table consents.at timestamp with time zone not null
table cursors.name text not null
table cursors.value jsonb not null
table cursors.updated_at timestamp with time zone not null
table events.id bigint not null generated always as identity
table events.booking_id uuid
table events.type text not null
table events.at timestamp with time zone not null
table events.actor text not null
table events.version integer
table events.data jsonb not null
table events.delivered_at timestamp with time zone
table events.attempts integer not null default 0
table events.due_at timestamp with time zone
table events.lease_token uuid
table events.lease_until timestamp with time zone
table events.parked_at timestamp with time zone
table events.last_error text
table migrations.number integer not null
table migrations.name text not null
table migrations.applied_at timestamp with time zone not null default now()
table payments.id uuid not null
table payments.provider text not null
table payments.account text not null
table payments.external_id text not null
table payments.token text not null
table payments.payer text not null
table payments.amount bigint not null
table payments.currency text not null
table payments.booking_id uuid
table payments.disposition text not null
table payments.reason text
table payments.received_at timestamp with time zone not null
table payments.review text
table payments.reviewed_by text
table payments.reviewed_at timestamp with time zone
table payments.note text
table payments.details jsonb not null
table payments.refunded_amount bigint not null default 0
table refunds.id uuid not null
table refunds.payment_id uuid not null
table refunds.booking_id uuid
table refunds.amount bigint not null
table refunds.currency text not null
table refunds.reason text not null
table refunds.state text not null
table refunds.attempts integer not null
table refunds.requested_at timestamp with time zone not null
table refunds.due_at timestamp with time zone not null
table refunds.lease_token uuid
table refunds.lease_until timestamp with time zone
table refunds.last_error text
table refunds.completed_at timestamp with time zone
table refunds.completed_by text
table refunds.note text
table reminders.booking_id uuid not null
table reminders.kind text not null
table reminders.version integer not null
table reminders.due_at timestamp with time zone not null
table reminders.at timestamp with time zone not null
table reminders.outcome text not null
table resources.id text not null
table resources.name text not null
table resources.active boolean not null default true
table resources.kind text not null default 'exclusive'::text
table resources.capacity integer not null default 1
table resources.members text[] not null default '{}'::text[]
table resources.fairness text not null default 'least_loaded'::text
table resources.last_chosen_at timestamp with time zone
table resources.rules jsonb
table resources.created_at timestamp with time zone not null
table services.id text not null
table services.name text not null
table services.active boolean not null default true
table services.definition jsonb not null
table services.created_at timestamp with time zone not null
table waiting_list.id uuid not null
table waiting_list.number bigint not null generated always as identity
table waiting_list.customer text not null
table waiting_list.service_id text not null
table waiting_list.wants jsonb
table waiting_list.quantity integer not null
table waiting_list.window_from timestamp with time zone not null
table waiting_list.window_to timestamp with time zone not null
table waiting_list.state text not null
table waiting_list.consent_text text not null
table waiting_list.consent_at timestamp with time zone not null
table waiting_list.request_id text
table waiting_list.digest text not null
table waiting_list.joined_at timestamp with time zone not null
table waiting_list.closed_at timestamp with time zone
table waiting_list.closed_by text

constraint bookings.bookings_attendance_check CHECK ((attendance = ANY (ARRAY['attended'::text, 'no_show'::text])))
constraint bookings.bookings_buffer_after_ms_check CHECK ((buffer_after_ms >= 0))
constraint bookings.bookings_buffer_before_ms_check CHECK ((buffer_before_ms >= 0))
constraint bookings.bookings_check CHECK ((starts_at < ends_at))
constraint bookings.bookings_check1 CHECK (((day_starts_at <= starts_at) AND (starts_at < day_ends_at)))
constraint bookings.bookings_check2 CHECK (((cardinality(wanted_ids) = cardinality(quantities)) AND (cardinality(wanted_ids) = cardinality(resource_ids))))
constraint bookings.bookings_check3 CHECK ((((zone IS NULL) = (wall_date IS NULL)) AND ((zone IS NULL) = (wall_time IS NULL)) AND ((zone IS NULL) = (zone_data IS NULL))))
constraint bookings.bookings_check4 CHECK (((session_id IS NULL) = (session_capacity IS NULL)))
constraint bookings.bookings_check5 CHECK (((price_amount IS NULL) = (price_currency IS NULL)))
constraint bookings.bookings_check6 CHECK (((state <> 'held'::text) OR (hold_expires_at IS NOT NULL)))
constraint bookings.bookings_check7 CHECK (((state <> 'pending'::text) OR (payable_until IS NOT NULL)))
constraint bookings.bookings_check8 CHECK (((state <> 'confirmed'::text) OR (confirmed_at IS NOT NULL)))
constraint bookings.bookings_check9 CHECK (((state <> 'cancelled'::text) OR ((cancelled_at IS NOT NULL) AND (cancelled_by IS NOT NULL))))
constraint bookings.bookings_pkey PRIMARY KEY (id)
constraint bookings.bookings_price_amount_check CHECK ((price_amount > 0))
constraint bookings.bookings_quantities_check CHECK ((0 < ALL (quantities)))
constraint bookings.bookings_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'held'::text, 'confirmed'::text, 'expired'::text, 'cancelled'::text])))
constraint bookings.bookings_token_key UNIQUE (token)
constraint bookings.bookings_version_check CHECK ((version > 0))
constraint bookings.bookings_waitlist_entry_id_fkey FOREIGN KEY (waitlist_entry_id) REFERENCES {{schema}}.waiting_list(id)
constraint bookings.bookings_wanted_ids_check CHECK ((cardinality(wanted_ids) > 0))
constraint checkouts.checkouts_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES {{schema}}.bookings(id)
constraint checkouts.checkouts_check CHECK (((decision = 'declined'::text) = (reason IS NOT NULL)))
constraint checkouts.checkouts_check1 CHECK (((decision = 'approved'::text) OR (voided_at IS NULL)))
constraint checkouts.checkouts_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'declined'::text])))
constraint checkouts.checkouts_pkey PRIMARY KEY (provider, account, external_id)
constraint claims.claims_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES {{schema}}.bookings(id)
constraint claims.claims_check CHECK ((starts_at < ends_at))
constraint claims.claims_check1 CHECK (((session_id IS NULL) = (session_capacity IS NULL)))
constraint claims.claims_check2 CHECK ((live_from <= live_until))
constraint claims.claims_exclusive EXCLUDE USING gist (resource_id WITH =, during WITH &&, live WITH &&, holder WITH <>) WHERE (exclusive)
constraint claims.claims_number_check CHECK ((number > 0))
constraint claims.claims_pkey PRIMARY KEY (booking_id, number)
constraint claims.claims_quantity_check CHECK ((quantity > 0))
constraint claims.claims_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES {{schema}}.resources(id)
constraint claims.guard_capacity TRIGGER DEFERRABLE INITIALLY DEFERRED
constraint consents.consents_pkey PRIMARY KEY (customer, topic)
constraint cursors.cursors_pkey PRIMARY KEY (name)
constraint events.events_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES {{schema}}.bookings(id)
constraint events.events_pkey PRIMARY KEY (id)
constraint migrations.migrations_pkey PRIMARY KEY (number)
constraint payments.payments_amount_check CHECK ((amount > 0))
constraint payments.payments_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES {{schema}}.bookings(id)
constraint payments.payments_check CHECK (((refunded_amount >= 0) AND (refunded_amount <= amount)))
constraint payments.payments_check1 CHECK (((disposition = 'unmatched'::text) OR (booking_id IS NOT NULL)))
constraint payments.payments_check2 CHECK (((disposition <> ALL (ARRAY['mismatch'::text, 'unmatched'::text])) OR (review IS NOT NULL)))
constraint payments.payments_disposition_check CHECK ((disposition = ANY (ARRAY['booked'::text, 'late'::text, 'surplus'::text, 'mismatch'::text, 'unmatched'::text])))
constraint payments.payments_pkey PRIMARY KEY (id)
constraint payments.payments_provider_account_external_id_key UNIQUE (provider, account, external_id)
constraint payments.payments_review_check CHECK ((review = ANY (ARRAY['open'::text, 'refunded'::text, 'attached'::text, 'closed'::text])))
constraint refunds.refunds_amount_check CHECK ((amount > 0))
constraint refunds.refunds_attempts_check CHECK ((attempts >= 0))
constraint refunds.refunds_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES {{schema}}.bookings(id)
constraint refunds.refunds_check CHECK (((state = 'completed'::text) = (completed_at IS NOT NULL)))
constraint refunds.refunds_check1 CHECK (((state = 'sending'::text) = ((lease_token IS NOT NULL) AND (lease_until IS NOT NULL))))
constraint refunds.refunds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES {{schema}}.payments(id)
constraint refunds.refunds_pkey PRIMARY KEY (id)
constraint refunds.refunds_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'unconfirmed'::text, 'completed'::text, 'needs_attention'::text])))
constraint reminders.reminders_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES {{schema}}.bookings(id)
constraint reminders.reminders_outcome_check CHECK ((outcome = ANY (ARRAY['queued'::text, 'missed'::text])))
constraint reminders.reminders_pkey PRIMARY KEY (booking_id, kind, version)
constraint resources.resources_capacity_check CHECK ((capacity >= 0))
constraint resources.resources_check CHECK (((kind = 'pool'::text) = (cardinality(members) > 0)))
constraint resources.resources_check1 CHECK (((kind = 'counted'::text) OR (capacity = 1)))
constraint resources.resources_fairness_check CHECK ((fairness = ANY (ARRAY['least_loaded'::text, 'least_recent'::text])))
constraint resources.resources_id_check CHECK ((id <> ''::text))
constraint resources.resources_kind_check CHECK ((kind = ANY (ARRAY['exclusive'::text, 'counted'::text, 'pool'::text])))
constraint resources.resources_pkey PRIMARY KEY (id)
constraint services.services_id_check CHECK ((id <> ''::text))
constraint services.services_pkey PRIMARY KEY (id)
constraint waiting_list.waiting_list_check CHECK ((window_from < window_to))
constraint waiting_list.waiting_list_check1 CHECK (((state = ANY (ARRAY['waiting'::text, 'unservable'::text])) = (closed_at IS NULL)))
constraint waiting_list.waiting_list_customer_request_id_key UNIQUE (customer, request_id)
constraint waiting_list.waiting_list_number_key UNIQUE (number)
constraint waiting_list.waiting_list_pkey PRIMARY KEY (id)
constraint waiting_list.waiting_list_quantity_check CHECK ((quantity > 0))
constraint waiting_list.waiting_list_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'unservable'::text, 'used'::text, 'left'::text, 'ended'::text])))

index CREATE INDEX bookings_anchored ON {{schema}}.bookings USING btree (starts_at) WHERE ((zone IS NOT NULL) AND (state = ANY (ARRAY['pending'::text, 'held'::text, 'confirmed'::text])))
index CREATE INDEX bookings_by_customer ON {{schema}}.bookings USING btree (customer, starts_at)
index CREATE INDEX bookings_confirmed ON {{schema}}.bookings USING btree (starts_at) WHERE (state = 'confirmed'::text)
index CREATE INDEX bookings_of_entries ON {{schema}}.bookings USING btree (waitlist_entry_id) WHERE (waitlist_entry_id IS NOT NULL)
index CREATE UNIQUE INDEX bookings_one_offer ON {{schema}}.bookings USING btree (waitlist_entry_id) WHERE ((state = 'held'::text) AND (waitlist_entry_id IS NOT NULL))
index CREATE UNIQUE INDEX bookings_one_request ON {{schema}}.bookings USING btree (customer, request_id) WHERE (request_id IS NOT NULL)
index CREATE UNIQUE INDEX bookings_pkey ON {{schema}}.bookings USING btree (id)
index CREATE INDEX bookings_that_lapse ON {{schema}}.bookings USING btree (COALESCE(hold_expires_at, payable_until)) WHERE (state = ANY (ARRAY['held'::text, 'pending'::text]))
index CREATE UNIQUE INDEX bookings_token_key ON {{schema}}.bookings USING btree (token)
index CREATE INDEX checkouts_approved ON {{schema}}.checkouts USING btree (booking_id) WHERE (decision = 'approved'::text)
index CREATE UNIQUE INDEX checkouts_one_standing ON {{schema}}.checkouts USING btree (booking_id) WHERE ((decision = 'approved'::text) AND (voided_at IS NULL))
index CREATE UNIQUE INDEX checkouts_pkey ON {{schema}}.checkouts USING btree (provider, account, external_id)
index CREATE INDEX claims_counted ON {{schema}}.claims USING gist (resource_id, during, live) WHERE (NOT exclusive)
index CREATE INDEX claims_exclusive ON {{schema}}.claims USING gist (resource_id, during, live, holder) WHERE exclusive
index CREATE INDEX claims_of_sessions ON {{schema}}.claims USING btree (holder) WHERE (session_capacity IS NOT NULL)
index CREATE UNIQUE INDEX claims_pkey ON {{schema}}.claims USING btree (booking_id, number)
index CREATE UNIQUE INDEX consents_pkey ON {{schema}}.consents USING btree (customer, topic)
index CREATE UNIQUE INDEX cursors_pkey ON {{schema}}.cursors USING btree (name)
index CREATE INDEX events_by_booking ON {{schema}}.events USING btree (booking_id, id)
index CREATE UNIQUE INDEX events_incidents ON {{schema}}.events USING btree (type, md5((data)::text)) WHERE (type = ANY (ARRAY['payment_recurring'::text, 'payment_conflict'::text, 'checkout_conflict'::text]))
index CREATE UNIQUE INDEX events_pkey ON {{schema}}.events USING btree (id)
index CREATE INDEX events_undelivered ON {{schema}}.events USING btree (id) WHERE ((delivered_at IS NULL) AND (parked_at IS NULL))
index CREATE UNIQUE INDEX migrations_pkey ON {{schema}}.migrations USING btree (number)
index CREATE INDEX payments_by_booking ON {{schema}}.payments USING btree (booking_id)
index CREATE INDEX payments_by_charge ON {{schema}}.payments USING btree (external_id)
index CREATE INDEX payments_in_review ON {{schema}}.payments USING btree (received_at) WHERE (review = 'open'::text)
index CREATE UNIQUE INDEX payments_one_booked ON {{schema}}.payments USING btree (booking_id) WHERE (disposition = 'booked'::text)
index CREATE UNIQUE INDEX payments_pkey ON {{schema}}.payments USING btree (id)
index CREATE UNIQUE INDEX payments_provider_account_external_id_key ON {{schema}}.payments USING btree (provider, account, external_id)
index CREATE INDEX refunds_of_payments ON {{schema}}.refunds USING btree (payment_id)
index CREATE UNIQUE INDEX refunds_once ON {{schema}}.refunds USING btree (payment_id, amount) WHERE (reason <> 'external'::text)
index CREATE INDEX refunds_open ON {{schema}}.refunds USING btree (due_at) WHERE (state <> 'completed'::text)
index CREATE UNIQUE INDEX refunds_pkey ON {{schema}}.refunds USING btree (id)
index CREATE UNIQUE INDEX reminders_pkey ON {{schema}}.reminders USING btree (booking_id, kind, version)
index CREATE UNIQUE INDEX resources_pkey ON {{schema}}.resources USING btree (id)
index CREATE UNIQUE INDEX services_pkey ON {{schema}}.services USING btree (id)
index CREATE UNIQUE INDEX waiting_list_customer_request_id_key ON {{schema}}.waiting_list USING btree (customer, request_id)
index CREATE INDEX waiting_list_line ON {{schema}}.waiting_list USING btree (service_id, number) WHERE (state = ANY (ARRAY['waiting'::text, 'unservable'::text]))
index CREATE UNIQUE INDEX waiting_list_number_key ON {{schema}}.waiting_list USING btree (number)
index CREATE UNIQUE INDEX waiting_list_once ON {{schema}}.waiting_list USING btree (customer, digest) WHERE (state = ANY (ARRAY['waiting'::text, 'unservable'::text]))
index CREATE UNIQUE INDEX waiting_list_pkey ON {{schema}}.waiting_list USING btree (id)

trigger CREATE TRIGGER count_refund AFTER INSERT OR DELETE OR UPDATE OF amount, currency, payment_id ON {{schema}}.refunds FOR EACH ROW EXECUTE FUNCTION {{schema}}.count_refund()
trigger CREATE CONSTRAINT TRIGGER guard_capacity AFTER INSERT OR UPDATE ON {{schema}}.claims DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((NOT new.exclusive) OR (new.session_capacity IS NOT NULL))) EXECUTE FUNCTION {{schema}}.guard_capacity()

function CREATE OR REPLACE FUNCTION {{schema}}.clock()
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL RESTRICTED
AS $function$ select pg_catalog.clock_timestamp() $function$
function CREATE OR REPLACE FUNCTION {{schema}}.count_refund()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
function CREATE OR REPLACE FUNCTION {{schema}}.guard_capacity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
