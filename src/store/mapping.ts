import type { TimeRules } from "../core/context.ts";
import type {
  Anchor,
  Booking,
  Checkout,
  Claim,
  DeclineReason,
  NewEvent,
  Payment,
  ProviderKey,
  Refund,
  Resource,
  Want,
} from "../core/model.ts";
import type { Money } from "../core/money.ts";
import type { Instant } from "../core/time.ts";
import type { WaitingEntry } from "../core/waiting-entry.ts";
import { storedPolicy } from "./stored-policy.ts";
import type {
  BookingRow,
  CheckoutRow,
  ClaimRow,
  EventRow,
  PaymentRow,
  RefundRow,
  ResourceRow,
  WaitingListRow,
} from "./tables.ts";

export const instant = (text: string): Instant => Date.parse(text);
export const isoText = (at: Instant): string => new Date(at).toISOString();
const instantOrNull = (text: string | null): Instant | null => (text === null ? null : instant(text));
const isoTextOrNull = (at: Instant | null): string | null => (at === null ? null : isoText(at));

export function toResource(row: Omit<ResourceRow, "created_at">): Resource {
  return {
    id: row.id,
    name: row.name,
    active: row.active,
    kind: row.kind,
    capacity: row.capacity,
    members: row.members,
    fairness: row.fairness,
    lastChosenAt: instantOrNull(row.last_chosen_at),
    // Written by us from checked rules, and only by us.
    rules: row.rules as TimeRules | null,
  };
}

/** Of a resource only what a booking changes. */
export function fromResource(resource: Resource): Pick<ResourceRow, "id" | "last_chosen_at"> {
  return { id: resource.id, last_chosen_at: isoTextOrNull(resource.lastChosenAt) };
}

export function toBooking(row: BookingRow): Booking {
  return {
    id: row.id,
    token: row.token,
    customer: row.customer,
    payer: row.payer,
    state: row.state,
    wants: row.wanted_ids.map((resource, index) => ({ resource, quantity: row.quantities[index] ?? 1 })),
    resources: row.resource_ids,
    interval: { start: instant(row.starts_at), end: instant(row.ends_at) },
    buffers: { beforeMs: row.buffer_before_ms, afterMs: row.buffer_after_ms },
    day: { start: instant(row.day_starts_at), end: instant(row.day_ends_at) },
    anchor: toAnchor(row),
    service: row.service_id,
    session:
      row.session_id === null || row.session_capacity === null
        ? null
        : { id: row.session_id, capacity: row.session_capacity },
    price: toPrice(row.price_amount, row.price_currency),
    holdExpiresAt: instantOrNull(row.hold_expires_at),
    payableUntil: instantOrNull(row.payable_until),
    policy: storedPolicy(row.policy),
    version: row.version,
    requestId: row.request_id,
    requestDigest: row.request_digest,
    title: row.title,
    data: toRecord(row.data),
    createdAt: instant(row.created_at),
    confirmedAt: instantOrNull(row.confirmed_at),
    cancelledAt: instantOrNull(row.cancelled_at),
    cancelledBy: row.cancelled_by,
    cancelReason: row.cancel_reason,
    attendance: row.attendance,
    waitlistEntryId: row.waitlist_entry_id,
    offeredStart: instantOrNull(row.offered_start),
  };
}

