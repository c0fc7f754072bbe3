import type { Booking, Checkout, Claim, NewEvent, Payment, ProviderKey, Refund, Resource } from "./model.ts";
import type { Instant } from "./time.ts";
import type { WaitingEntry } from "./waiting-entry.ts";

/** What a decision may look at: the locked rows, and the rows read after the locks were held. */
export interface State {
  readonly resources: ReadonlyMap<string, Resource>;
  readonly bookings: ReadonlyMap<string, Booking>;
  readonly claims: ReadonlyMap<string, Claim>;
  readonly checkouts: ReadonlyMap<string, Checkout>;
  readonly payments: ReadonlyMap<string, Payment>;
  readonly refunds: ReadonlyMap<string, Refund>;
  /** Entries of the waiting list; their offers are among the bookings. */
  readonly entries: ReadonlyMap<string, WaitingEntry>;
}

/** What a decision changes: whole rows that replace the ones of the same key, or are new. */
export interface Changes {
  readonly resources?: readonly Resource[];
  readonly bookings?: readonly Booking[];
  readonly claims?: readonly Claim[];
  readonly checkouts?: readonly Checkout[];
  readonly payments?: readonly Payment[];
  readonly refunds?: readonly Refund[];
  readonly entries?: readonly WaitingEntry[];
  readonly events?: readonly NewEvent[];
}

/** The answer of a pure decision. */
export interface Decision<Outcome> {
  readonly outcome: Outcome;
  readonly changes: Changes;
}

/** A decision that changes nothing. */
export function unchanged<Outcome>(outcome: Outcome): Decision<Outcome> {
  return { outcome, changes: {} };
}

export const emptyState: State = {
  resources: new Map(),
  bookings: new Map(),
  claims: new Map(),
  checkouts: new Map(),
  payments: new Map(),
  refunds: new Map(),
  entries: new Map(),
};

export function claimKey(claim: Pick<Claim, "bookingId" | "number">): string {
  return `${claim.bookingId}#${claim.number}`;
}

/** With their lengths, so that no two keys are written alike. */
export function providerKey({ provider, account, externalId }: ProviderKey): string {
  return `${provider.length}:${provider}${account.length}:${account}${externalId}`;
}

/** The state after the changes; the one before stays as it was. */
export function applyChanges(state: State, changes: Changes): State {
  const copy = workingCopy(state);
  applyTo(copy, changes);
  return copy;
}

/** A state that is changed in place. */
export type WorkingState = {
  readonly [Table in keyof State]: State[Table] extends ReadonlyMap<string, infer Row> ? Map<string, Row> : never;
};

/** What the commands of a batch leave to each other is written into one copy: a copy for each would cost the square of their number. */
export function workingCopy(state: State): WorkingState {
  return {
    resources: new Map(state.resources),
    bookings: new Map(state.bookings),
    claims: new Map(state.claims),
    checkouts: new Map(state.checkouts),
    payments: new Map(state.payments),
    refunds: new Map(state.refunds),
    entries: new Map(state.entries),
  };
}

export function applyTo(state: WorkingState, changes: Changes): void {
  for (const row of changes.resources ?? []) state.resources.set(row.id, row);
  for (const row of changes.bookings ?? []) state.bookings.set(row.id, row);
  for (const row of changes.claims ?? []) state.claims.set(claimKey(row), row);
  if (changes.claims !== undefined) byResource.delete(state.claims);
  for (const row of changes.checkouts ?? []) state.checkouts.set(providerKey(row.key), row);
  for (const row of changes.payments ?? []) state.payments.set(providerKey(row.key), row);
  for (const row of changes.refunds ?? []) state.refunds.set(row.id, row);
  for (const row of changes.entries ?? []) state.entries.set(row.id, row);
}

/** The changes of several steps as those of one. */
export function together(all: readonly Changes[]): Changes {
  return {
    resources: all.flatMap((one) => one.resources ?? []),
    bookings: all.flatMap((one) => one.bookings ?? []),
    claims: all.flatMap((one) => one.claims ?? []),
    checkouts: all.flatMap((one) => one.checkouts ?? []),
    payments: all.flatMap((one) => one.payments ?? []),
    refunds: all.flatMap((one) => one.refunds ?? []),
    entries: all.flatMap((one) => one.entries ?? []),
    events: all.flatMap((one) => one.events ?? []),
  };
}

export function bookingByToken(state: State, token: string): Booking | undefined {
  for (const booking of state.bookings.values()) if (booking.token === token) return booking;
  return undefined;
}

export function claimsOf(state: State, bookingId: string): Claim[] {
  return [...state.claims.values()].filter((claim) => claim.bookingId === bookingId);
}

// One walk for all who ask about the resources of a state, until its claims change.
const byResource = new WeakMap<State["claims"], ReadonlyMap<string, readonly Claim[]>>();

/** Every claim on the resource, live or not. */
export function claimsOn({ claims }: State, resource: string): readonly Claim[] {
  const known = byResource.get(claims) ?? Map.groupBy(claims.values(), (claim) => claim.resource);
  byResource.set(claims, known);
  return known.get(resource) ?? [];
}

/** Every booking that was offered to the entry. */
export function offersOf(state: State, entryId: string): Booking[] {
  return [...state.bookings.values()].filter((booking) => booking.waitlistEntryId === entryId);
}

/**
 * Whether a claim stands at `now`. One that was taken stands from then on, even if the clock has been put back since, by a fail-over to
 * a server whose clock is behind, say: its beginning is not asked. One that was closed at the instant at which it was taken never stood.
 */
export function isLive({ liveFrom, liveUntil }: Claim, now: Instant): boolean {
  return liveUntil === null || (now < liveUntil && liveFrom < liveUntil);
}

/** The live claims of a booking: what it occupies at `now`. */
export function liveClaimsOf(state: State, bookingId: string, now: Instant): Claim[] {
  return claimsOf(state, bookingId).filter((claim) => isLive(claim, now));
}

/** The payment that bought the booking, if it has been paid. */
export function bookedPayment(state: State, bookingId: string): Payment | undefined {
  for (const payment of state.payments.values()) {
    if (payment.bookingId === bookingId && payment.disposition === "booked") return payment;
  }
  return undefined;
}

export function paymentById(state: State, paymentId: string): Payment | undefined {
  for (const payment of state.payments.values()) if (payment.id === paymentId) return payment;
  return undefined;
}

/** What is on its way back of a payment, or is back already. */
export function returnedOf(state: State, paymentId: string): number {
  let sum = 0;
  for (const refund of state.refunds.values()) if (refund.paymentId === paymentId) sum += refund.money.amount;
  return sum;
}

/** The approval that stands for a booking, not void: at most one can lead to a charge (S7). */
export function standingApproval(state: State, bookingId: string): Checkout | undefined {
  for (const checkout of state.checkouts.values()) {
    if (checkout.bookingId === bookingId && checkout.decision === "approved" && checkout.voidedAt === null)
      return checkout;
  }
  return undefined;
}
