import { type Expression, sql } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { Interval } from "../core/time.ts";
import type { Statement } from "../database/port.ts";
import { columns } from "./columns.ts";
import { isoText } from "./mapping.ts";
import { constants, document, type QueryBuilder, rowsOf, textOf } from "./query-builder.ts";
import type { PaymentRow, RefundRow } from "./tables.ts";

/** Fast reads without locks: they may be stale the moment they arrive, and nothing is decided on them (B1). */
export interface Lookups {
  resources(): Statement;
  /** One service, or all. */
  services(id?: string): Statement;
  bookings(filter: BookingFilter): Statement;
  /** Bookings to come whose instant was made by other zone data than these, a page after `after`. */
  anchored(filter: { readonly zoneData: string; readonly after: string | null }): Statement;
  /** Bookings whose hold or payable time is over and which still say otherwise. */
  lapsed(limit: number): Statement;
  busy(filter: Interval & { readonly resources: readonly string[] }): Statement;
  /** The claims on a resource that covered a moment, as they counted at an instant: now, or any instant before (B11). */
  holders(filter: { readonly resource: string; readonly at: number; readonly asOf: number | null }): Statement;
  history(bookingId: string): Statement;
  payments(filter: PaymentFilter): Statement;
  refunds(filter: RefundFilter): Statement;
  totals(filter: { readonly provider: string; readonly account: string }): Statement;
  parkedEvents(): Statement;
}

export interface BookingFilter {
  readonly id?: string;
  readonly token?: string;
  readonly customer?: string;
}

export interface RefundFilter {
  readonly id?: string;
  readonly paymentId?: string;
  readonly state?: RefundRow["state"];
}

export interface PaymentFilter {
  readonly chargeId?: string;
  readonly bookingId?: string;
  readonly id?: string;
  readonly review?: PaymentRow["review"];
}

const page = sql.lit(100);

