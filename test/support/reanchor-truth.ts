import type { Reanchored } from "bookonce";
import type { SteppedDatabase } from "./schedule-clock.ts";

// What reanchor may answer, found without it: where a wall time lies now is asked of PostgreSQL's own zone data, and who is in the way
// of a booking is read from the claims as they were and as they are.

/** A booking as it stands, and the instant at which its wall time lies now. */
export interface Standing {
  readonly id: string;
  readonly customer: string;
  readonly agreed: string;
  readonly starts: number;
  readonly ends: number;
  readonly to: number;
  /** The clocks skip the wall time. */
  readonly skipped: boolean;
  /** Its instant is not where its wall time is, and it is to come. */
  readonly affected: boolean;
  readonly session: string | null;
  readonly capacity: number | null;
  readonly before: number;
  readonly after: number;
  readonly wants: readonly string[];
  readonly quantities: readonly number[];
  readonly resources: readonly string[];
  readonly zoneData: string;
  readonly version: number;
  /** How many live claims it has. */
  readonly claims: number;
  /** All that a move leaves as it is. */
  readonly kept: string;
  /** The whole row and its claims. */
  readonly row: string;
}

export async function standingOf(db: SteppedDatabase): Promise<Map<string, Standing>> {
  const ms = (text: string) => `(extract(epoch from ${text}) * 1000)::float8`;
  const text = `select b.id::text, customer, wall_date || ' ' || wall_time || ' ' || zone as agreed, ${ms("starts_at")} as starts, ${ms("ends_at")} as ends,
       ${ms("wall at time zone zone")} as to, (wall at time zone zone) at time zone zone <> wall as skipped,
       zone_data = '2000a' and starts_at at time zone zone <> wall and starts_at > @.clock() as affected,
       session_id as session, session_capacity as capacity, buffer_before_ms::float8 as before, buffer_after_ms::float8 as after,
       wanted_ids as wants, quantities, resource_ids as resources, zone_data as "zoneData", version,
       (select count(*)::int from @.claims c where c.booking_id = b.id and (c.live_until is null or c.live_until > @.clock())) as claims,
       concat_ws(' ', customer, state, price_amount, hold_expires_at, payable_until, wall, zone, service_id, wanted_ids, quantities,
         buffer_before_ms, buffer_after_ms, ends_at - starts_at, token) as kept,
       b::text || array(select c::text from @.claims c where c.booking_id = b.id order by c.number)::text as row
     from @.bookings b, lateral (select wall_date + wall_time::time as wall) w
     where state = 'confirmed' or state = 'held' and hold_expires_at > @.clock() or state = 'pending' and payable_until > @.clock()`;
  const { rows } = await db.pool.query<Standing>({ name: "standing", text: text.replaceAll("@.", `${db.schema}.`) });
  return new Map(rows.map((row) => [row.id, row]));
}

export type Standings = ReadonlyMap<string, Standing>;

/** Null: it was moved to where its wall time is, and nothing else about it has changed; or what is wrong. */
export function wronglyMoved(was: Standing, is: Standing | undefined): string | null {
  if (is === undefined) return "lost";
  if (is.starts !== was.to) return "not where its wall time is";
  if (is.kept !== was.kept || is.version !== was.version + 1) return "something else has changed";
  return is.zoneData === process.versions["tz"] ? null : "still of the old zone data";
}

/**
 * Whether there is such a reason. A full day moves as a row of people does, so who is in the way of an exclusive resource still is when
 * all have moved. Elsewhere the others may have moved before it or after it: whoever is in the way was there, or is.
 */
export function isTrueOf(conflict: Reanchored, was: Standings, is: Standings, pools: Pools, now: number): boolean {
  const booking = was.get(conflict.bookingId);
  if (booking === undefined) return false;
  if (conflict.refused === "in_past") return booking.to <= now;
  const together = [...was.values()].filter(
    (one) =>
      one.id === booking.id ||
      (one.affected && !one.skipped && one.session !== null && one.session === booking.session),
  );
  const others = [...was.values(), ...is.values()].filter(({ id }) => together.every((one) => one.id !== id));
  const want = together.reduce((sum, { quantities }) => sum + (quantities[0] ?? 0), 0);
  switch (conflict.refused) {
    case "slot_taken":
      return booking.wants.some((id) =>
        others.some((other) => is.get(other.id) === other && isInTheWay(other, booking, id)),
      );
    case "pool_full":
      return booking.wants.some((id) =>
        pools.get(id)?.every((member) => others.some((other) => isInTheWay(other, booking, member))),
      );
    case "no_capacity": {
      const joined = others.filter((other) =>
        booking.session === null ? isInTheWay(other, booking, "hall") : other.session === sessionAt(booking),
      );
      // Counted once, where it is or where it was.
      const seats = new Map(joined.map(({ id, quantities }) => [id, quantities[0] ?? 0]));
      return [...seats.values()].reduce((sum, taken) => sum + taken, want) > (booking.capacity ?? 3);
    }
    default:
      return false;
  }
}

export type Pools = ReadonlyMap<string, readonly string[]>;

const sessionAt = ({ session, starts, to }: Standing): string | undefined => session?.replace(`/${starts}/`, `/${to}/`);

function isInTheWay(other: Standing, booking: Standing, resource: string): boolean {
  const from = booking.to - booking.before;
  const until = booking.to + booking.ends - booking.starts + booking.after;
  // What is not claimed yet is in nobody's way.
  const meets = other.claims > 0 && other.starts - other.before < until && from < other.ends + other.after;
  const sameSession = other.session !== null && other.session === sessionAt(booking);
  return meets && !sameSession && other.resources.includes(resource);
}
