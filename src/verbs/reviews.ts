import { z } from "zod";
import { type ReviewOutcome as CoreOutcome, type Review, type ReviewRefusal, review } from "../core/review.ts";
import type { Engine } from "../engine/engine.ts";
import { keys } from "../store/keys.ts";
import { toPayment } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import type { PaymentRow } from "../store/tables.ts";
import { identifier, parseInput, text, uuid } from "./input.ts";
import { read } from "./reader.ts";
import { command, ownRunner } from "./runner.ts";
import { type BookingView, type PaymentView, type RefundView, viewBooking, viewPayment, viewRefund } from "./views.ts";

/** What was done with a payment that waited for a person; or why not. */
export type ReviewOutcome =
  | { readonly outcome: "refund_queued"; readonly payment: PaymentView; readonly refund: RefundView }
  | { readonly outcome: "attached"; readonly payment: PaymentView; readonly booking: BookingView }
  | { readonly outcome: "closed"; readonly payment: PaymentView }
  | { readonly outcome: "refused"; readonly reason: ReviewRefusal };

/** Payments that a person must look at: `mismatch` and `unmatched`. */
export interface Reviews {
  /** Open ones, oldest first, 100 at most. */
  list(): Promise<readonly PaymentView[]>;
  /** Return the money. */
  refund(input: ReviewInput): Promise<ReviewOutcome>;
  /** It belongs to this booking after all: confirms it, taking the slot again if it is free. */
  attach(input: ReviewInput & { readonly bookingId: string }): Promise<ReviewOutcome>;
  /** Settled elsewhere: only the note is kept. */
  close(input: ReviewInput & { readonly note: string }): Promise<ReviewOutcome>;
}

export interface ReviewInput {
  readonly paymentId: string;
  /** The person, for the history. */
  readonly actor: string;
  readonly note?: string;
}

const base = { paymentId: uuid, actor: identifier, note: text(2000).optional() };
const refundSchema = z.strictObject(base);
const attachSchema = z.strictObject({ ...base, bookingId: uuid });
const closeSchema = z.strictObject({ ...base, note: text(2000) });

const budgetMs = 15_000;

export function reviews(engine: Engine, store: Store): Reviews {
  const runner = ownRunner(engine);
  const act = (asked: Review, bookingIds: readonly string[]): Promise<ReviewOutcome> =>
    runner.run(
      command(
        keys({ paymentIds: [asked.paymentId], bookingIds }),
        (state, context) => review(state, asked, context),
        view,
      ),
      {},
      budgetMs,
    );
  return {
    async list() {
      return (await read<PaymentRow[]>(engine, store.lookups.payments({ review: "open" }))).map((row) =>
        viewPayment(toPayment(row)),
      );
    },
    async refund(input) {
      const { note = null, ...asked } = parseInput("reviews.refund", refundSchema, input);
      return act({ ...asked, note, action: "refund" }, []);
    },
    async attach(input) {
      const { note = null, bookingId, ...asked } = parseInput("reviews.attach", attachSchema, input);
      return act({ ...asked, note, action: { attachTo: bookingId } }, [bookingId]);
    },
    async close(input) {
      return act({ ...parseInput("reviews.close", closeSchema, input), action: "close" }, []);
    },
  };
}

function view(outcome: CoreOutcome, now: number): ReviewOutcome {
  switch (outcome.outcome) {
    case "refused":
      return outcome;
    case "attached":
      return { ...outcome, payment: viewPayment(outcome.payment), booking: viewBooking(outcome.booking, now) };
    case "refund_queued":
      return { ...outcome, payment: viewPayment(outcome.payment), refund: viewRefund(outcome.refund) };
    default:
      return { ...outcome, payment: viewPayment(outcome.payment) };
  }
}
