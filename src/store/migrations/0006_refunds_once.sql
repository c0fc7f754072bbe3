-- bookonce 0006: a refund of ours is made once per payment and amount. What went back without us is a fact, of whatever amount: the other
-- half of a payment, say, of which we returned one. The trigger keeps the sum.

alter table {{schema}}.refunds drop constraint refunds_payment_id_amount_key;

create unique index refunds_once on {{schema}}.refunds (payment_id, amount) where reason <> 'external';

create index refunds_of_payments on {{schema}}.refunds (payment_id);
