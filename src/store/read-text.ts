import { type RawBuilder, sql } from "kysely";
import { columns } from "./columns.ts";
import { document, listed, namesOf, type QueryBuilder, rows, textOf } from "./query-builder.ts";
import { isNamed, type NamedBy } from "./wanted-bookings.ts";

/** What a batch asks for; the parts that none of its commands needs are left out of the statement. */
export interface Parts {
  readonly named: readonly NamedBy[];
  readonly existing: boolean;
  readonly customers: boolean;
  readonly requests: boolean;
  readonly windows: boolean;
  readonly money: boolean;
  readonly payments: boolean;
  readonly refunds: boolean;
  readonly entries: boolean;
  readonly waiters: boolean;
}

type Sql = RawBuilder<unknown>;

/** The document, parsed once however many sub-selects look into it. Measured: 16 commands, 0.04 ms each time it is not. */
const input: Sql = sql`(select document from input)`;
const externalKey = "provider text, account text, external_id text";

/**
 * The text of the one statement that reads everything. What several of its answers are made of stands in front and is read once:
 * the bookings that are `named`, the times that are `wanted` of a resource or pool, and those that were `chosen` with their members.
 */
export function readText(q: QueryBuilder, parts: Parts): string {
  const places = parts.existing || parts.windows;
  const first: Sql[] = [sql`input as materialized (select ${document} as document)`];
  if (parts.existing) first.push(sql`named as materialized (${namedBookings(q, parts)})`);
  if (places) {
    first.push(sql`wanted as materialized (${wanted(parts)})`);
    first.push(sql`chosen as materialized (${resources(q, sql`select resource from wanted`)})`);
  }

  const answers: [string, Sql][] = [["bookings", list(bookings(q, parts))]];
  if (places) answers.push(["resources", list(withMembers(q))], ["claims", list(claims(q, parts))]);
  if (parts.money) answers.push(["checkouts", list(checkouts(q, parts))]);
  if (parts.money || parts.payments) answers.push(["payments", list(payments(q, parts))]);
  if (parts.refunds) answers.push(["refunds", list(refunds(q, parts))]);
  if (parts.entries || parts.waiters) answers.push(["entries", list([entries(q, parts, columns.waiting_list)])]);
  // The clock is read last: what was read before is then a superset of what is live at `now`, and the core judges it exactly.
  answers.push(["now", sql`${q.named("clock")}()`]);
  const pairs = answers.map(([name, value]) => sql`${sql.lit(name)}, ${value}`);
  return textOf(q, sql`with ${sql.join(first)} select json_build_object(${sql.join(pairs)})::text as result`);
}

/** The rows of several selects as one array. */
function list(selects: readonly Sql[]): Sql {
  if (selects.length === 0) return sql`'[]'::json`;
  return sql`(select coalesce(json_agg(x), '[]') from (${sql.join(selects, sql` union all `)}) x)`;
}

function namedBookings(q: QueryBuilder, { named }: Parts): Sql {
  return sql`select ${namesOf(columns.bookings, "b")} from ${q.named("bookings")} b where ${isNamed(named, input)}`;
}

function bookings(q: QueryBuilder, parts: Parts): Sql[] {
  const names = namesOf(columns.bookings, "b");
  const selects: Sql[] = [];
  if (parts.existing) selects.push(sql`select * from named`);
  if (parts.customers) {
    // Those that stand: for "the same intention twice", the limit of live holds, and the limit of a day (at most 25 hours long), to which
    // visits that are over count too.
    selects.push(sql`select ${names} from ${q.named("bookings")} b
      where b.customer = ${listed("customers", "text", input)} and b.state in ('pending', 'held', 'confirmed')
        and b.ends_at > (select ${q.named("clock")}() - interval '26 hours')`);
  }
  if (parts.requests) {
    selects.push(sql`select ${names} from ${rows("requests", "customer text, request_id text", input)}
      join ${q.named("bookings")} b on b.customer = r.customer and b.request_id = r.request_id`);
  }
  if (parts.entries || parts.waiters) {
    // Everything that was ever offered to them: what was passed is not offered again, and what was accepted was the entry's turn.
    selects.push(sql`select ${names} from ${q.named("bookings")} b
      where b.waitlist_entry_id in (${entries(q, parts, ["id"])})`);
  }
  if (parts.payments) {
    // The booking that a known charge belongs to, which is another than its payload says when a person has attached it.
    selects.push(sql`select ${names} from ${charges(q)} join ${q.named("bookings")} b on b.id = p.booking_id`);
  }
  return selects;
}

/** Resource (or pool), claimed interval, day: of the bookings, and of those still to be made. */
function wanted(parts: Parts): Sql {
  const windows = sql`select r.resource, r.starts_at, r.ends_at, r.day_starts_at, r.day_ends_at
    from ${rows("windows", "resource text, starts_at timestamptz, ends_at timestamptz, day_starts_at timestamptz, day_ends_at timestamptz", input)}`;
  const ofBookings = sql`select unnest(wanted_ids || resource_ids) as resource, starts_at - buffer_before_ms * interval '1 millisecond' as starts_at,
    ends_at + buffer_after_ms * interval '1 millisecond' as ends_at, day_starts_at, day_ends_at from named`;
  const selects = [...(parts.windows ? [windows] : []), ...(parts.existing ? [ofBookings] : [])];
  return sql.join(selects, sql` union all `);
}

