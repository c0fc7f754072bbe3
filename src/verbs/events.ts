import { randomUUID } from "node:crypto";
import { z } from "zod";
import { BookonceError } from "../core/error.ts";
import type { EventType } from "../core/model.ts";
import type { Engine } from "../engine/engine.ts";
import { instant, toBooking, toRecord } from "../store/mapping.ts";
import { type ReminderStatements, reminderStatements } from "../store/reminders.ts";
import type { Store } from "../store/store.ts";
import type { BookingRow, EventRow } from "../store/tables.ts";
import { aFunction, signal as signalSchema } from "./call-options.ts";
import { parseInput, patienceMs, storableText, times } from "./input.ts";
import { read } from "./reader.ts";
import { type BookingView, viewBooking } from "./views.ts";

/** Something that happened, on its way to whoever must be told. */
export interface BookonceEvent {
  /** Grows; the same event has the same id however often it is delivered. */
  readonly id: number;
  readonly type: EventType;
  readonly at: Date;
  readonly actor: string;
  /** The booking's version when it happened: compare it with `booking.version` before telling old news. */
  readonly version: number | null;
  readonly bookingId: string | null;
  /** The booking as it is at delivery. */
  readonly booking: BookingView | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export type EventHandler = (event: BookonceEvent, options: { readonly signal: AbortSignal }) => Promise<void>;

export interface EventRunOptions {
  /** Events in one run at most. Default 100. */
  readonly limit?: number;
  /** How long one delivery may take, in milliseconds, before another worker may take the event over. Default 30 000. */
  readonly leaseMs?: number;
  /** Failed deliveries after which an event is parked for a person. Default 12. */
  readonly parkAfter?: number;
  readonly signal?: AbortSignal;
}

/** What a run did. */
export interface EventRunReport {
  readonly delivered: number;
  readonly failed: number;
  readonly parked: number;
  /** Reminders whose booking was cancelled or moved, or whose customer has opted out, since they were written. */
  readonly dropped: number;
}

/** The outbox of notifications: at least once, in order per booking, with back-off, parked when poisonous (B14). */
export interface Events {
  /**
   * Delivers what is due, one event at a time. A handler that rejects is tried again later; the booking's later events wait for it.
   * Run it in a loop in any number of processes.
   */
  run(handler: EventHandler, options?: EventRunOptions): Promise<EventRunReport>;
  /** Events that were given up, 100 at most, with their last error. */
  parked(): Promise<readonly ParkedEvent[]>;
  /** Delivers an event again. @throws BookonceError `invalid_input` when there is none with this id. */
  replay(eventId: number): Promise<void>;
}

export interface ParkedEvent {
  readonly id: number;
  readonly type: EventType;
  readonly bookingId: string | null;
  readonly at: Date;
  readonly lastError: string | null;
}

type StoredEvent = Omit<EventRow, "id"> & { readonly id: number; readonly last_error: string | null };

export function events(engine: Engine, store: Store): Events {
  return {
    run: (handler, options = {}) => run(engine, store, handler, options),
    async parked() {
      const rows = await read<StoredEvent[]>(engine, store.lookups.parkedEvents());
      return rows.map((row) => ({
        id: row.id,
        type: row.type as EventType,
        bookingId: row.booking_id,
        at: new Date(row.at),
        lastError: row.last_error,
      }));
    },
    async replay(eventId) {
      const id = parseInput("events.replay", z.number().int().positive(), eventId);
      const replayed = await read<number>(engine, store.outbox.replay(id));
      if (replayed === 0) throw new BookonceError("invalid_input", `events.replay: there is no event ${id}`);
    },
  };
}

interface Leased {
  readonly now: string;
  readonly event: StoredEvent;
  readonly booking: BookingRow | null;
}

const runSchema = z.strictObject({
  limit: times.default(100),
  leaseMs: patienceMs.default(30_000),
  parkAfter: times.default(12),
  signal: signalSchema.optional(),
});

async function run(
  engine: Engine,
  store: Store,
  handler: EventHandler,
  options: EventRunOptions,
): Promise<EventRunReport> {
  const { limit, leaseMs, parkAfter, signal } = parseInput("events.run", runSchema, options);
  // Found out now: called, it would fail every event until all are parked.
  parseInput("events.run: handler", aFunction<EventHandler>(), handler);
  const report = { delivered: 0, failed: 0, parked: 0, dropped: 0 };
  const reminders = reminderStatements(store.queries);
  for (let taken = 0; taken < limit && signal?.aborted !== true; taken += 1) {
    const token = randomUUID();
    const [leased] = await read<Leased[]>(engine, store.outbox.leaseEvents({ token, limit: 1, leaseMs }));
    if (leased === undefined) break;
    const id = leased.event.id;
    if (await isStale(engine, reminders, leased.event)) {
      await read<number>(engine, store.outbox.delivered({ id, token }));
      report.dropped += 1;
      continue;
    }
    const deadline = AbortSignal.timeout(leaseMs);
    try {
      await handler(view(leased), { signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]) });
      // None when the lease was lost meanwhile: then another worker's delivery counts.
      report.delivered += await read<number>(engine, store.outbox.delivered({ id, token }));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const parked = await read<number>(
        engine,
        store.outbox.failed({ id, token, error: storableText(message), parkAfter }),
      );
      report.failed += 1;
      report.parked += parked;
    }
  }
  return report;
}

/** Asked again at the last moment: a worker may have held the reminder while the booking was cancelled or moved (R61). */
async function isStale(engine: Engine, reminders: ReminderStatements, event: StoredEvent): Promise<boolean> {
  if (event.type !== "reminder_due" || event.booking_id === null || event.version === null) return false;
  const kind = String(toRecord(event.data)["kind"]);
  const reminder = { bookingId: event.booking_id, version: event.version, kind };
  return !(await read<boolean>(engine, reminders.wanted(reminder)));
}

function view({ now, event, booking }: Leased): BookonceEvent {
  return {
    id: event.id,
    type: event.type as EventType,
    at: new Date(event.at),
    actor: event.actor,
    version: event.version,
    bookingId: event.booking_id,
    booking: booking === null ? null : viewBooking(toBooking(booking), instant(now)),
    data: toRecord(event.data),
  };
}
