import { sql } from "kysely";
import type { Statement } from "../database/port.ts";
import { columns } from "./columns.ts";
import { isoText } from "./mapping.ts";
import { document, type QueryBuilder, textOf } from "./query-builder.ts";

export interface ReminderStatements {
  /**
   * Confirmed bookings that begin soon, of customers who want reminders: with the kinds that were dealt with, and `since` when they are
   * at their time and hers.
   */
  soon(filter: { readonly withinMs: number; readonly after: string | null; readonly limit: number }): Statement;
  /** Marks reminders as dealt with and writes the events of those to be sent, where the booking is still as it was read. */
  queue(due: readonly DueRow[]): Statement;
  /** Whether a reminder that is about to be sent is still wanted: the booking stands at that version, and the customer agrees. */
  wanted(reminder: { readonly bookingId: string; readonly version: number; readonly kind: string }): Statement;
  setConsent(consent: {
    readonly customer: string;
    readonly topic: string;
    readonly granted: boolean;
    readonly source: string;
  }): Statement;
  consents(customer: string): Statement;
}

export interface DueRow {
  readonly bookingId: string;
  readonly kind: string;
  readonly version: number;
  readonly dueAt: number;
  readonly outcome: "queued" | "missed";
}

/** Consent for everything; a topic of its own wins over it. */
export const everything = "*";

export function reminderStatements(q: QueryBuilder): ReminderStatements {
  const { named } = q;
  const now = sql`(select ${named("clock")}())`;
  const param = (name: string) => sql`(${document} ->> ${sql.lit(name)})`;
  const bookingColumns = sql.join(columns.bookings.map((column) => sql`b.${sql.ref(column)}`));
  // The last word on this kind, else the last word on everything, else no: reminders are opt-in (B13).
  const agrees = (customer: ReturnType<typeof sql>, kind: ReturnType<typeof sql>) => sql`coalesce(
    (select granted from ${named("consents")} c where c.customer = ${customer} and c.topic = ${kind}),
    (select granted from ${named("consents")} c where c.customer = ${customer} and c.topic = ${sql.lit(everything)}), false)`;

  const soon = textOf(
    q,
    sql`select json_build_object('now', ${now}, 'rows', (select coalesce(json_agg(json_build_object(
        'booking', (select row_to_json(x) from (select ${bookingColumns}) x),
        'since', greatest(b.confirmed_at, (select max(e.at) from ${named("events")} e
          where e.booking_id = b.id and e.version = b.version and e.type in ('booking_rescheduled', 'booking_transferred'))),
        'done', (select coalesce(json_agg(r.kind), '[]') from ${named("reminders")} r where r.booking_id = b.id and r.version = b.version),
        'refused', (select coalesce(json_agg(c.topic), '[]') from ${named("consents")} c where c.customer = b.customer and not c.granted),
        'granted', (select coalesce(json_agg(c.topic), '[]') from ${named("consents")} c where c.customer = b.customer and c.granted)
      ) order by b.id), '[]') from (
        select * from ${named("bookings")} b where b.state = 'confirmed' and b.starts_at > ${now}
          and b.starts_at <= ${now} + ${param("withinMs")}::float8 * interval '1 millisecond'
          and (${param("after")} is null or b.id > ${param("after")}::uuid)
          and exists (select from ${named("consents")} c where c.customer = b.customer and c.granted)
        order by b.id limit ${param("limit")}::int) b))::text as result`,
  );

  const queue = textOf(
    q,
    sql`with due as (
      select * from jsonb_to_recordset(${document}) as d(booking_id uuid, kind text, version integer, due_at timestamptz, outcome text)
    ), standing as (
      select b.id from ${named("bookings")} b
      where b.id in (select booking_id from due) order by b.id for no key update
    ), dealt as (
      insert into ${named("reminders")} (booking_id, kind, version, due_at, at, outcome)
      select d.booking_id, d.kind, d.version, d.due_at, ${now}, d.outcome
      from due d join standing s on s.id = d.booking_id join ${named("bookings")} b on b.id = d.booking_id
      where b.state = 'confirmed' and b.version = d.version
      on conflict do nothing returning booking_id, kind, version, due_at, outcome
    ), told as (
      insert into ${named("events")} (booking_id, type, at, actor, version, data)
      select booking_id, 'reminder_due', ${now}, 'bookonce', version, jsonb_build_object('kind', kind, 'dueAt', due_at)
      from dealt where outcome = 'queued' returning id
    ) select json_build_object('queued', (select count(*) from told),
      'missed', (select count(*) from dealt where outcome = 'missed'))::text as result`,
  );

  const wanted = textOf(
    q,
    sql`select (exists (select from ${named("bookings")} b where b.id = ${param("bookingId")}::uuid
      and b.state = 'confirmed' and b.attendance is null and b.version = ${param("version")}::int and b.starts_at > ${now}
      and ${agrees(sql`b.customer`, param("kind"))}))::text as result`,
  );

  const setConsent = textOf(
    q,
    sql`with stored as (
      insert into ${named("consents")} (customer, topic, granted, source, at)
      values (${param("customer")}, ${param("topic")}, ${param("granted")}::boolean, ${param("source")}, ${now})
      on conflict (customer, topic) do update set granted = excluded.granted, source = excluded.source, at = excluded.at
    ) select null as result`,
  );

  const consents = textOf(
    q,
    sql`select coalesce(json_agg(json_build_object('topic', topic, 'granted', granted, 'source', source, 'at', at) order by topic), '[]')::text as result
      from ${named("consents")} where customer = ${param("customer")}`,
  );

  const statement = (text: string, values: unknown): Statement => ({ text, values: [JSON.stringify(values)] });
  return {
    soon: (filter) => statement(soon, filter),
    queue: (due) =>
      statement(
        queue,
        due.map(({ bookingId, kind, version, dueAt, outcome }) => ({
          booking_id: bookingId,
          kind,
          version,
          due_at: isoText(dueAt),
          outcome,
        })),
      ),
    wanted: (reminder) => statement(wanted, reminder),
    setConsent: (consent) => statement(setConsent, consent),
    consents: (customer) => statement(consents, { customer }),
  };
}
