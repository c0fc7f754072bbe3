import type { TimeRules } from "./context.ts";
import type { Money } from "./money.ts";
import type { FrozenPolicy } from "./policies.ts";
import type { Instant, Interval } from "./time.ts";

/**
 * What can be booked (B3).
 *
 * - `exclusive`: a person, a chair, a room. One booking at a time.
 * - `counted`: places of which there are `capacity`. The peak inside the interval decides.
 * - `pool`: "any master". A booking takes one free member, chosen by `fairness`.
 */
export interface Resource {
  readonly id: string;
  readonly name: string;
  /** A resource that is switched off takes no new bookings; those it has stay. */
  readonly active: boolean;
  readonly kind: "exclusive" | "counted" | "pool";
  /** Of a counted resource; 1 otherwise. */
  readonly capacity: number;
  /** Of a pool: exclusive resources. */
  readonly members: readonly string[];
  readonly fairness: Fairness;
  /** When a pool last chose it. */
  readonly lastChosenAt: Instant | null;
  /** Its own opening hours; null: whenever it is wanted. */
  readonly rules: TimeRules | null;
}

/**
 * How a pool chooses among its free members: the one with the fewest bookings that day, or the one whose last choice is longest ago.
 * Ties go to the member that is named first.
 */
export type Fairness = "least_loaded" | "least_recent";

/** What a booking asks for: a resource or a pool, and how many places of it. */
export interface Want {
  readonly resource: string;
  readonly quantity: number;
}

export type BookingState = "pending" | "held" | "confirmed" | "expired" | "cancelled";

/**
 * A booking as stored. A hold that is over still says `held` until it is swept: ask {@link stateAt} in `states.ts`, never the
 * column, when the state matters.
 */
export interface Booking {
  readonly id: string;
  /** The invoice payload: random, unguessable, the only thing by which a checkout or a receipt finds the booking (S1). */
  readonly token: string;
  readonly customer: string;
  /** Who may pay; null: anyone who has the invoice. */
  readonly payer: string | null;
  readonly state: BookingState;
  readonly wants: readonly Want[];
  /** What it has (or, before it claims, wants): for each want the resource itself, or the member that its pool chose. */
  readonly resources: readonly string[];
  /** What the customer sees; the claims are wider by the buffers. */
  readonly interval: Interval;
  readonly buffers: Buffers;
  /** The local day it starts on, in the place's zone: limits per day and the load of a pool are counted in it. */
  readonly day: Interval;
  /** Null: booked by an instant, in no zone. */
  readonly anchor: Anchor | null;
  readonly service: string | null;
  /** A group session: bookings of the same session share their exclusive resources, up to so many places. */
  readonly session: Session | null;
  /** Null: free. */
  readonly price: Money | null;
  /** While held: when the hold is over (at equality it is over). */
  readonly holdExpiresAt: Instant | null;
  /** While pending: until when its invoice may be paid. */
  readonly payableUntil: Instant | null;
  readonly policy: FrozenPolicy;
  /** Grows with every change of interval or state; side effects carry it. */
  readonly version: number;
  readonly requestId: string | null;
  /** A digest of the request's content: the same request id with other content is a conflict (B8). */
  readonly requestDigest: string;
  readonly title: string | null;
  /** The caller's own data, kept and returned untouched. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Instant;
  readonly confirmedAt: Instant | null;
  readonly cancelledAt: Instant | null;
  readonly cancelledBy: string | null;
  readonly cancelReason: string | null;
  /** What became of the visit: a mark on a confirmed booking. */
  readonly attendance: "attended" | "no_show" | null;
  /** The entry of the waiting list that it was offered to. */
  readonly waitlistEntryId: string | null;
  /** The start that was offered to it, wherever the booking has been moved to since. */
  readonly offeredStart: Instant | null;
}

/** The time as it was agreed: on the wall of the place. When the zone's rules change, this stays and the instant moves (B15). */
export interface Anchor {
  readonly zone: string;
  /** "YYYY-MM-DD" and "HH:mm". */
  readonly date: string;
  readonly time: string;
  /** The version of the zone data that made the instant of it. */
  readonly zoneData: string;
}

