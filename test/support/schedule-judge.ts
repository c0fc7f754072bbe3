import type { Booking } from "../../src/core/model.ts";
import type { State } from "../../src/core/state.ts";
import type { Edge, ScheduleStep } from "./schedule-steps.ts";

// The core decides for the model as it does for the database: where it is wrong, both sides are. So each answer is held against a plain
// reading of the rules, which shares nothing with the core but the rows.

/** What a booking is, by the clock. `over`: it was held or payable, and its time is up. */
export function plainState(booking: Booking, now: number): "pending" | "held" | "confirmed" | "over" | "cancelled" {
  if (booking.state === "held") return now < (booking.holdExpiresAt ?? 0) ? "held" : "over";
  if (booking.state === "pending") return now < (booking.payableUntil ?? 0) ? "pending" : "over";
  return booking.state === "expired" ? "over" : booking.state;
}

/** The instant that a step reaches for. */
export function edgeOf({ interval, holdExpiresAt, payableUntil }: Booking, what: Edge): number {
  if (what === "hold") return holdExpiresAt ?? payableUntil ?? interval.start;
  if (what === "start") return interval.start;
  return what === "end" ? interval.end : interval.start - what;
}

export interface Answer {
  readonly outcome: string;
  readonly reason?: string;
  readonly repeated?: boolean;
}

/** An answer about a booking: what was asked, and the rows before and after. */
export interface Case {
  readonly step: Extract<ScheduleStep, { booking: number }>;
  readonly before: Booking;
  readonly after: Booking;
  readonly state: State;
  readonly now: number;
  readonly answer: Answer;
}

type Reading = (asked: Case & { readonly was: ReturnType<typeof plainState> }) => boolean;

/** Whether such an answer can be right. Refusals for want of the place are not here: they are judged by the place. */
export function plausible(asked: Case): boolean {
  const { step, before, now, answer } = asked;
  const name = answer.reason ?? answer.outcome;
  // A repeated answer is an old one; a stranger learns nothing.
  if (answer.repeated === true) return true;
  if ("by" in step && step.by === "stranger") return name === "unknown_booking";
  const reading = readings[step.do]?.[name];
  return reading === undefined
    ? step.do === "reschedule" && answer.outcome === "refused"
    : reading({ ...asked, was: plainState(before, now) });
}

const standing: Reading = ({ was }) => was === "held" || was === "confirmed" || was === "pending";
const over: Reading = ({ was }) => was === "over";
const cancelled: Reading = ({ was }) => was === "cancelled";
const confirmed: Reading = ({ was }) => was === "confirmed";
const attended: Reading = ({ before }) => before.attendance !== null;
const byOwner: Reading = ({ step }) => "by" in step && step.by === "owner";
const notBefore: Reading = ({ before, now }) => now < before.interval.start;
/** A lapsed offer of the waiting list is somebody else's turn. */
const passedOn: Reading = ({ before }) => before.waitlistEntryId !== null;
const grown: Reading = ({ before, after }) => after.version === before.version + 1;
/** The same charge or query once more, with other facts. */
const known: Reading = ({ step, state }) =>
  "id" in step &&
  [...(step.do === "receipt" ? state.payments : state.checkouts).values()].some(
    ({ key }) => key.externalId === step.id,
  );

const paid: Reading = ({ before, state }) =>
  [...state.payments.values()].some((one) => one.bookingId === before.id && one.disposition === "booked");

const approvals = ({ state, before }: Case) =>
  [...state.checkouts.values()].filter((one) => one.bookingId === before.id && one.decision === "approved");

const movable: Reading = (asked) =>
  !byOwner(asked) ||
  !confirmed(asked) ||
  asked.now <= asked.before.interval.start - asked.before.policy.rescheduling.untilMsBeforeStart;

const cancellable: Reading = (asked) => {
  const { afterwards, tiers, refundAttended } = asked.before.policy.cancellation;
  if (!byOwner(asked) || !confirmed(asked)) return true;
  if (asked.before.attendance === "attended" && !refundAttended) return false;
  const last = Math.min(...tiers.map(({ untilMsBeforeStart }) => untilMsBeforeStart));
  return afterwards === "noRefund" || asked.now <= asked.before.interval.start - last;
};

