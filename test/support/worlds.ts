import type { Context } from "../../src/core/context.ts";
import type {
  Booking,
  Checkout,
  Claim,
  Payment,
  PaymentFacts,
  ProviderKey,
  Refund,
  Resource,
  Want,
} from "../../src/core/model.ts";
import { defaultPolicies, freeze, type Policies } from "../../src/core/policies.ts";
import { knownProviders } from "../../src/core/providers.ts";
import { type Changes, claimKey, type Decision, providerKey, type State } from "../../src/core/state.ts";

/** The instant at which decisions of the pure tests are made, unless a test says otherwise. */
export const now = Date.UTC(2027, 0, 15, 10);
export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export const price = { amount: 500, currency: "XTR" } as const;

/** A held booking of `anna`, two days ahead, alive for another quarter of an hour. */
export function aBooking(over: Partial<Booking> = {}): Booking {
  return {
    id: "b1",
    token: "bko1_b1",
    customer: "ivan",
    payer: "ivan",
    state: "held",
    wants: wantsOf(over.resources ?? ["anna"]),
    resources: ["anna"],
    interval: { start: now + 2 * day, end: now + 2 * day + hour },
    buffers: noBuffers,
    day: dayOf(over.interval?.start ?? now + 2 * day),
    anchor: null,
    service: null,
    session: null,
    waitlistEntryId: null,
    offeredStart: null,
    price,
    holdExpiresAt: now + 15 * minute,
    payableUntil: null,
    policy: freeze(defaultPolicies),
    version: 1,
    requestId: null,
    requestDigest: "digest",
    title: null,
    data: {},
    createdAt: now - minute,
    confirmedAt: null,
    cancelledAt: null,
    cancelledBy: null,
    cancelReason: null,
    attendance: null,
    ...over,
  };
}

export const noBuffers = { beforeMs: 0, afterMs: 0 } as const;

/** One place of each. */
export function wantsOf(resources: readonly string[]): readonly Want[] {
  return resources.map((resource) => ({ resource, quantity: 1 }));
}

/** The day in UTC. */
export function dayOf(start: number): { start: number; end: number } {
  const begin = Math.floor(start / day) * day;
  return { start: begin, end: begin + day };
}

export function aResource(id: string, over: Partial<Resource> = {}): Resource {
  return {
    id,
    name: id,
    active: true,
    kind: "exclusive",
    capacity: 1,
    members: [],
    fairness: "least_loaded",
    lastChosenAt: null,
    rules: null,
    ...over,
  };
}

export const bookingIn = {
  held: (over: Partial<Booking> = {}) => aBooking(over),
  /** Over since this very instant, and nobody has swept. */
  lapsed: (over: Partial<Booking> = {}) => aBooking({ holdExpiresAt: now, ...over }),
  swept: (over: Partial<Booking> = {}) => aBooking({ state: "expired", holdExpiresAt: now - hour, ...over }),
  pending: (over: Partial<Booking> = {}) =>
    aBooking({ state: "pending", holdExpiresAt: null, payableUntil: now + hour, ...over }),
  unpayable: (over: Partial<Booking> = {}) =>
    aBooking({ state: "pending", holdExpiresAt: null, payableUntil: now, ...over }),
  confirmed: (over: Partial<Booking> = {}) =>
    aBooking({ state: "confirmed", holdExpiresAt: null, confirmedAt: now - minute, ...over }),
  cancelled: (over: Partial<Booking> = {}) =>
    aBooking({
      state: "cancelled",
      holdExpiresAt: null,
      cancelledAt: now - minute,
      cancelledBy: "ivan",
      ...over,
    }),
};

/** What a booking of this state occupies. */
export function claimsFor(booking: Booking): Claim[] {
  const ends: Partial<Record<Booking["state"], number | null>> = {
    held: booking.holdExpiresAt,
    expired: booking.holdExpiresAt,
    confirmed: null,
    cancelled: booking.cancelledAt,
  };
  const liveUntil = ends[booking.state];
  if (liveUntil === undefined) return [];
  return booking.resources.map((resource, index) => ({
    bookingId: booking.id,
    number: index + 1,
    resource,
    holder: booking.session?.id ?? booking.id,
    exclusive: true,
    quantity: booking.wants[index]?.quantity ?? 1,
    sessionCapacity: booking.session?.capacity ?? null,
    interval: booking.interval,
    buffers: booking.buffers,
    liveFrom: booking.createdAt,
    liveUntil,
  }));
}

