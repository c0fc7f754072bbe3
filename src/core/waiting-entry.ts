import type { Booking, NewEvent, Want } from "./model.ts";
import { stateAt } from "./states.ts";
import type { Instant, Interval } from "./time.ts";

/** Somebody who waits for a service in a window of time (B12). Its place in the line is the database's own counter. */
export interface WaitingEntry {
  readonly id: string;
  readonly customer: string;
  readonly service: string;
  /** Instead of the resources that the service names; null: those. */
  readonly wants: readonly Want[] | null;
  /** The size of the party. */
  readonly quantity: number;
  /** The visit lies within it, from its start to its end. */
  readonly window: Interval;
  readonly state: StoredEntryState;
  readonly consent: Consent;
  readonly requestId: string | null;
  /** A digest of what is waited for: the same again is the same entry. */
  readonly digest: string;
  readonly joinedAt: Instant;
  readonly closedAt: Instant | null;
  readonly closedBy: string | null;
}

/** What the customer agreed to, and when. */
export interface Consent {
  readonly text: string;
  readonly at: Instant;
}

/**
 * - `waiting`: stands in line. `unservable`: its service is switched off; it keeps its place and is in nobody's way.
 * - `used`: an offer was accepted, whatever became of the booking since. `left`. `ended`: its window is over.
 */
export type StoredEntryState = "waiting" | "unservable" | "used" | "left" | "ended";

/** `offered`: a place is held for the customer now. */
export type EntryState = StoredEntryState | "offered";

/**
 * What an entry is at `now`. An offer is a booking that is held for the waiter, so that it is accepted when that booking is confirmed,
 * in the same transaction and by the same clock, and over when its hold is: neither needs the entry to be written.
 */
export function entryStateAt(entry: WaitingEntry, offers: readonly Booking[], now: Instant): EntryState {
  if (entry.state !== "waiting" && entry.state !== "unservable") return entry.state;
  if (acceptedOffer(offers) !== undefined) return "used";
  if (liveOffer(offers, now) !== undefined) return "offered";
  return now >= entry.window.end ? "ended" : entry.state;
}

/** The offer that was accepted. One that is cancelled afterwards stays accepted: the entry had its turn (R62). */
export function acceptedOffer(offers: readonly Booking[]): Booking | undefined {
  return offers.find((offer) => offer.confirmedAt !== null);
}

export function liveOffer(offers: readonly Booking[], now: Instant): Booking | undefined {
  return offers.find((offer) => stateAt(offer, now) === "held");
}

export function isInLine(state: EntryState): boolean {
  return state === "waiting" || state === "offered" || state === "unservable";
}

/** Written with a confirmation: the booking was an offer, and its entry is used by it. */
export function usedEvents(booking: Booking, actor: string, at: Instant): NewEvent[] {
  if (booking.waitlistEntryId === null) return [];
  const data = { entryId: booking.waitlistEntryId, customer: booking.customer };
  return [{ bookingId: booking.id, type: "waitlist_used", at, actor, version: booking.version, data }];
}

/** An event about an entry that concerns no booking. */
export function entryEvent(type: NewEvent["type"], entry: WaitingEntry, actor: string, at: Instant): NewEvent {
  const data = { entryId: entry.id, customer: entry.customer, service: entry.service };
  return { bookingId: null, type, at, actor, version: null, data };
}
