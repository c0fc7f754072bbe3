import type { NewEvent } from "../../src/core/model.ts";
import type { State } from "../../src/core/state.ts";
import type { TestDatabase } from "./database.ts";

/** A life that was lived by the pure core: what it has come to, and how its bookings are called on both sides. */
interface Model {
  readonly state: State;
  readonly events: readonly NewEvent[];
  readonly pairs: readonly { readonly model: string; readonly id: string }[];
  /** Those of the waiting list. */
  readonly entries?: readonly { readonly model: string; readonly id: string }[];
}

/** Everything that is stored, without the ids and tokens that each side draws for itself. */
export interface Projection {
  readonly bookings: readonly unknown[];
  readonly claims: readonly unknown[];
  readonly checkouts: readonly unknown[];
  readonly payments: readonly unknown[];
  readonly refunds: readonly unknown[];
  readonly entries: readonly unknown[];
  readonly history: readonly unknown[];
}

export function ofModel(model: Model): Projection {
  const { bookings, claims, checkouts, payments, refunds, entries } = model.state;
  const charges = new Map([...payments.values()].map((payment) => [payment.id, payment.key]));
  return sorted({
    bookings: [...bookings.values()].map((b) => [
      b.id,
      b.state,
      b.version,
      b.holdExpiresAt,
      b.payableUntil,
      b.confirmedAt,
      b.cancelledAt,
      b.cancelledBy,
      b.customer,
      b.interval.start,
      b.interval.end,
      b.resources.join(),
      b.attendance,
      b.waitlistEntryId,
      b.offeredStart,
    ]),
    claims: [...claims.values()].map((c) => [
      c.bookingId,
      c.number,
      c.resource,
      c.interval.start,
      c.interval.end,
      c.liveFrom,
      c.liveUntil,
      c.quantity,
      c.exclusive,
      c.sessionCapacity,
    ]),
    checkouts: [...checkouts.values()].map((c) => [
      c.key.externalId,
      c.bookingId,
      c.decision,
      c.reason,
      c.voidedAt,
      c.voidReason,
    ]),
    payments: [...payments.values()].map((p) => [
      p.key.provider,
      p.key.externalId,
      p.bookingId,
      p.disposition,
      p.reason,
      p.review,
    ]),
    refunds: [...refunds.values()].map((r) => [
      charges.get(r.paymentId)?.externalId,
      r.money.amount,
      r.state,
      r.attempts,
      r.dueAt,
      r.completedBy,
    ]),
    entries: [...entries.values()].map((e) => [
      e.id,
      e.customer,
      e.service,
      e.state,
      e.quantity,
      e.window.start,
      e.window.end,
      e.joinedAt,
      e.closedAt,
      e.closedBy,
      e.requestId,
      ...model.events
        .filter(({ bookingId, data }) => bookingId === null && data["entryId"] === e.id)
        .map(({ type, actor }) => `${type} by ${actor}`),
    ]),
    history: model.pairs.map(({ model: id }) => [id, ...historyOf(model, id)]),
  });
}

const incidents = new Set(["payment_recurring", "payment_conflict", "checkout_conflict"]);

/** The core reports an incident as often as it is told of it; the database keeps one of each. */
function historyOf(model: Model, bookingId: string): string[] {
  const known = new Set<string>();
  return model.events
    .filter((event) => {
      if (event.bookingId !== bookingId) return false;
      if (!incidents.has(event.type)) return true;
      const incident = JSON.stringify([event.type, event.data]);
      if (known.has(incident)) return false;
      known.add(incident);
      return true;
    })
    .map((event) => `${event.type} by ${event.actor}`);
}

export async function ofDatabase(db: TestDatabase, model: Model): Promise<Projection> {
  const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
  const rows = async (text: string): Promise<unknown[][]> => {
    const { rows: found } = await db.pool.query<unknown[]>({
      text: text.replaceAll("{}", db.schema),
      rowMode: "array",
    });
    const named = new Map([...model.pairs, ...(model.entries ?? [])].map((pair) => [pair.id, pair.model]));
    return found.map((row) => row.map((value) => (typeof value === "string" ? (named.get(value) ?? value) : value)));
  };
  const events = await rows("select booking_id::text, type, actor from {}.events order by booking_id, id");
  const entries = await rows(
    `select w.id::text, w.customer, w.service_id, w.state, w.quantity, ${ms("window_from")}, ${ms("window_to")}, ${ms("joined_at")},
       ${ms("closed_at")}, closed_by, request_id, array(select e.type || ' by ' || e.actor from {}.events e
         where e.booking_id is null and e.data ->> 'entryId' = w.id::text order by e.id) from {}.waiting_list w`,
  );
  return sorted({
    bookings: await rows(
      `select id::text, state, version, ${ms("hold_expires_at")}, ${ms("payable_until")}, ${ms("confirmed_at")}, ${ms("cancelled_at")}, cancelled_by, customer,
       ${ms("starts_at")}, ${ms("ends_at")}, array_to_string(resource_ids, ','), attendance, waitlist_entry_id::text, ${ms("offered_start")} from {}.bookings`,
    ),
    claims: await rows(
      `select booking_id::text, number, resource_id, ${ms("starts_at")}, ${ms("ends_at")}, ${ms("live_from")}, ${ms("live_until")}, quantity, exclusive, session_capacity from {}.claims`,
    ),
    checkouts: await rows(
      `select external_id, booking_id::text, decision, reason, ${ms("voided_at")}, void_reason from {}.checkouts`,
    ),
    payments: await rows(
      "select provider, external_id, booking_id::text, disposition, reason, review from {}.payments",
    ),
    refunds: await rows(
      `select p.external_id, r.amount::int, r.state, r.attempts, ${ms("r.due_at")}, r.completed_by
       from {}.refunds r join {}.payments p on p.id = r.payment_id`,
    ),
    entries: entries.map((row) => row.flat()),
    history: model.pairs.map(({ model: id }) => [
      id,
      ...events.filter(([booking]) => booking === id).map(([, type, actor]) => `${String(type)} by ${String(actor)}`),
    ]),
  });
}

function sorted(projection: Projection): Projection {
  const inOrder = (rows: readonly unknown[]) =>
    [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return {
    bookings: inOrder(projection.bookings),
    claims: inOrder(projection.claims),
    checkouts: inOrder(projection.checkouts),
    payments: inOrder(projection.payments),
    refunds: inOrder(projection.refunds),
    entries: inOrder(projection.entries),
    history: inOrder(projection.history),
  };
}