/** Another customer's confirmed booking of the same time. */
export function aRival(over: Partial<Booking> = {}): Booking {
  return bookingIn.confirmed({ id: "rival", token: "bko1_rival", customer: "maria", payer: "maria", ...over });
}

export function factsOf(booking: Booking, over: Partial<PaymentFacts> = {}): PaymentFacts {
  return { token: booking.token, payer: booking.customer, money: price, ...over };
}

export function aKey(externalId: string, over: Partial<ProviderKey> = {}): ProviderKey {
  return { provider: "telegram_stars", account: "bot", externalId, ...over };
}

export function aCheckout(booking: Booking, over: Partial<Checkout> = {}): Checkout {
  return {
    key: aKey("q1"),
    facts: factsOf(booking),
    bookingId: booking.id,
    decision: "approved",
    reason: null,
    decidedAt: now - minute,
    voidedAt: null,
    voidReason: null,
    ...over,
  };
}

export function aPayment(booking: Booking | null, over: Partial<Payment> = {}): Payment {
  return {
    id: "p1",
    key: aKey("charge1"),
    facts: booking === null ? { token: "bko1_nobody", payer: "ivan", money: price } : factsOf(booking),
    bookingId: booking?.id ?? null,
    disposition: "booked",
    reason: null,
    receivedAt: now - minute,
    review: null,
    reviewedBy: null,
    reviewedAt: null,
    note: null,
    details: {},
    ...over,
  };
}

export function aRefund(over: Partial<Refund> = {}): Refund {
  return {
    id: "f1",
    paymentId: "p1",
    bookingId: "b1",
    money: price,
    reason: "hold_lapsed",
    state: "pending",
    attempts: 0,
    requestedAt: now - minute,
    dueAt: now - minute,
    leaseToken: null,
    leaseUntil: null,
    lastError: null,
    completedAt: null,
    completedBy: null,
    note: null,
    ...over,
  };
}

/** A state with these rows; each booking has the claims of its state, unless claims are given. */
export function world(
  rows: {
    readonly bookings?: readonly Booking[];
    readonly claims?: readonly Claim[];
    readonly checkouts?: readonly Checkout[];
    readonly payments?: readonly Payment[];
    readonly refunds?: readonly Refund[];
  } = {},
): State {
  const { bookings = [], checkouts = [], payments = [], refunds = [] } = rows;
  const claims = rows.claims ?? bookings.flatMap(claimsFor);
  const resources = ["anna", "boris", "room"].map((id) => aResource(id));
  return {
    resources: new Map([...resources, aResource("off", { active: false })].map((row) => [row.id, row])),
    bookings: new Map(bookings.map((row) => [row.id, row])),
    claims: new Map(claims.map((row) => [claimKey(row), row])),
    checkouts: new Map(checkouts.map((row) => [providerKey(row.key), row])),
    payments: new Map(payments.map((row) => [providerKey(row.key), row])),
    refunds: new Map(refunds.map((row) => [row.id, row])),
    entries: new Map(),
  };
}

/** What a decision may know: this `now`, these policies, and ids that count. */
export function context(at: number = now, policies: Partial<Policies> = {}): Context {
  let ids = 0;
  const next = (prefix: string) => (): string => {
    ids += 1;
    return `${prefix}${ids}`;
  };
  return {
    now: at,
    policies: { ...defaultPolicies, ...policies },
    providers: knownProviders,
    // Open whenever it is wanted, unless a test brings its own calendar.
    admitTime: () => null,
    newId: next("new"),
    newToken: next("bko1_new"),
  };
}

/** The names of the events of a decision, in order. */
export function eventTypes(decision: { readonly changes: Changes }): string[] {
  return (decision.changes.events ?? []).map((event) => event.type);
}

export function changesNothing<Outcome>(decision: Decision<Outcome>): boolean {
  return Object.values(decision.changes).every((rows: readonly unknown[] | undefined) => (rows ?? []).length === 0);
}
