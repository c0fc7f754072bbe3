import { z } from "zod";
import type { EventType } from "../core/model.ts";
import type { Engine } from "../engine/engine.ts";
import { toBooking, instant as toInstant, toRecord } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import type { BookingRow, ClaimRow, EventRow } from "../store/tables.ts";
import { identifier, instant, parseInput, text, uuid } from "./input.ts";
import { read } from "./reader.ts";
import { type BookingView, viewBooking } from "./views.ts";

/** Reads of bookings: fast, without locks, and perhaps stale the moment they arrive (B1). */
export interface Bookings {
  /** The booking with this id, or null. */
  get(bookingId: string): Promise<BookingView | null>;
  /** The booking with this invoice payload, or null. */
  byPayload(payload: string): Promise<BookingView | null>;
  /** A customer's bookings that have not ended, by start, 100 at most, those that are over included. */
  ofCustomer(customer: string): Promise<readonly BookingView[]>;
  /** When the resources are taken within a window: confirmed bookings and live holds. For showing; claiming checks again. */
  busy(window: BusyWindow): Promise<readonly BusyInterval[]>;
  /**
   * Who has (or, with `asOf`, who had at that instant) the resource at a moment, buffers included: "who held 15:00 at 14:03?" is
   * `{ resource, at: fifteen, asOf: fourteenOhThree }` (B11). For administrators: it names customers.
   */
  holders(query: HoldersQuery): Promise<readonly Holder[]>;
  /** Everything that happened to a booking, in order: who, what, when (B11). */
  history(bookingId: string): Promise<readonly HistoryEntry[]>;
}

export interface HoldersQuery {
  readonly resource: string;
  readonly at: Date | string;
  readonly asOf?: Date | string;
}

/** A claim on a resource, and whose it is. */
export interface Holder {
  readonly bookingId: string;
  readonly customer: string;
  readonly quantity: number;
  /** What is claimed, buffers included. */
  readonly start: Date;
  readonly end: Date;
  readonly since: Date;
  /** When the claim ends or ended; null: a confirmed booking's, without end. */
  readonly until: Date | null;
}

export interface BusyWindow {
  readonly resources: readonly string[];
  readonly from: Date | string;
  readonly to: Date | string;
  /** Whose own bookings and holds are marked as theirs. */
  readonly customer?: string;
}

export interface BusyInterval {
  readonly resource: string;
  readonly start: Date;
  readonly end: Date;
  /** Taken by the customer who asks. Nothing else is said about whose it is. */
  readonly own: boolean;
}

/** One entry of a booking's history. */
export interface HistoryEntry {
  readonly id: number;
  readonly type: EventType;
  readonly at: Date;
  readonly actor: string;
  readonly version: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

interface BookingRows {
  readonly now: string;
  readonly rows: readonly BookingRow[];
}

const busySchema = z
  .strictObject({
    resources: z.array(identifier).min(1).max(100),
    from: instant,
    to: instant,
    customer: identifier.optional(),
  })
  .refine((window) => window.from < window.to, { path: ["to"], message: "must be after from" });

const holdersSchema = z.strictObject({ resource: identifier, at: instant, asOf: instant.optional() });

type HolderRow = Omit<ClaimRow, "number" | "resource_id"> & { readonly customer: string };

export function bookings(engine: Engine, store: Store): Bookings {
  const views = async (statement: Parameters<typeof read>[1]): Promise<BookingView[]> => {
    const { now, rows } = await read<BookingRows>(engine, statement);
    return rows.map((row) => viewBooking(toBooking(row), toInstant(now)));
  };
  return {
    async get(bookingId) {
      const id = parseInput("bookings.get", uuid, bookingId);
      const [booking = null] = await views(store.lookups.bookings({ id }));
      return booking;
    },
    async byPayload(payload) {
      const token = parseInput("bookings.byPayload", text(256), payload);
      const [booking = null] = await views(store.lookups.bookings({ token }));
      return booking;
    },
    async ofCustomer(customer) {
      return views(store.lookups.bookings({ customer: parseInput("bookings.ofCustomer", identifier, customer) }));
    },
    async busy(window) {
      const { resources, from, to, customer } = parseInput("bookings.busy", busySchema, window);
      const rows = await read<{ resource_id: string; starts_at: string; ends_at: string; customer: string }[]>(
        engine,
        store.lookups.busy({ resources, start: from, end: to }),
      );
      return rows.map((row) => ({
        resource: row.resource_id,
        start: new Date(row.starts_at),
        end: new Date(row.ends_at),
        own: row.customer === customer,
      }));
    },
    async holders(query) {
      const { resource, at, asOf = null } = parseInput("bookings.holders", holdersSchema, query);
      const rows = await read<HolderRow[]>(engine, store.lookups.holders({ resource, at, asOf }));
      return rows.map((row) => ({
        bookingId: row.booking_id,
        customer: row.customer,
        quantity: row.quantity,
        start: new Date(row.starts_at),
        end: new Date(row.ends_at),
        since: new Date(row.live_from),
        until: row.live_until === null ? null : new Date(row.live_until),
      }));
    },
    async history(bookingId) {
      const id = parseInput("bookings.history", uuid, bookingId);
      const rows = await read<(Omit<EventRow, "id"> & { id: number })[]>(engine, store.lookups.history(id));
      return rows.map((row) => ({
        id: row.id,
        // Written by us, from an EventType.
        type: row.type as EventType,
        at: new Date(row.at),
        actor: row.actor,
        version: row.version,
        data: toRecord(row.data),
      }));
    },
  };
}