export function fromBooking(booking: Booking): BookingRow {
  return {
    id: booking.id,
    token: booking.token,
    customer: booking.customer,
    payer: booking.payer,
    state: booking.state,
    wanted_ids: booking.wants.map((want) => want.resource),
    quantities: booking.wants.map((want) => want.quantity),
    resource_ids: booking.resources,
    starts_at: isoText(booking.interval.start),
    ends_at: isoText(booking.interval.end),
    buffer_before_ms: booking.buffers.beforeMs,
    buffer_after_ms: booking.buffers.afterMs,
    day_starts_at: isoText(booking.day.start),
    day_ends_at: isoText(booking.day.end),
    zone: booking.anchor?.zone ?? null,
    wall_date: booking.anchor?.date ?? null,
    wall_time: booking.anchor?.time ?? null,
    zone_data: booking.anchor?.zoneData ?? null,
    service_id: booking.service,
    session_id: booking.session?.id ?? null,
    session_capacity: booking.session?.capacity ?? null,
    price_amount: booking.price?.amount ?? null,
    price_currency: booking.price?.currency ?? null,
    hold_expires_at: isoTextOrNull(booking.holdExpiresAt),
    payable_until: isoTextOrNull(booking.payableUntil),
    policy: booking.policy,
    version: booking.version,
    request_id: booking.requestId,
    request_digest: booking.requestDigest,
    title: booking.title,
    data: booking.data,
    created_at: isoText(booking.createdAt),
    confirmed_at: isoTextOrNull(booking.confirmedAt),
    cancelled_at: isoTextOrNull(booking.cancelledAt),
    cancelled_by: booking.cancelledBy,
    cancel_reason: booking.cancelReason,
    attendance: booking.attendance,
    waitlist_entry_id: booking.waitlistEntryId,
    offered_start: isoTextOrNull(booking.offeredStart),
  };
}

export function toClaim(row: ClaimRow): Claim {
  return {
    bookingId: row.booking_id,
    number: row.number,
    resource: row.resource_id,
    holder: row.session_id ?? row.booking_id,
    exclusive: row.exclusive,
    quantity: row.quantity,
    sessionCapacity: row.session_capacity,
    interval: { start: instant(row.starts_at), end: instant(row.ends_at) },
    buffers: { beforeMs: row.buffer_before_ms, afterMs: row.buffer_after_ms },
    liveFrom: instant(row.live_from),
    liveUntil: instantOrNull(row.live_until),
  };
}

export function fromClaim(claim: Claim): ClaimRow {
  return {
    booking_id: claim.bookingId,
    number: claim.number,
    resource_id: claim.resource,
    session_id: claim.holder === claim.bookingId ? null : claim.holder,
    exclusive: claim.exclusive,
    quantity: claim.quantity,
    session_capacity: claim.sessionCapacity,
    starts_at: isoText(claim.interval.start),
    ends_at: isoText(claim.interval.end),
    buffer_before_ms: claim.buffers.beforeMs,
    buffer_after_ms: claim.buffers.afterMs,
    live_from: isoText(claim.liveFrom),
    live_until: isoTextOrNull(claim.liveUntil),
  };
}

export function toCheckout(row: CheckoutRow): Checkout {
  return {
    key: toProviderKey(row),
    facts: { token: row.token, payer: row.payer, money: { amount: row.amount, currency: row.currency } },
    bookingId: row.booking_id,
    decision: row.decision,
    reason: row.reason as DeclineReason | null,
    decidedAt: instant(row.decided_at),
    voidedAt: instantOrNull(row.voided_at),
    voidReason: row.void_reason,
  };
}

export function fromCheckout(checkout: Checkout): CheckoutRow {
  return {
    ...fromProviderKey(checkout.key),
    token: checkout.facts.token,
    payer: checkout.facts.payer,
    amount: checkout.facts.money.amount,
    currency: checkout.facts.money.currency,
    booking_id: checkout.bookingId,
    decision: checkout.decision,
    reason: checkout.reason,
    decided_at: isoText(checkout.decidedAt),
    voided_at: isoTextOrNull(checkout.voidedAt),
    void_reason: checkout.voidReason,
  };
}

export function toPayment(row: PaymentRow): Payment {
  return {
    id: row.id,
    key: toProviderKey(row),
    facts: { token: row.token, payer: row.payer, money: { amount: row.amount, currency: row.currency } },
    bookingId: row.booking_id,
    disposition: row.disposition,
    reason: row.reason,
    receivedAt: instant(row.received_at),
    review: row.review,
    reviewedBy: row.reviewed_by,
    reviewedAt: instantOrNull(row.reviewed_at),
    note: row.note,
    details: toRecord(row.details),
  };
}

export function fromPayment(payment: Payment): PaymentRow {
  return {
    id: payment.id,
    ...fromProviderKey(payment.key),
    token: payment.facts.token,
    payer: payment.facts.payer,
    amount: payment.facts.money.amount,
    currency: payment.facts.money.currency,
    booking_id: payment.bookingId,
    disposition: payment.disposition,
    reason: payment.reason,
    received_at: isoText(payment.receivedAt),
    review: payment.review,
    reviewed_by: payment.reviewedBy,
    reviewed_at: isoTextOrNull(payment.reviewedAt),
    note: payment.note,
    details: payment.details,
  };
}

