import type { Refunder } from "bookonce";
import { expire } from "../../src/core/expire.ts";
import type { Booking } from "../../src/core/model.ts";
import { type RefundAnswer, settleRefund } from "../../src/core/refund.ts";
import { applyChanges } from "../../src/core/state.ts";
import type { SteppedDatabase } from "./schedule-clock.ts";
import { plainState } from "./schedule-judge.ts";
import { reminded } from "./schedule-shop.ts";
import type { Sides, Taken } from "./schedule-sides.ts";
import { tick } from "./schedule-tick.ts";

const minute = 60_000;

/** Both sides write down what has lapsed: as many as are over by the clock. */
export async function takeSweep(sides: Sides): Promise<Taken> {
  const { expired } = await sides.shop.sweep();
  const over = [...sides.state.bookings.values()].filter(
    (booking) => booking.state !== "expired" && plainState(booking, sides.now) === "over",
  ).length;
  let inModel = 0;
  for (const bookingId of sides.state.bookings.keys()) {
    if (sides.decide(expire(sides.state, { bookingId }, sides.context())).outcome === "expired") inModel += 1;
  }
  return {
    database: { expired },
    model: { expired: inModel },
    answer: { outcome: "swept" },
    plausible: over === inModel,
    ticked: tick(sides, null),
  };
}

/** One run of the refund worker. Of several refunds that are due at one instant either side may take any: the model follows. */
export async function takeRefund(sides: Sides, kind: "refunded" | "unknown" | "retry_later"): Promise<Taken> {
  const answers: Record<typeof kind, RefundAnswer> = {
    refunded: { answer: "refunded", by: "telegram" },
    unknown: { answer: "unknown", error: "timed out" },
    retry_later: { answer: "retry_later", afterMs: minute, error: "429" },
  };
  const answer = answers[kind];
  const taken: string[] = [];
  const refunder: Refunder = {
    provider: "telegram_stars",
    async refund({ payment }) {
      taken.push(payment.chargeId);
      return answer;
    },
  };
  await sides.shop.refunds.run(refunder, { limit: 1 });
  const payments = new Map([...sides.state.payments.values()].map((payment) => [payment.id, payment.key]));
  const due = [...sides.state.refunds.values()]
    .filter((refund) => (refund.state === "pending" || refund.state === "unconfirmed") && refund.dueAt <= sides.now)
    .map((refund) => ({ refund, charge: payments.get(refund.paymentId)?.externalId }));
  const first = Math.min(...due.map(({ refund }) => refund.dueAt));
  const match = due.find(({ charge, refund }) => charge === taken[0] && refund.dueAt === first);
  if (match !== undefined) {
    const { refund } = match;
    const lease = { state: "sending", leaseToken: "lease", leaseUntil: sides.now } as const;
    const leased = { ...refund, ...lease, attempts: refund.attempts + 1 };
    sides.state = applyChanges(sides.state, { refunds: [leased] });
    const settled = {
      refundId: refund.id,
      leaseToken: "lease",
      answer,
      note: null,
      maybeDone: refund.state !== "pending",
    };
    sides.decide(settleRefund(sides.state, settled, sides.context()));
  }
  return {
    database: { charge: taken[0] },
    model: { charge: match?.charge ?? (due.length === 0 ? undefined : "another one, that is due first") },
    answer: { outcome: taken.length === 0 ? "nothing to refund" : kind },
    plausible: true,
  };
}

/** The worker that finds which reminders are due: an hour before the start, to those who want it, once for each version. */
export async function takeRemind(sides: Sides): Promise<Taken> {
  const database = await sides.shop.reminders.run();
  const model = { queued: 0, missed: 0, unreadable: 0 };
  for (const booking of sides.state.bookings.values()) {
    const key = `${booking.id} ${booking.version}`;
    const dueAt = booking.interval.start - 60 * minute;
    const due = dueAt <= sides.now && dueAt > cameToBe(booking, sides);
    if (!due || !remindable(booking, sides.now) || sides.reminders.has(key)) continue;
    const waits = sides.now <= dueAt + 30 * minute;
    sides.reminders.set(key, { booking: booking.id, version: booking.version, waits });
    model[waits ? "queued" : "missed"] += 1;
    const told = { bookingId: booking.id, at: sides.now, actor: "bookonce", version: booking.version };
    if (waits) sides.events.push({ ...told, type: "reminder_due", data: {} });
  }
  const outcome = model.queued > 0 ? "queued" : model.missed > 0 ? "missed" : "nobody to remind";
  return { database, model, answer: { outcome }, plausible: true };
}

/** The worker that sends them: those of what was cancelled, moved or given away meanwhile are dropped. */
export async function takeDeliver(sides: Sides, db: SteppedDatabase): Promise<Taken> {
  // The other events are no business of this worker, and there are many of them.
  await db.pool.query({
    name: "tell others",
    text: `update ${db.schema}.events set delivered_at = ${db.schema}.clock() where delivered_at is null and type <> 'reminder_due'`,
  });
  const told: string[] = [];
  const { dropped } = await sides.shop.events.run(async ({ bookingId, version }) => {
    told.push(`${sides.pairs.find(({ id }) => id === bookingId)?.model} ${version}`);
  });
  const waiting = [...sides.reminders].filter(([, { waits }]) => waits);
  for (const [, reminder] of waiting) reminder.waits = false;
  const wanted = waiting.filter(([, { booking, version }]) => {
    const now = sides.state.bookings.get(booking);
    return now !== undefined && now.version === version && remindable(now, sides.now);
  });
  const outcome = wanted.length > 0 ? "told" : waiting.length > 0 ? "dropped" : "nobody to tell";
  return {
    database: { told: told.sort(), dropped },
    model: { told: wanted.map(([key]) => key).sort(), dropped: waiting.length - wanted.length },
    answer: { outcome },
    plausible: true,
  };
}

/** Since when the booking is as it is: what was due before then is no news to whoever confirmed, moved or was given it. */
function cameToBe({ id, version, confirmedAt }: Booking, { events, now }: Sides): number {
  const changes = events.filter(
    (event) => event.bookingId === id && event.version === version && /_(rescheduled|transferred)$/.test(event.type),
  );
  return Math.max(confirmedAt ?? now, ...changes.map(({ at }) => at));
}

function remindable({ state, interval, attendance, customer }: Booking, now: number): boolean {
  return state === "confirmed" && attendance === null && now < interval.start && reminded.has(customer);
}