/** Time kept free before and after, in milliseconds. */
export interface Buffers {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** A lesson that many join: who joins first makes it. */
export interface Session {
  /** The same for everybody in it: made of the service and the start. */
  readonly id: string;
  readonly capacity: number;
}

/** A resource taken by a booking for an interval, buffers included. `liveFrom`–`liveUntil` says when the claim counted; null: without end. */
export interface Claim {
  readonly bookingId: string;
  /** The claims of a booking are numbered from 1 in the order they were made. */
  readonly number: number;
  readonly resource: string;
  /** Whose it is: claims of one holder never exclude each other. The booking, or the session it is part of. */
  readonly holder: string;
  readonly exclusive: boolean;
  readonly quantity: number;
  /** Of a session's claim: how many places the session has. */
  readonly sessionCapacity: number | null;
  readonly interval: Interval;
  readonly buffers: Buffers;
  readonly liveFrom: Instant;
  readonly liveUntil: Instant | null;
}

/** The identity of something at a provider: unique by provider, account (the bot, the cash desk) and the provider's own id. */
export interface ProviderKey {
  readonly provider: string;
  readonly account: string;
  readonly externalId: string;
}

/** What a provider says about a checkout or a charge; compared as a whole when the same id comes again. */
export interface PaymentFacts {
  readonly token: string;
  readonly payer: string;
  readonly money: Money;
}

/** One authorisation attempt: a pre-checkout query, a Payme transaction, a Click prepare. */
export interface Checkout {
  readonly key: ProviderKey;
  readonly facts: PaymentFacts;
  readonly bookingId: string | null;
  readonly decision: "approved" | "declined";
  readonly reason: DeclineReason | null;
  readonly decidedAt: Instant;
  /** An approval that can no longer lead to a charge we accept, and why. */
  readonly voidedAt: Instant | null;
  readonly voidReason: string | null;
}

export type DeclineReason =
  | "conflict"
  | "unknown_booking"
  | "wrong_payer"
  | "wrong_amount"
  | "cancelled"
  | "already_paid"
  | "hold_lapsed"
  | "in_past"
  | "payment_in_progress"
  | "slot_taken"
  | "unavailable";

/** Where a charge ended up. Exactly one for every charge (O2). */
export type Disposition = "booked" | "late" | "surplus" | "mismatch" | "unmatched";

/** One real charge. */
export interface Payment {
  readonly id: string;
  readonly key: ProviderKey;
  readonly facts: PaymentFacts;
  readonly bookingId: string | null;
  readonly disposition: Disposition;
  /** Why it is not booked, for the person who looks at it. */
  readonly reason: string | null;
  readonly receivedAt: Instant;
  /** What a person must look at: open until refunded, attached to a booking or closed with a note. */
  readonly review: "open" | "refunded" | "attached" | "closed" | null;
  readonly reviewedBy: string | null;
  readonly reviewedAt: Instant | null;
  readonly note: string | null;
  /** The provider's own details, as received. */
  readonly details: Readonly<Record<string, unknown>>;
}

export type RefundState = "pending" | "sending" | "unconfirmed" | "completed" | "needs_attention";

/** Money to be returned: a row of the refund outbox (S12). */
export interface Refund {
  readonly id: string;
  readonly paymentId: string;
  readonly bookingId: string | null;
  readonly money: Money;
  readonly reason: string;
  readonly state: RefundState;
  readonly attempts: number;
  readonly requestedAt: Instant;
  /** When a worker may take it. */
  readonly dueAt: Instant;
  readonly leaseToken: string | null;
  readonly leaseUntil: Instant | null;
  readonly lastError: string | null;
  readonly completedAt: Instant | null;
  /** Who closed it: the provider's answer, its ledger, or a person. */
  readonly completedBy: string | null;
  readonly note: string | null;
}

/** One entry of the history, which is also the outbox of notifications (B11, B14). */
export interface NewEvent {
  readonly bookingId: string | null;
  readonly type: EventType;
  readonly at: Instant;
  readonly actor: string;
  readonly version: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export type EventType =
  | "booking_reserved"
  | "booking_held"
  | "booking_confirmed"
  | "booking_expired"
  | "booking_cancelled"
  | "booking_rescheduled"
  | "booking_transferred"
  | "booking_attended"
  | "booking_no_show"
  | "checkout_voided"
  | "payment_late"
  | "payment_surplus"
  | "payment_review"
  | "payment_recurring"
  | "payment_conflict"
  | "checkout_conflict"
  | "review_closed"
  | "waitlist_joined"
  | "waitlist_offered"
  | "waitlist_lapsed"
  | "waitlist_used"
  | "waitlist_left"
  | "waitlist_ended"
  | "waitlist_unservable"
  | "waitlist_resumed"
  | "refund_requested"
  | "refund_completed"
  | "refund_needs_attention"
  | "reminder_due";
