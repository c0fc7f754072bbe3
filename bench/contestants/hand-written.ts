import pg from "pg";
import { type Answer, type ContestantOptions, provider, type Question } from "./contestant.ts";

// What the two contestants that talk in single statements share: the statements, and the judgement between them.

export interface BookingRow {
  readonly id: string;
  readonly payer: string | null;
  readonly state: string;
  readonly resource: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly price_amount: string;
  readonly price_currency: string;
  readonly payable_until: Date | null;
  readonly grace_ms: number;
}

interface SituationRow {
  readonly now: Date;
  readonly taken: boolean;
  readonly decided: Answer | null;
}

export type Query = <Row extends pg.QueryResultRow>(name: string, values?: unknown[]) => Promise<Row | undefined>;

const bookingColumns = `b.id, b.payer, b.state, b.resource_ids[1] as resource, b.starts_at, b.ends_at, b.price_amount, b.price_currency,
  b.payable_until, (b.policy ->> 'settlementGraceMs')::int as grace_ms`;

const texts: Readonly<Record<string, string>> = {
  begin: "begin",
  begin_serializable: "begin isolation level serializable",
  commit: "commit",
  rollback: "rollback",
  // Both rows at once, the booking first. What is read about others must wait for the next statement: this one's snapshot is older
  // than the lock.
  lock: `select ${bookingColumns} from bookonce.bookings b join bookonce.resources r on r.id = b.resource_ids[1]
    where b.token = $1 for no key update of b, r`,
  read: `select ${bookingColumns} from bookonce.bookings b where b.token = $1`,
  situation: `with clock as materialized (select bookonce.clock() as now)
    select clock.now,
      exists (select from bookonce.claims c where c.resource_id = $1 and c.exclusive and c.during && tstzrange($2, $3)
        and c.live @> (select now from clock) and c.booking_id <> $4) as taken,
      (select decision from bookonce.checkouts where provider = $5 and account = $6 and external_id = $7) as decided
    from clock`,
  hold: `with held as (
      update bookonce.bookings set state = 'held', hold_expires_at = $3, payable_until = null, version = version + 1
      where id = $1 returning id, resource_ids[1] as resource, starts_at, ends_at, version),
    claimed as (
      insert into bookonce.claims (booking_id, number, resource_id, starts_at, ends_at, live_from, live_until)
      select id, 1, resource, starts_at, ends_at, $2, $3 from held)
    insert into bookonce.events (booking_id, type, at, actor, version, data)
      select id, 'booking_held', $2, $4, version, jsonb_build_object('checkoutId', $5::text) from held`,
  decision: `insert into bookonce.checkouts
      (provider, account, external_id, token, payer, amount, currency, booking_id, decision, reason, decided_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

export function queryOn(client: pg.PoolClient, { prepare }: Pick<ContestantOptions, "prepare">): Query {
  return async <Row extends pg.QueryResultRow>(name: string, values?: unknown[]): Promise<Row | undefined> => {
    const text = texts[name] ?? name;
    const named = prepare && values !== undefined;
    const result = await client.query<Row>(named ? { name, text, values } : { text, ...(values && { values }) });
    return result.rows[0];
  };
}

/** From the booking that was read to the decision that is stored; the caller begins, locks and commits. */
export async function decideOn(query: Query, question: Question, booking: BookingRow | undefined): Promise<Answer> {
  if (booking === undefined) throw new Error(`no booking for ${question.token}`);
  const { account, checkoutId, token, payer, amount, currency } = question;
  const situation = await query<SituationRow>("situation", [
    booking.resource,
    booking.starts_at,
    booking.ends_at,
    booking.id,
    provider,
    account,
    checkoutId,
  ]);
  if (situation === undefined) throw new Error("the situation has one row");
  if (situation.decided !== null) return situation.decided;
  const { now } = situation;
  const reason = refuse(booking, question, situation);
  if (reason === null) {
    const expires = new Date(now.getTime() + booking.grace_ms);
    await query("hold", [booking.id, now, expires, provider, checkoutId]);
  }
  const answer = reason === null ? "approved" : "declined";
  await query("decision", [
    provider,
    account,
    checkoutId,
    token,
    payer,
    amount,
    currency,
    booking.id,
    answer,
    reason,
    now,
  ]);
  return answer;
}

function refuse(booking: BookingRow, question: Question, { now, taken }: SituationRow): string | null {
  if (booking.payer !== null && booking.payer !== question.payer) return "wrong_payer";
  if (Number(booking.price_amount) !== question.amount || booking.price_currency !== question.currency)
    return "wrong_amount";
  if (booking.state !== "pending" || booking.payable_until === null || booking.payable_until <= now)
    return "hold_lapsed";
  if (booking.starts_at <= now) return "in_past";
  return taken ? "slot_taken" : null;
}

export function createPool({ url, pool, patienceMs }: ContestantOptions): pg.Pool {
  return new pg.Pool({ connectionString: url, max: pool, idleTimeoutMillis: 0, statement_timeout: patienceMs });
}
