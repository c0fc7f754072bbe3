import type pg from "pg";
import { type Answer, type Contestant, type ContestantOptions, provider } from "./contestant.ts";
import { createPool } from "./hand-written.ts";

/**
 * One PL/pgSQL function, one round trip, its own transaction: the fastest that one decision at a time can be. The statements of a
 * volatile function each see what was committed before them, so what is read after the locks is what the locks waited for.
 */
export function plpgsqlFunction(options: ContestantOptions): Contestant {
  const pool = createPool(options);
  const text = "select bench.decide($1, $2, $3, $4, $5, $6, $7) as answer";
  return {
    name: "function",
    retries: () => 0,
    close: () => pool.end(),
    async decide({ account, checkoutId, token, payer, amount, currency }) {
      const values = [provider, account, checkoutId, token, payer, amount, currency];
      const query = options.prepare ? { name: "decide", text, values } : { text, values };
      const { rows } = await pool.query<{ answer: Answer }>(query);
      const [row] = rows;
      if (row === undefined) throw new Error("the function answered nothing");
      return row.answer;
    },
  };
}

export async function createFunction(client: pg.Client): Promise<void> {
  await client.query(`create schema if not exists bench; ${source}`);
}

const source = `create or replace function bench.decide(
  p_provider text, p_account text, p_external_id text, p_token text, p_payer text, p_amount bigint, p_currency text)
returns text language plpgsql as $$
declare
  b bookonce.bookings;
  at timestamptz;
  expires timestamptz;
  why text;
  answer text;
begin
  select * into b from bookonce.bookings where token = p_token for no key update;
  if not found then raise exception 'no booking for %', p_token; end if;
  perform from bookonce.resources where id = b.resource_ids[1] for no key update;
  at := bookonce.clock();
  select decision into answer from bookonce.checkouts
    where provider = p_provider and account = p_account and external_id = p_external_id;
  if found then return answer; end if;

  why := case
    when b.payer <> p_payer then 'wrong_payer'
    when b.price_amount <> p_amount or b.price_currency <> p_currency then 'wrong_amount'
    when b.state <> 'pending' or b.payable_until <= at then 'hold_lapsed'
    when b.starts_at <= at then 'in_past'
    when exists (select from bookonce.claims c where c.resource_id = b.resource_ids[1] and c.exclusive
      and c.during && tstzrange(b.starts_at, b.ends_at) and c.live @> at and c.booking_id <> b.id) then 'slot_taken'
  end;
  if why is null then
    expires := at + (b.policy ->> 'settlementGraceMs')::int * interval '1 millisecond';
    update bookonce.bookings set state = 'held', hold_expires_at = expires, payable_until = null, version = version + 1
      where id = b.id;
    insert into bookonce.claims (booking_id, number, resource_id, starts_at, ends_at, live_from, live_until)
      values (b.id, 1, b.resource_ids[1], b.starts_at, b.ends_at, at, expires);
    insert into bookonce.events (booking_id, type, at, actor, version, data)
      values (b.id, 'booking_held', at, p_provider, b.version + 1, jsonb_build_object('checkoutId', p_external_id));
  end if;
  answer := case when why is null then 'approved' else 'declined' end;
  insert into bookonce.checkouts
      (provider, account, external_id, token, payer, amount, currency, booking_id, decision, reason, decided_at)
    values (p_provider, p_account, p_external_id, p_token, p_payer, p_amount, p_currency, b.id, answer, why, at);
  return answer;
end $$`;
