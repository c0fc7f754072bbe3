import { attend } from "../../src/core/attend.ts";
import { cancel, previewCancel } from "../../src/core/cancel.ts";
import { confirm } from "../../src/core/confirm.ts";
import { confirmPayment } from "../../src/core/confirm-payment.ts";
import { decidePreCheckout } from "../../src/core/decide-pre-checkout.ts";
import { type State, unchanged } from "../../src/core/state.ts";
import { transfer } from "../../src/core/transfer.ts";
import { takeReschedule, takeReserve } from "./schedule-claiming.ts";
import type { SteppedDatabase } from "./schedule-clock.ts";
import { type Answer, plausible } from "./schedule-judge.ts";
import { acceptanceOf, takeDecline, takeJoin, takeLeave, takeTick } from "./schedule-line.ts";
import type { Pair, Sides, Taken } from "./schedule-sides.ts";
import type { ScheduleStep } from "./schedule-steps.ts";
import { passedOn } from "./schedule-tick.ts";
import { takeDeliver, takeRefund, takeRemind, takeSweep } from "./schedule-workers.ts";

/**
 * The schedule's verbs and workers, taken by the database and by the pure core side by side: the two answers must be equal, and right.
 * Null: there is nothing yet that it could be about.
 */
export async function takeStep(sides: Sides, step: Acting, db: SteppedDatabase): Promise<Taken | null> {
  const taken = await takeAlone(sides, step, db);
  return taken === null || sides.entries.length === 0 ? taken : passedOn(sides, taken, db);
}

type Acting = Exclude<ScheduleStep, { do: "advance" | "reach" }>;

async function takeAlone(sides: Sides, step: Acting, db: SteppedDatabase): Promise<Taken | null> {
  switch (step.do) {
    case "join":
      return takeJoin(sides, step);
    case "leave":
      return takeLeave(sides, step);
    case "decline":
      return takeDecline(sides, step);
    case "tick":
      return takeTick(sides);
    case "accept": {
      const accepting = acceptanceOf(sides, step);
      return accepting && takeAlone(sides, accepting, db);
    }
    case "reserve":
      return takeReserve(sides, step);
    case "sweep":
      return takeSweep(sides);
    case "refund":
      return takeRefund(sides, step.answer);
    case "remind":
      return takeRemind(sides);
    case "deliver":
      return takeDeliver(sides, db);
  }
  if (!("booking" in step)) return null;
  const pair = sides.pair(step);
  if (pair === undefined) return null;
  return step.do === "reschedule" ? takeReschedule(sides, step, pair) : takeVerb(sides, step, pair);
}

type About = Exclude<Extract<ScheduleStep, { booking: number }>, { do: "reach" | "reschedule" }>;

async function takeVerb(sides: Sides, step: About, pair: Pair): Promise<Taken | null> {
  const { shop, state, now } = sides;
  const before = sides.booking(pair);
  const context = sides.context();
  const { verb, core } = sides.who("by" in step ? step.by : "owner", pair);
  const bookingId = pair.id;
  const command = { bookingId: pair.model, ...core };
  const judge = (answer: Answer, was: State): boolean =>
    plausible({ step, before, after: sides.booking(pair), state: was, now, answer }) && isTold(sides, answer);
  switch (step.do) {
    case "preCheckout":
    case "receipt":
      return takeMoney(sides, step, pair, judge);
    case "preview": {
      const answer = previewCancel(state, command, context);
      if (answer.outcome === "preview") sides.quotes.set(pair.model, answer.terms.quote);
      return sides.taken(await shop.previewCancel({ bookingId, ...verb }), unchanged(answer), judge);
    }
    case "cancel": {
      // The quote may be an old one: of another version, or of another day.
      const quote = step.quote ? (sides.quotes.get(pair.model) ?? null) : null;
      const database = await shop.cancel({ bookingId, ...verb, ...(quote !== null && { quote }) });
      const decision = cancel(state, { ...command, reason: null, quote }, context);
      return sides.taken(database, decision, judge, (answer) =>
        answer.outcome === "cancelled" ? answer.booking : null,
      );
    }
    case "confirm":
      return sides.taken(await shop.confirm({ bookingId, ...verb }), confirm(state, command, context), judge);
    case "transfer": {
      const to = `customer-${step.to}`;
      const database = await shop.transfer({ bookingId, to, ...verb });
      return sides.taken(database, transfer(state, { ...command, to }, context), judge);
    }
    case "attend": {
      const { attendance } = step;
      const marking = { bookingId, actor: "olga" };
      const database = await (attendance === "attended" ? shop.checkIn(marking) : shop.markNoShow(marking));
      return sides.taken(database, attend(state, { bookingId: pair.model, attendance, actor: "olga" }, context), judge);
    }
  }
}

/** S10: the same id with other facts is an incident, and incidents are reported. */
function isTold({ events }: Sides, { outcome, reason }: Answer): boolean {
  return (reason ?? outcome) !== "conflict" || events.at(-1)?.type.endsWith("_conflict") === true;
}

async function takeMoney(
  sides: Sides,
  step: Extract<ScheduleStep, { do: "preCheckout" | "receipt" }>,
  pair: Pair,
  judge: (answer: Answer, was: State) => boolean,
): Promise<Taken | null> {
  const { shop, state } = sides;
  const { payload, payer, provider } = pair;
  // Now and then somebody pays for what is free.
  if (pair.price === null && step.id === null) return null;
  const price = pair.price ?? { amount: 500, currency: "XTR" };
  const externalId = step.id ?? sides.newId();
  const input = { provider, account: "bot", payload, payer, ...price };
  const facts = { token: sides.booking(pair).token, payer, money: price };
  const key = { provider, account: "bot", externalId };
  if (step.do === "preCheckout") {
    const database = await shop.decidePreCheckout({ ...input, checkoutId: externalId });
    return sides.taken(database, decidePreCheckout(state, { key, facts }, sides.context()), judge);
  }
  const database = await shop.confirmPayment({ ...input, chargeId: externalId });
  const asked = { key, facts, recurring: false, details: {} };
  return sides.taken(database, confirmPayment(state, asked, sides.context()), judge);
}