export function toRefund(row: RefundRow): Refund {
  return {
    id: row.id,
    paymentId: row.payment_id,
    bookingId: row.booking_id,
    money: { amount: row.amount, currency: row.currency },
    reason: row.reason,
    state: row.state,
    attempts: row.attempts,
    requestedAt: instant(row.requested_at),
    dueAt: instant(row.due_at),
    leaseToken: row.lease_token,
    leaseUntil: instantOrNull(row.lease_until),
    lastError: row.last_error,
    completedAt: instantOrNull(row.completed_at),
    completedBy: row.completed_by,
    note: row.note,
  };
}

export function fromRefund(refund: Refund): RefundRow {
  return {
    id: refund.id,
    payment_id: refund.paymentId,
    booking_id: refund.bookingId,
    amount: refund.money.amount,
    currency: refund.money.currency,
    reason: refund.reason,
    state: refund.state,
    attempts: refund.attempts,
    requested_at: isoText(refund.requestedAt),
    due_at: isoText(refund.dueAt),
    lease_token: refund.leaseToken,
    lease_until: isoTextOrNull(refund.leaseUntil),
    last_error: refund.lastError,
    completed_at: isoTextOrNull(refund.completedAt),
    completed_by: refund.completedBy,
    note: refund.note,
  };
}

export function fromEvent(event: NewEvent): Omit<EventRow, "id"> {
  return {
    booking_id: event.bookingId,
    type: event.type,
    at: isoText(event.at),
    actor: event.actor,
    version: event.version,
    data: event.data,
  };
}

function toAnchor({ zone, wall_date: date, wall_time: time, zone_data: zoneData }: BookingRow): Anchor | null {
  return zone === null || date === null || time === null || zoneData === null ? null : { zone, date, time, zoneData };
}

/** What the waiter wants instead of what the service has; damaged: what the service has, so that one row never stops the whole line. */
function toWants(stored: unknown): readonly Want[] | null {
  return Array.isArray(stored) && stored.length > 0 && stored.every(isWant) ? stored : null;
}

function isWant(stored: unknown): stored is Want {
  if (typeof stored !== "object" || stored === null || !("resource" in stored) || !("quantity" in stored)) return false;
  return typeof stored.resource === "string" && Number.isInteger(stored.quantity) && Number(stored.quantity) > 0;
}

export function toEntry(row: Omit<WaitingListRow, "number">): WaitingEntry {
  return {
    id: row.id,
    customer: row.customer,
    service: row.service_id,
    wants: toWants(row.wants),
    quantity: row.quantity,
    window: { start: instant(row.window_from), end: instant(row.window_to) },
    state: row.state,
    consent: { text: row.consent_text, at: instant(row.consent_at) },
    requestId: row.request_id,
    digest: row.digest,
    joinedAt: instant(row.joined_at),
    closedAt: instantOrNull(row.closed_at),
    closedBy: row.closed_by,
  };
}

export function fromEntry(entry: WaitingEntry): Omit<WaitingListRow, "number"> {
  return {
    id: entry.id,
    customer: entry.customer,
    service_id: entry.service,
    wants: entry.wants,
    quantity: entry.quantity,
    window_from: isoText(entry.window.start),
    window_to: isoText(entry.window.end),
    state: entry.state,
    consent_text: entry.consent.text,
    consent_at: isoText(entry.consent.at),
    request_id: entry.requestId,
    digest: entry.digest,
    joined_at: isoText(entry.joinedAt),
    closed_at: isoTextOrNull(entry.closedAt),
    closed_by: entry.closedBy,
  };
}

function toPrice(amount: number | null, currency: string | null): Money | null {
  return amount === null || currency === null ? null : { amount, currency };
}

function toProviderKey(row: { provider: string; account: string; external_id: string }): ProviderKey {
  return { provider: row.provider, account: row.account, externalId: row.external_id };
}

export function fromProviderKey(key: ProviderKey): { provider: string; account: string; external_id: string } {
  return { provider: key.provider, account: key.account, external_id: key.externalId };
}

export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