const otherPrice: Reading = ({ step, before }) =>
  step.do === "reschedule" &&
  step.price === "other" &&
  before.policy.rescheduling.priceDifference === "refuse" &&
  before.price?.amount !== 499;

const readings: Partial<Record<ScheduleStep["do"], Record<string, Reading>>> = {
  attend: {
    marked: (asked) =>
      confirmed(asked) &&
      asked.step.do === "attend" &&
      asked.after.attendance === asked.step.attendance &&
      (asked.step.attendance === "attended" || !notBefore(asked)),
    already_marked: attended,
    not_confirmed: (asked) => !confirmed(asked),
    too_early: notBefore,
  },
  cancel: {
    cancelled: (asked) => standing(asked) && cancellable(asked) && grown(asked) && asked.after.state === "cancelled",
    already_cancelled: cancelled,
    already_expired: over,
    forbidden_by_policy: (asked) => confirmed(asked) && !cancellable(asked),
    quote_changed: ({ step }) => step.do === "cancel" && step.quote,
  },
  preview: {
    preview: (asked) => standing(asked) && cancellable(asked),
    already_cancelled: cancelled,
    already_expired: over,
    forbidden_by_policy: (asked) => confirmed(asked) && !cancellable(asked),
  },
  confirm: {
    confirmed: (asked) =>
      asked.was === "held" &&
      (asked.before.price === null || !byOwner(asked)) &&
      grown(asked) &&
      asked.after.state === "confirmed",
    already_confirmed: confirmed,
    payment_required: (asked) => asked.before.price !== null && byOwner(asked) && standing(asked),
    not_held: ({ was }) => was === "pending",
    hold_lapsed: over,
    cancelled,
  },
  preCheckout: {
    approved: (asked) =>
      notBefore(asked) &&
      asked.after.state === "held" &&
      approvals(asked).every(({ voidedAt }) => voidedAt !== null) &&
      (asked.was === "held" ||
        asked.was === "pending" ||
        (over(asked) && !passedOn(asked) && asked.before.policy.retakeLapsedHold && approvals(asked).length === 0)),
    already_paid: confirmed,
    hold_lapsed: over,
    cancelled,
    in_past: (asked) => !notBefore(asked),
    payment_in_progress: (asked) => approvals(asked).length > 0,
    slot_taken: (asked) => asked.was === "pending" || over(asked),
    wrong_amount: ({ before }) => before.price === null,
    conflict: known,
  },
  receipt: {
    booked: (asked) =>
      grown(asked) &&
      asked.after.state === "confirmed" &&
      (asked.was === "held" ||
        ((over(asked) || asked.was === "pending") &&
          !passedOn(asked) &&
          asked.before.policy.latePayment === "rebookIfFree" &&
          notBefore(asked))),
    late: (asked) => !confirmed(asked) && asked.was !== "held" && !paid(asked),
    surplus: (asked) => confirmed(asked) || paid(asked),
    mismatch: ({ before }) => before.price === null,
    conflict: known,
  },
  reschedule: {
    rescheduled: (asked) => standing(asked) && movable(asked) && !attended(asked) && !otherPrice(asked) && grown(asked),
    unchanged: standing,
    hold_lapsed: over,
    cancelled,
    attended,
    forbidden_by_policy: (asked) => !movable(asked),
    price_differs: otherPrice,
    unknown_booking: () => false,
  },
  transfer: {
    transferred: (asked) =>
      confirmed(asked) &&
      !attended(asked) &&
      grown(asked) &&
      asked.step.do === "transfer" &&
      asked.after.customer === `customer-${asked.step.to}`,
    unchanged: ({ step, before }) => step.do === "transfer" && before.customer === `customer-${step.to}`,
    not_confirmed: (asked) => !confirmed(asked),
    attended,
  },
};
