import type { Store } from "../store/store.ts";
import { type AttendInput, type AttendOutcome, attend } from "./attend.ts";
import { callOptions, withOptions } from "./call-options.ts";
import { type CancelInput, type CancelOutcome, type CancelPreview, cancel, previewCancel } from "./cancel.ts";
import { type ConfirmInput, type ConfirmOutcome, confirm } from "./confirm.ts";
import { type ConfirmPaymentInput, type ConfirmPaymentOutcome, confirmPayment } from "./confirm-payment.ts";
import { decidePreCheckout, type PreCheckoutInput, type PreCheckoutOutcome } from "./decide-pre-checkout.ts";
import type { CallOptions } from "./input.ts";
import { restOf } from "./patience.ts";
import { type RescheduleInput, type RescheduleOutcome, reschedule } from "./reschedule.ts";
import { type ReserveSlotInput, type ReserveSlotOutcome, reserveSlot } from "./reserve-slot.ts";
import type { Runner } from "./runner.ts";
import { serviceSource } from "./services.ts";
import { type TransferInput, type TransferOutcome, transfer } from "./transfer.ts";
import { type VoidApprovalInput, type VoidApprovalOutcome, voidApproval } from "./void-approval.ts";
import { type PassOn, type WaitlistVerbs, waitlistVerbs } from "./waiting-list.ts";

/** The verbs that can also run inside a transaction of yours. */
export interface Verbs {
  /**
   * Makes a booking: holds a slot, or only promises an invoice for it, or confirms it if it is free (S1, B2, B8).
   *
   * @example
   * ```ts
   * import type { Bookonce } from "bookonce";
   *
   * export async function book(bookonce: Bookonce) {
   *   const reserved = await bookonce.reserveSlot({
   *     customer: "telegram:42",
   *     resources: ["anna"],
   *     start: "2027-01-15T10:00:00+05:00",
   *     duration: { minutes: 60 },
   *     price: { amount: 500, currency: "XTR" },
   *   });
   *   if (reserved.outcome === "refused") return reserved.reason; // "slot_taken", "in_past" …
   *   return reserved.booking.payload; // goes into the invoice
   * }
   * ```
   *
   * @throws BookonceError `invalid_input`, `not_migrated`
   */
  reserveSlot(input: ReserveSlotInput, options?: CallOptions): Promise<ReserveSlotOutcome>;
  /**
   * Decides whether a provider may charge, and takes or keeps the slot for it (S2–S7). Commits first: answer the provider with what
   * this returned, and never the other way round (S8). Fails closed: no decision in time is `declined`, `unavailable`.
   *
   * @throws BookonceError `invalid_input`, `not_migrated`
   */
  decidePreCheckout(input: PreCheckoutInput, options?: CallOptions): Promise<PreCheckoutOutcome>;
  /**
   * Records a charge and what it bought, in one transaction (S9–S13). The same charge again changes nothing.
   *
   * @throws BookonceError `unavailable`: the payment is not stored; do not acknowledge the receipt, and call again.
   */
  confirmPayment(input: ConfirmPaymentInput, options?: CallOptions): Promise<ConfirmPaymentOutcome>;
  /** The provider said that its approval came too late to be used (S7): another attempt may be approved while the hold lives. */
  voidApproval(input: VoidApprovalInput, options?: CallOptions): Promise<VoidApprovalOutcome>;
  /**
   * Cancels a booking: release, refund task and history in one transaction (B9). Again: `already_cancelled`.
   *
   * @throws BookonceError `invalid_input`, `unavailable`
   */
  cancel(input: CancelInput, options?: CallOptions): Promise<CancelOutcome>;
  /** What `cancel` would do at this instant, with a `quote` that `cancel` can be held to (B9). Changes nothing. */
  previewCancel(input: Omit<CancelInput, "reason" | "quote">, options?: CallOptions): Promise<CancelPreview>;
  /** Confirms a booking without a payment: a free one, or (an administrator) one that is paid at the place. */
  confirm(input: ConfirmInput, options?: CallOptions): Promise<ConfirmOutcome>;
  /** Moves a booking: the new place is claimed and the old one released in one transaction; refused, it is as it was (B10). */
  reschedule(input: RescheduleInput, options?: CallOptions): Promise<RescheduleOutcome>;
  /** Gives a confirmed booking to another customer; no place is taken or freed. */
  transfer(input: TransferInput, options?: CallOptions): Promise<TransferOutcome>;
  /** Marks that the customer came. An attended booking is not refunded unless its policy says so. */
  checkIn(input: AttendInput, options?: CallOptions): Promise<AttendOutcome>;
  /** Marks that she did not. */
  markNoShow(input: AttendInput, options?: CallOptions): Promise<AttendOutcome>;
  /** Who waits for a place, and what is offered to whom (B12). */
  readonly waitlist: WaitlistVerbs;
}

export function verbs(runner: Runner, store: Store): Verbs {
  const source = serviceSource(store);
  return {
    reserveSlot: withOptions("reserveSlot", (input: ReserveSlotInput, options) =>
      reserveSlot(runner, source, input, options),
    ),
    decidePreCheckout: withOptions("decidePreCheckout", (input: PreCheckoutInput, options) =>
      decidePreCheckout(runner, input, options),
    ),
    confirmPayment: withOptions("confirmPayment", (input: ConfirmPaymentInput, options) =>
      confirmPayment(runner, input, options),
    ),
    voidApproval: withOptions("voidApproval", (input: VoidApprovalInput, options) =>
      voidApproval(runner, input, options),
    ),
    cancel: withOptions("cancel", (input: CancelInput, options) => cancel(runner, input, options)),
    previewCancel: withOptions("previewCancel", (input: Omit<CancelInput, "reason" | "quote">, options) =>
      previewCancel(runner, input, options),
    ),
    confirm: withOptions("confirm", (input: ConfirmInput, options) => confirm(runner, input, options)),
    reschedule: withOptions("reschedule", (input: RescheduleInput, options) =>
      reschedule(runner, store, source, input, options),
    ),
    transfer: withOptions("transfer", (input: TransferInput, options) => transfer(runner, input, options)),
    checkIn: withOptions("checkIn", (input: AttendInput, options) => attend(runner, "attended", input, options)),
    markNoShow: withOptions("markNoShow", (input: AttendInput, options) => attend(runner, "no_show", input, options)),
    waitlist: waitlistVerbs(runner, store),
  };
}

/** The verbs that free a place, each followed by the offer of it to those who wait, in what is left of its time. */
export function passingOn(own: Verbs, passOn: PassOn): Verbs {
  return {
    ...own,
    async reserveSlot(input, given) {
      const options = callOptions("reserveSlot", given);
      const outcome = await own.reserveSlot(input, restOf(options));
      if (outcome.outcome === "reserved" && outcome.replaced !== null) await passOn(outcome.replaced, options);
      return outcome;
    },
    async cancel(input, given) {
      const options = callOptions("cancel", given);
      const outcome = await own.cancel(input, restOf(options));
      if (outcome.outcome === "cancelled") await passOn(outcome.booking, options);
      return outcome;
    },
    async reschedule(input, given) {
      const options = callOptions("reschedule", given);
      const outcome = await own.reschedule(input, restOf(options));
      if (outcome.outcome === "rescheduled") await passOn(outcome.before, options);
      return outcome;
    },
  };
}
