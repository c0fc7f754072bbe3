import type { Context } from "../../src/core/context.ts";
import { noLimits } from "../../src/core/limits.ts";
import type { Booking, Claim, Resource } from "../../src/core/model.ts";
import type { Candidate } from "../../src/core/offer-place.ts";
import { defaultPolicies, freeze, type WaitingListPolicy } from "../../src/core/policies.ts";
import { knownProviders } from "../../src/core/providers.ts";
import { applyChanges, emptyState, type State } from "../../src/core/state.ts";
import type { WaitingEntry } from "../../src/core/waiting-entry.ts";

/** Worlds of the waiting list for pure tests: one service, one room, an hour that somebody waits for. */
export const now = Date.UTC(2027, 0, 15, 10);
export const minute = 60_000;
export const hour = 60 * minute;
export const start = now + 48 * hour;

export function context(waiting: Partial<WaitingListPolicy> = {}, at = now): Context {
  let drawn = 0;
  const draw = (): number => {
    drawn += 1;
    return drawn;
  };
  return {
    now: at,
    policies: { ...defaultPolicies, waitingList: { ...defaultPolicies.waitingList, ...waiting } },
    providers: knownProviders,
    admitTime: () => null,
    newId: () => `new-${draw()}`,
    newToken: () => `bko1_${draw()}`,
  };
}

export function anEntry(id: string, over: Partial<WaitingEntry> = {}): WaitingEntry {
  return {
    id,
    customer: id,
    service: "cut",
    wants: null,
    quantity: 1,
    window: { start, end: start + hour },
    state: "waiting",
    consent: { text: "v1", at: now },
    requestId: null,
    digest: id,
    joinedAt: now - hour,
    closedAt: null,
    closedBy: null,
    ...over,
  };
}

export function aRoom(over: Partial<Resource> = {}): Resource {
  return {
    id: "room",
    name: "room",
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

/** The hour of the service, or another one that begins so many hours later. */
export function candidate(quantity = 1, later = 0): Candidate {
  const begin = start + later * hour;
  const interval = { start: begin, end: begin + hour };
  return {
    service: "cut",
    wanted: {
      wants: [{ resource: "room", quantity }],
      interval,
      buffers: { beforeMs: 0, afterMs: 0 },
      day: { start: begin - 12 * hour, end: begin + 12 * hour },
      session: null,
      limits: noLimits,
      rules: null,
    },
    anchor: null,
    price: null,
    title: "Cut",
  };
}

/** An offer to an entry as stored; `holdExpiresAt` in the past makes it a lapsed one that nobody has written down. */
export function anOffer(entry: WaitingEntry, over: Partial<Booking> = {}): Booking {
  return {
    id: `offer-${entry.id}`,
    token: `bko1_${entry.id}`,
    customer: entry.customer,
    payer: entry.customer,
    state: "held",
    wants: [{ resource: "room", quantity: entry.quantity }],
    resources: ["room"],
    interval: { start, end: start + hour },
    buffers: { beforeMs: 0, afterMs: 0 },
    day: { start: start - 12 * hour, end: start + 12 * hour },
    anchor: null,
    service: "cut",
    session: null,
    price: null,
    holdExpiresAt: now + 10 * minute,
    payableUntil: null,
    policy: freeze(defaultPolicies),
    version: 1,
    requestId: null,
    requestDigest: "",
    title: null,
    data: {},
    createdAt: now - 5 * minute,
    confirmedAt: null,
    cancelledAt: null,
    cancelledBy: null,
    cancelReason: null,
    attendance: null,
    waitlistEntryId: entry.id,
    offeredStart: start,
    ...over,
  };
}

function claimOf(booking: Booking): Claim {
  return {
    bookingId: booking.id,
    number: 1,
    resource: "room",
    holder: booking.id,
    exclusive: true,
    quantity: booking.wants[0]?.quantity ?? 1,
    sessionCapacity: null,
    interval: booking.interval,
    buffers: booking.buffers,
    liveFrom: booking.createdAt,
    liveUntil: booking.state === "cancelled" ? now : booking.holdExpiresAt,
  };
}

export function world(
  entries: readonly WaitingEntry[],
  bookings: readonly Booking[] = [],
  room: Resource = aRoom(),
): State {
  const claims = bookings.map((booking) => claimOf(booking));
  return applyChanges(emptyState, { entries, bookings, claims, resources: [room] });
}
