table bookings.id uuid not null
table bookings.token text not null
table bookings.customer text not null
table bookings.payer text
table bookings.state text not null
table bookings.resource_ids text[] not null
table bookings.starts_at timestamp with time zone not null
table bookings.ends_at timestamp with time zone not null
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
table claims.exclusive boolean not null default true
table claims.starts_at timestamp with time zone not null
table claims.ends_at timestamp with time zone not null
table claims.live_from timestamp with time zone not null
table claims.live_until timestamp with time zone
table claims.during tstzrange not null generated always as (tstzrange(starts_at, ends_at)) stored
table claims.live tstzrange not null generated always as (tstzrange(live_from, live_until)) stored
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
table resources.id text not null
table resources.name text not null
table resources.active boolean not null default true
table resources.created_at timestamp with time zone not null

constraint bookings.bookings_check CHECK ((starts_at < ends_at))
constraint bookings.bookings_check1 CHECK (((price_amount IS NULL) = (price_currency IS NULL)))
constraint bookings.bookings_check2 CHECK (((state <> 'held'::text) OR (hold_expires_at IS NOT NULL)))
constraint bookings.bookings_check3 CHECK (((state <> 'pending'::text) OR (payable_until IS NOT NULL)))
constraint bookings.bookings_check4 CHECK (((state <> 'confirmed'::text) OR (confirmed_at IS NOT NULL)))
constraint bookings.bookings_check5 CHECK (((state <> 'cancelled'::text) OR ((cancelled_at IS NOT NULL) AND (cancelled_by IS NOT NULL))))
constraint bookings.bookings_customer_request_id_key UNIQUE (customer, request_id)
constraint bookings.bookings_pkey PRIMARY KEY (id)
constraint bookings.bookings_price_amount_check CHECK ((price_amount > 0))
constraint bookings.bookings_resource_ids_check CHECK ((cardinality(resource_ids) > 0))
constraint bookings.bookings_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'held'::text, 'confirmed'::text, 'expired'::text, 'cancelled'::text])))
constraint bookings.bookings_token_key UNIQUE (token)
constraint bookings.bookings_version_check CHECK ((version > 0))
constraint checkouts.checkouts_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES {{schema}}.bookings(id)
constraint checkouts.checkouts_check CHECK (((decision = 'declined'::text) = (reason IS NOT NULL)))
constraint checkouts.checkouts_check1 CHECK (((decision = 'approved'::text) OR (voided_at IS NULL)))
constraint checkouts.checkouts_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'declined'::text])))
constraint checkouts.checkouts_pkey PRIMARY KEY (provider, account, external_id)
constraint claims.claims_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES {{schema}}.bookings(id)
constraint claims.claims_check CHECK ((starts_at < ends_at))
constraint claims.claims_check1 CHECK ((live_from <= live_until))
constraint claims.claims_exclusive EXCLUDE USING gist (resource_id WITH =, during WITH &&, live WITH &&, booking_id WITH <>) WHERE (exclusive)
constraint claims.claims_number_check CHECK ((number > 0))
constraint claims.claims_pkey PRIMARY KEY (booking_id, number)
constraint claims.claims_resource_id_fkey FOREIGN KEY (resource_id) REFERENCES {{schema}}.resources(id)
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
constraint refunds.refunds_payment_id_amount_key UNIQUE (payment_id, amount)
constraint refunds.refunds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES {{schema}}.payments(id)
constraint refunds.refunds_pkey PRIMARY KEY (id)
constraint refunds.refunds_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'unconfirmed'::text, 'completed'::text, 'needs_attention'::text])))
constraint resources.resources_id_check CHECK ((id <> ''::text))
constraint resources.resources_pkey PRIMARY KEY (id)

index CREATE INDEX bookings_by_customer ON {{schema}}.bookings USING btree (customer, starts_at)
index CREATE UNIQUE INDEX bookings_customer_request_id_key ON {{schema}}.bookings USING btree (customer, request_id)
index CREATE UNIQUE INDEX bookings_pkey ON {{schema}}.bookings USING btree (id)
index CREATE INDEX bookings_that_lapse ON {{schema}}.bookings USING btree (COALESCE(hold_expires_at, payable_until)) WHERE (state = ANY (ARRAY['held'::text, 'pending'::text]))
index CREATE UNIQUE INDEX bookings_token_key ON {{schema}}.bookings USING btree (token)
index CREATE INDEX checkouts_approved ON {{schema}}.checkouts USING btree (booking_id) WHERE (decision = 'approved'::text)
index CREATE UNIQUE INDEX checkouts_one_standing ON {{schema}}.checkouts USING btree (booking_id) WHERE ((decision = 'approved'::text) AND (voided_at IS NULL))
index CREATE UNIQUE INDEX checkouts_pkey ON {{schema}}.checkouts USING btree (provider, account, external_id)
index CREATE INDEX claims_exclusive ON {{schema}}.claims USING gist (resource_id, during, live, booking_id) WHERE exclusive
index CREATE UNIQUE INDEX claims_pkey ON {{schema}}.claims USING btree (booking_id, number)
index CREATE UNIQUE INDEX cursors_pkey ON {{schema}}.cursors USING btree (name)
index CREATE INDEX events_by_booking ON {{schema}}.events USING btree (booking_id, id)
index CREATE UNIQUE INDEX events_pkey ON {{schema}}.events USING btree (id)
index CREATE INDEX events_undelivered ON {{schema}}.events USING btree (id) WHERE ((delivered_at IS NULL) AND (parked_at IS NULL))
index CREATE UNIQUE INDEX migrations_pkey ON {{schema}}.migrations USING btree (number)
index CREATE INDEX payments_by_booking ON {{schema}}.payments USING btree (booking_id)
index CREATE INDEX payments_in_review ON {{schema}}.payments USING btree (received_at) WHERE (review = 'open'::text)
index CREATE UNIQUE INDEX payments_one_booked ON {{schema}}.payments USING btree (booking_id) WHERE (disposition = 'booked'::text)
index CREATE UNIQUE INDEX payments_pkey ON {{schema}}.payments USING btree (id)
index CREATE UNIQUE INDEX payments_provider_account_external_id_key ON {{schema}}.payments USING btree (provider, account, external_id)
index CREATE INDEX refunds_due ON {{schema}}.refunds USING btree (due_at) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text, 'unconfirmed'::text]))
index CREATE UNIQUE INDEX refunds_payment_id_amount_key ON {{schema}}.refunds USING btree (payment_id, amount)
index CREATE UNIQUE INDEX refunds_pkey ON {{schema}}.refunds USING btree (id)
index CREATE UNIQUE INDEX resources_pkey ON {{schema}}.resources USING btree (id)

trigger CREATE TRIGGER count_refund AFTER INSERT OR DELETE OR UPDATE OF amount, currency, payment_id ON {{schema}}.refunds FOR EACH ROW EXECUTE FUNCTION {{schema}}.count_refund()

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
