import { z } from "zod";
import { checkAnchor, isCalendarError } from "../calendar/index.ts";
import type { Anchor, Booking } from "../core/model.ts";
import { stateAt } from "../core/states.ts";
import { toBooking, instant as toInstant } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import type { BookingRow } from "../store/tables.ts";
import { identifier, parseInput } from "./input.ts";
import type { Patience } from "./patience.ts";
import { type Move, type MoveOutcome, moveTogether, readBooking } from "./reschedule.ts";
import type { Runner } from "./runner.ts";
import type { ServiceSource } from "./services.ts";

/** What `reanchor` takes. */
export interface ReanchorInput {
  /** Who moves the bookings, for the history. */
  readonly actor: string;
  /** Only tell; move nothing. Default true: nothing is moved silently. */
  readonly dryRun?: boolean;
  /** The version of the zone data to compare with. Default: this process's, `process.versions.tz`. */
  readonly zoneData?: string;
}

/** A booking whose agreed wall time is now at another instant. */
export interface Reanchored {
  readonly bookingId: string;
  readonly customer: string;
  /** "2027-03-01 10:00 Asia/Almaty": what was agreed, and stays. */
  readonly agreed: string;
  readonly from: Date;
  readonly to: Date;
  /**
   * - `found`: a dry run. `moved`: done; its history, reminders and events say so.
   * - `conflict`: somebody else has the new time, or it has begun: it is as it was, and a person must decide. `refused` has the reason.
   *   Notice, opening hours and limits are no reason: they were judged when the time was agreed. A group session moves as one or not
   *   at all.
   * - `skipped`: the clocks now skip the wall time; a person must decide.
   * - `unreadable`: this process cannot say where it is now (its zone data may be older than the booking's): `refused` tells why, `to` is
   *   where it stays. Ask in one that can.
   */
  readonly outcome: "found" | "moved" | "conflict" | "skipped" | "unreadable";
  readonly refused: string | null;
}

const schema = z.strictObject({
  actor: identifier,
  dryRun: z.boolean().default(true),
  zoneData: identifier.optional(),
});

/** Finds the bookings to come whose zone has other rules now than when they were made, and keeps their wall time (B15). */
export async function reanchor(
  runner: Runner,
  store: Store,
  services: ServiceSource,
  input: ReanchorInput,
  options: Patience = {},
): Promise<readonly Reanchored[]> {
  const { actor, dryRun, zoneData = process.versions["tz"] ?? "unknown" } = parseInput("reanchor", schema, input);
  const affected: Affected[] = [];
  let after: string | null = null;
  for (;;) {
    const page: { now: string; rows: BookingRow[] } = await runner.read(
      store.lookups.anchored({ zoneData, after }),
      options,
    );
    for (const booking of page.rows.map(toBooking)) {
      after = booking.id;
      if (stateAt(booking, toInstant(page.now)) === "expired") continue;
      const found = check(booking);
      if (found !== null) affected.push(found);
    }
    if (page.rows.length === 0) break;
  }
  if (dryRun) return affected.map(({ found }) => found);
  const moved: Reanchored[] = [];
  for (const group of groupsOf(affected))
    moved.push(...(await moveGroup(runner, store, services, group, actor, options)));
  return moved;
}

interface Affected {
  readonly booking: Booking;
  readonly anchor: Anchor;
  readonly found: Reanchored;
}

function check(booking: Booking): Affected | null {
  const { anchor } = booking;
  if (anchor === null) return null;
  const { date, time, zone } = anchor;
  const from = new Date(booking.interval.start);
  const now = whereNow(anchor, from);
  if (now === null) return null;
  const found = { bookingId: booking.id, customer: booking.customer, agreed: `${date} ${time} ${zone}`, from, ...now };
  return { booking, anchor, found };
}

/** Null: where it was. */
function whereNow({ date, time, zone }: Anchor, from: Date): Pick<Reanchored, "to" | "outcome" | "refused"> | null {
  try {
    const checked = checkAnchor({ date, time, zone, instant: from });
    if (checked.outcome === "same") return null;
    return { to: checked.instant, outcome: checked.outcome === "skipped" ? "skipped" : "found", refused: null };
  } catch (error) {
    if (!isCalendarError(error)) throw error;
    return { to: from, outcome: "unreadable", refused: error.problems.map(({ message }) => message).join("; ") };
  }
}

/**
 * Those of one group session move together, everybody else alone. A full day moves as a row of people does: who stands at its head in the
 * direction of the move steps first.
 */
function groupsOf(affected: readonly Affected[]): (readonly Affected[])[] {
  const bySession = Map.groupBy(affected, ({ booking }) => booking.session?.id ?? booking.id);
  return [...bySession.values()].sort(([left], [right]) =>
    left === undefined || right === undefined ? 0 : outOfTheWay(left.found, right.found),
  );
}

function outOfTheWay(left: Reanchored, right: Reanchored): number {
  const later = left.to > left.from;
  if (later !== right.to > right.from) return later ? -1 : 1;
  return (left.to.getTime() - right.to.getTime()) * (later ? -1 : 1);
}

async function moveGroup(
  runner: Runner,
  store: Store,
  services: ServiceSource,
  group: readonly Affected[],
  actor: string,
  options: Patience,
): Promise<readonly Reanchored[]> {
  const moving = group.filter(({ found }) => found.outcome === "found");
  const staying = group.filter(({ found }) => found.outcome !== "found").map(({ found }) => found);
  if (moving.length === 0) return staying;
  const moves = moving.map((one) => ({ booking: one.booking, move: moveOf(one, actor) }));
  const outcomes = await moveTogether(runner, services, moves, options);
  if (outcomes.every(({ outcome }) => outcome !== "stale")) {
    return [...staying, ...moving.map(({ found }, index) => told(found, outcomes[index]))];
  }
  // One has changed since it was found: by its customer, perhaps to a time that needs nothing of us.
  const again: Affected[] = [];
  for (const { booking } of moving) {
    const changed = await readBooking(runner, store, booking.id, options);
    const found = changed === null ? null : check(changed);
    if (found !== null) again.push(found);
  }
  const others: Reanchored[] = [];
  for (const one of groupsOf(again)) others.push(...(await moveGroup(runner, store, services, one, actor, options)));
  return [...staying, ...others];
}

function moveOf({ booking: { interval, wants }, anchor, found }: Affected, actor: string): Move {
  const start = found.to.getTime();
  return {
    customer: null,
    actor,
    interval: { start, end: start + interval.end - interval.start },
    wants,
    price: undefined,
    agreed: { ...anchor, zoneData: process.versions["tz"] ?? "unknown" },
  };
}

function told(found: Reanchored, outcome: MoveOutcome | undefined): Reanchored {
  return outcome?.outcome === "refused"
    ? { ...found, outcome: "conflict", refused: outcome.reason }
    : { ...found, outcome: "moved" };
}