/**
 * An array of the ids, for with a sub-select the planner expects hundreds of rows and scans the table: measured with 10 000 resources,
 * 10 ms instead of 0.1.
 */
function resources(q: QueryBuilder, ids: Sql): Sql {
  return sql`select ${namesOf(columns.resources, "res")} from ${q.named("resources")} res where res.id = any(array(${ids}))`;
}

/** What is wanted or had, and the members of the pools among them. */
function withMembers(q: QueryBuilder): Sql[] {
  return [sql`select * from chosen`, resources(q, sql`select unnest(members) from chosen where kind = 'pool'`)];
}

/** The bookings' own claims, and whatever is live in the times they want. Of a pool's members, the whole day. */
function claims(q: QueryBuilder, { existing }: Parts): Sql[] {
  const names = namesOf(columns.claims, "c");
  // The clock stands in a sub-select, so that the indexes can answer; what lapses between here and `now` is judged by the core. What
  // has not ended, and not what has begun: the clock may have been put back since.
  const live = sql`c.during && tstzrange(w.starts_at, w.ends_at) and c.live && (select tstzrange(${q.named("clock")}(), null))`;
  // Distinct: however many commands of a batch want one slot, it is looked up once.
  const rivals = sql`select c.* from (
      select distinct m.resource,
        case p.kind when 'pool' then least(w.starts_at, w.day_starts_at) else w.starts_at end as starts_at,
        case p.kind when 'pool' then greatest(w.ends_at, w.day_ends_at) else w.ends_at end as ends_at
      from wanted w join chosen p on p.id = w.resource
        cross join lateral unnest(case p.kind when 'pool' then p.members else array[p.id] end) as m(resource)
    ) w cross join lateral (
      select ${names} from ${q.named("claims")} c where c.resource_id = w.resource and c.exclusive and ${live}
      union all
      select ${names} from ${q.named("claims")} c where c.resource_id = w.resource and not c.exclusive and ${live}
    ) c`;
  const own = sql`select ${names} from named join ${q.named("claims")} c on c.booking_id = named.id`;
  return existing ? [rivals, own] : [rivals];
}

/** The payments that the batch's charges are known by. */
function charges(q: QueryBuilder): Sql {
  return sql`${rows("payments", externalKey, input)} join ${q.named("payments")} p
    on p.provider = r.provider and p.account = r.account and p.external_id = r.external_id`;
}

/** The query's own stored decision, and the approvals of the bookings. */
function checkouts(q: QueryBuilder, { existing }: Parts): Sql[] {
  const names = namesOf(columns.checkouts, "c");
  const same = sql`select ${names} from ${rows("checkouts", externalKey, input)} join ${q.named("checkouts")} c
    on c.provider = r.provider and c.account = r.account and c.external_id = r.external_id`;
  const approved = sql`select ${names} from named join ${q.named("checkouts")} c
    on c.booking_id = named.id and c.decision = 'approved'`;
  return existing ? [same, approved] : [same];
}

/** The payments that bought the bookings, the charge itself if it is known, and those asked for by id. */
function payments(q: QueryBuilder, parts: Parts): Sql[] {
  const names = namesOf(columns.payments, "p");
  const booked = sql`select ${names} from named join ${q.named("payments")} p
    on p.booking_id = named.id and p.disposition = 'booked'`;
  const same = sql`select ${names} from ${charges(q)}`;
  const byId = sql`select ${names} from ${q.named("payments")} p where p.id = ${listed("paymentIds", "uuid", input)}`;
  return [...(parts.existing ? [booked] : []), ...(parts.payments ? [same, byId] : [])];
}

function refunds(q: QueryBuilder, { existing }: Parts): Sql[] {
  const names = namesOf(columns.refunds, "f");
  const table = q.named("refunds");
  const byId = sql`select ${names} from ${table} f where f.id = ${listed("refundIds", "uuid", input)}`;
  const ofPayments = sql`select ${names} from ${charges(q)} join ${table} f on f.payment_id = p.id`;
  // What was returned already of what bought the bookings: a cancellation returns the rest at most.
  const ofBookings = sql`select ${names} from named join ${q.named("payments")} p on p.booking_id = named.id
    join ${table} f on f.payment_id = p.id`;
  return [byId, ofPayments, ...(existing ? [ofBookings] : [])];
}

function entries(q: QueryBuilder, parts: Parts, names: readonly string[]): Sql {
  const byId = sql`e.id = ${listed("entryIds", "uuid", input)}`;
  const ofWaiters = sql`(e.customer = any(array(select r.customer from ${rows("waiters", "customer text", input)}))
    and (e.state in ('waiting', 'unservable') or (e.customer, e.request_id) in
      (select r.customer, r.request_id from ${rows("waiters", "customer text, request_id text", input)})))`;
  const conditions = [...(parts.entries ? [byId] : []), ...(parts.waiters ? [ofWaiters] : [])];
  return sql`select ${namesOf(names, "e")} from ${q.named("waiting_list")} e where ${sql.join(conditions, sql` or `)}`;
}
