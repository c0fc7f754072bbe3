import { type RawBuilder, sql } from "kysely";
import type { Interval } from "../core/time.ts";
import type { Statement } from "../database/port.ts";
import { columns } from "./columns.ts";
import { isoText } from "./mapping.ts";
import { document, type QueryBuilder, textOf } from "./query-builder.ts";
import type { BookingRow, WaitingListRow } from "./tables.ts";

/** Reads of the waiting list, without locks: for showing, and to know whom to try to serve. */
export interface WaitingListLookups {
  /** Services that somebody waits for, whose window overlaps `during` where it is given. Result: ids. */
  services(during: Interval | null): Statement;
  /** Entries in line for a service, a page behind `after`, in order. Result: {@link LineRow}s. */
  line(filter: { readonly service: string; readonly after: number; readonly limit: number }): Statement;
  /** Offers whose hold is over and which still say otherwise. Result: booking ids. */
  lapsed(limit: number): Statement;
  /** Entries with their offers. Result: {@link EntriesRead}. */
  entries(filter: EntryFilter): Statement;
  /** How many stand before an entry in line whose window overlaps its own; null when it does not stand in line. */
  before(filter: { readonly id: string; readonly customer: string | null }): Statement;
}

export interface EntryFilter {
  readonly id?: string;
  readonly customer?: string;
  readonly service?: string;
  /** Only those in line. */
  readonly inLine: boolean;
  readonly after?: number;
  readonly limit: number;
}

/** A row with its place in line. */
export type LineRow = Omit<WaitingListRow, "number"> & { readonly number: number };

export interface EntriesRead {
  readonly now: string;
  readonly entries: readonly LineRow[];
  readonly offers: readonly BookingRow[];
}

export function waitingListLookups(q: QueryBuilder): WaitingListLookups {
  const { named } = q;
  const list = named("waiting_list");
  const bookings = named("bookings");
  const now = sql`(select ${named("clock")}())`;
  const param = (name: string) => sql`(${document} ->> ${sql.lit(name)})`;
  const names = sql.join([...columns.waiting_list, "number"].map((column) => sql`w.${sql.ref(column)}`));
  const bookingNames = sql.join(columns.bookings.map((column) => sql`b.${sql.ref(column)}`));
  const standing = (alias: string) => sql`${sql.ref(alias)}.state in ('waiting', 'unservable')`;
  const accepted = (alias: string) => sql`exists (select from ${bookings} b
    where b.waitlist_entry_id = ${sql.ref(alias)}.id and b.confirmed_at is not null)`;
  const array = (rows: RawBuilder<unknown>) => sql`(select coalesce(json_agg(x), '[]') from (${rows}) x)`;

  const services = textOf(
    q,
    sql`select coalesce(json_agg(distinct w.service_id), '[]')::text as result from ${list} w where ${standing("w")}
      and (${param("start")} is null or (w.window_from < ${param("end")}::timestamptz and w.window_to > ${param("start")}::timestamptz))`,
  );
  const line = textOf(
    q,
    sql`select ${array(sql`select ${names} from ${list} w
      where w.service_id = ${param("service")} and ${standing("w")} and w.number > ${param("after")}::bigint
      order by w.number limit ${param("limit")}::int`)}::text as result`,
  );
  const lapsed = textOf(
    q,
    sql`select coalesce(json_agg(x.id), '[]')::text as result from (select b.id from ${bookings} b
      where b.waitlist_entry_id is not null and b.state = 'held' and b.hold_expires_at <= ${now}
      order by b.hold_expires_at, b.id limit ${param("limit")}::int) x`,
  );
  const entries = textOf(
    q,
    sql`with found as materialized (select ${names} from ${list} w
      where (${param("id")} is null or w.id = ${param("id")}::uuid)
        and (${param("customer")} is null or w.customer = ${param("customer")})
        and (${param("service")} is null or w.service_id = ${param("service")})
        and (not ${param("inLine")}::boolean or (${standing("w")} and w.window_to > ${now} and not ${accepted("w")}))
        and (${param("after")} is null or w.number > ${param("after")}::bigint)
      order by w.number limit ${param("limit")}::int)
    select json_build_object('now', ${now}, 'entries', ${array(sql`select * from found order by number`)},
      'offers', ${array(sql`select ${bookingNames} from ${bookings} b
        where b.waitlist_entry_id in (select id from found) order by b.created_at, b.id`)})::text as result`,
  );
  // Whoever is being offered a place still stands before those behind; whoever has used an offer does not.
  const before = textOf(
    q,
    sql`select (select count(*) from ${list} o
        where o.service_id = w.service_id and o.number < w.number and ${standing("o")}
          and o.window_from < w.window_to and o.window_to > w.window_from and o.window_to > ${now}
          and not ${accepted("o")})::text as result
      from ${list} w
      where w.id = ${param("id")}::uuid and (${param("customer")} is null or w.customer = ${param("customer")})
        and ${standing("w")} and w.window_to > ${now} and not ${accepted("w")}`,
  );

  const statement = (text: string, values: object): Statement => ({ text, values: [JSON.stringify(values)] });
  return {
    services: (during) =>
      statement(services, during === null ? {} : { start: isoText(during.start), end: isoText(during.end) }),
    line: (filter) => statement(line, filter),
    lapsed: (limit) => statement(lapsed, { limit }),
    entries: (filter) => statement(entries, filter),
    before: (filter) => statement(before, filter),
  };
}
