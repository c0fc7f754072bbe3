import { z } from "zod";
import { checkAnchor } from "../calendar/index.ts";
import type { Anchor, Booking } from "../core/model.ts";
import { stateAt } from "../core/states.ts";
import { toBooking, instant as toInstant } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import type { BookingRow } from "../store/tables.ts";
import { type CallOptions, identifier, parseInput } from "./input.ts";
import { type RescheduleOutcome, reschedule } from "./reschedule.ts";
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
   * - `conflict`: somebody else has the new time, or it is not open; a person must decide. `refused` has the reason.
   * - `skipped`: the clocks now skip the wall time; a person must decide.
   */
  readonly outcome: "found" | "moved" | "conflict" | "skipped";
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
  options: CallOptions = {},
): Promise<readonly Reanchored[]> {
  const { actor, dryRun, zoneData = process.versions["tz"] ?? "unknown" } = parseInput("reanchor", schema, input);
  const affected: Reanchored[] = [];
  let after: string | null = null;
  for (;;) {
    const page: { now: string; rows: BookingRow[] } = await runner.read(
      store.lookups.anchored({ zoneData, after }),
      options,
    );
    for (const booking of page.rows.map(toBooking)) {
      after = booking.id;
      if (booking.anchor === null || stateAt(booking, toInstant(page.now)) === "expired") continue;
      const found = check(booking, booking.anchor);
      if (found === null) continue;
      if (dryRun || found.outcome === "skipped") affected.push(found);
      else affected.push(await move(runner, store, services, found, actor, options));
    }
    if (page.rows.length === 0) return affected;
  }
}

function check(booking: Booking, anchor: Anchor): Reanchored | null {
  const { date, time, zone } = anchor;
  const checked = checkAnchor({ date, time, zone, instant: booking.interval.start });
  if (checked.outcome === "same") return null;
  return {
    bookingId: booking.id,
    customer: booking.customer,
    agreed: `${date} ${time} ${zone}`,
    from: new Date(booking.interval.start),
    to: checked.instant,
    outcome: checked.outcome === "skipped" ? "skipped" : "found",
    refused: null,
  };
}

async function move(
  runner: Runner,
  store: Store,
  services: ServiceSource,
  found: Reanchored,
  actor: string,
  options: CallOptions,
): Promise<Reanchored> {
  const asked = { bookingId: found.bookingId, administrator: actor, start: found.to };
  const outcome: RescheduleOutcome = await reschedule(runner, store, services, asked, options);
  return outcome.outcome === "refused"
    ? { ...found, outcome: "conflict", refused: outcome.reason }
    : { ...found, outcome: "moved" };
}