export function lookups(q: QueryBuilder): Lookups {
  const { db, named } = q;
  const now = sql<string>`(select ${named("clock")}())`;
  const text = (name: string) => sql<string>`(${document} ->> ${sql.lit(name)})`;
  const uuid = (name: string) => sql<string>`(${document} ->> ${sql.lit(name)})::uuid`;
  const at = (name: string) => sql<string>`(${document} ->> ${sql.lit(name)})::timestamptz`;
  const answer = (result: Expression<unknown>, values?: object): Statement => {
    const statement = textOf(q, sql`select ${result}::text as result`);
    return {
      text: statement,
      values: values === undefined || !statement.includes("$1") ? [] : [JSON.stringify(values)],
    };
  };
  const withNow = (rows: Expression<unknown>) => sql`json_build_object('now', ${now}, 'rows', ${rows})`;

  return {
    resources: () => answer(jsonArrayFrom(db.selectFrom("resources").select(columns.resources).orderBy("id"))),

    services: (id) => {
      const query = db.selectFrom("services").select(["id", "name", "active", "definition"]).orderBy("id");
      return answer(jsonArrayFrom(id === undefined ? query : query.where("id", "=", text("id"))), { id });
    },

    bookings(filter) {
      let query = db.selectFrom("bookings").select(columns.bookings).orderBy("starts_at").orderBy("id").limit(page);
      if (filter.id !== undefined) query = query.where("id", "=", uuid("id"));
      if (filter.token !== undefined) query = query.where("token", "=", text("token"));
      if (filter.customer !== undefined)
        query = query.where("customer", "=", text("customer")).where("ends_at", ">", now);
      return answer(withNow(jsonArrayFrom(query)), filter);
    },

    anchored: ({ zoneData, after }) =>
      answer(
        withNow(
          jsonArrayFrom(
            db
              .selectFrom("bookings")
              .select(columns.bookings)
              .where("state", "in", constants("pending", "held", "confirmed"))
              .where("zone", "is not", null)
              .where("starts_at", ">", now)
              .where("zone_data", "!=", text("zoneData"))
              .where(sql<boolean>`(${text("after")} is null or id > ${uuid("after")})`)
              .orderBy("id")
              .limit(page),
          ),
        ),
        { zoneData, after },
      ),

    lapsed: (limit) =>
      answer(
        jsonArrayFrom(
          db
            .selectFrom("bookings")
            .select("id")
            .where("state", "in", constants("held", "pending"))
            .where(sql<string>`coalesce(hold_expires_at, payable_until)`, "<=", now)
            .orderBy(sql`coalesce(hold_expires_at, payable_until)`)
            .limit(sql.lit(limit)),
        ),
      ),

    busy: ({ resources, start, end }) =>
      answer(
        jsonArrayFrom(
          db
            .selectFrom(rowsOf<{ resource: string }>("windows", "resource text"))
            // One resource at a time, which `offset` keeps so: for a list of them the planner reads the whole house's week.
            .innerJoinLateral(
              (eb) =>
                eb
                  .selectFrom("claims")
                  .innerJoin("bookings", "bookings.id", "claims.booking_id")
                  .select(["claims.resource_id", "claims.starts_at", "claims.ends_at", "bookings.customer"])
                  .whereRef("claims.resource_id", "=", "r.resource")
                  .where(sql<boolean>`claims.exclusive`)
                  .where(sql<boolean>`claims.during && tstzrange(${at("start")}, ${at("end")})`)
                  .where(sql<boolean>`claims.live && (select tstzrange(${named("clock")}(), null))`)
                  .offset(sql.lit(0))
                  .as("taken"),
              (join) => join.onTrue(),
            )
            .select(["taken.resource_id", "taken.starts_at", "taken.ends_at", "taken.customer"])
            .orderBy("taken.starts_at"),
        ),
        {
          windows: [...new Set(resources)].map((resource) => ({ resource })),
          start: isoText(start),
          end: isoText(end),
        },
      ),

    holders: ({ resource, at: moment, asOf }) =>
      answer(
        jsonArrayFrom(
          db
            .selectFrom("claims")
            .innerJoin("bookings", "bookings.id", "claims.booking_id")
            .select([
              "claims.booking_id",
              "claims.quantity",
              "claims.starts_at",
              "claims.ends_at",
              "claims.live_from",
              "claims.live_until",
              "bookings.customer",
            ])
            .where("claims.resource_id", "=", text("resource"))
            .where(sql<boolean>`claims.during @> ${at("moment")}`)
            .where(sql<boolean>`claims.live @> coalesce(${at("asOf")}, ${now})`)
            .orderBy("claims.live_from"),
        ),
        { resource, moment: isoText(moment), asOf: asOf === null ? null : isoText(asOf) },
      ),

    history: (bookingId) =>
      answer(
        jsonArrayFrom(
          db
            .selectFrom("events")
            .select(["id", ...columns.events])
            .where("booking_id", "=", uuid("bookingId"))
            .orderBy("id"),
        ),
        { bookingId },
      ),

    payments(filter) {
      let query = db.selectFrom("payments").select(columns.payments).orderBy("received_at").orderBy("id").limit(page);
      if (filter.id !== undefined) query = query.where("id", "=", uuid("id"));
      if (filter.chargeId !== undefined) query = query.where("external_id", "=", text("chargeId"));
      if (filter.bookingId !== undefined) query = query.where("booking_id", "=", uuid("bookingId"));
      if (filter.review !== undefined) query = query.where("review", "=", sql.lit(filter.review));
      return answer(jsonArrayFrom(query), filter);
    },

    refunds({ id, paymentId, state }) {
      let query = db.selectFrom("refunds").select(columns.refunds).orderBy("requested_at").orderBy("id").limit(page);
      if (id !== undefined) query = query.where("id", "=", uuid("id"));
      else if (paymentId !== undefined) query = query.where("payment_id", "=", uuid("paymentId"));
      else if (state !== undefined) query = query.where("state", "=", sql.lit(state));
      else query = query.where("state", "!=", sql.lit("completed"));
      return answer(jsonArrayFrom(query), { id, paymentId });
    },

    totals: (filter) =>
      answer(
        sql`(select coalesce(json_agg(t), '[]') from (
          select p.currency, count(*) as charges, sum(p.amount) as charged,
            coalesce(sum(r.refunds), 0) as refunds, coalesce(sum(r.returned), 0) as returned
          from ${named("payments")} p cross join lateral (
            select count(*) as refunds, sum(f.amount) as returned
            from ${named("refunds")} f where f.payment_id = p.id and f.state = 'completed') r
          where p.provider = ${text("provider")} and p.account = ${text("account")}
          group by p.currency order by p.currency) t)`,
        filter,
      ),

    parkedEvents: () =>
      answer(
        jsonArrayFrom(
          db
            .selectFrom("events")
            .select(["id", ...columns.events, sql<string>`last_error`.as("last_error")])
            .where(sql<boolean>`parked_at is not null`)
            .orderBy("id")
            .limit(page),
        ),
      ),
  };
}
