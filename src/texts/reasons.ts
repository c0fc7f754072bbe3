import type { AttendOutcome } from "../verbs/attend.ts";
import type { CancelOutcome } from "../verbs/cancel.ts";
import type { ConfirmOutcome } from "../verbs/confirm.ts";
import type { PreCheckoutOutcome } from "../verbs/decide-pre-checkout.ts";
import type { RescheduleOutcome } from "../verbs/reschedule.ts";
import type { ReserveSlotOutcome } from "../verbs/reserve-slot.ts";
import type { TransferOutcome } from "../verbs/transfer.ts";
import type { JoinWaitlistOutcome } from "../verbs/waiting-list-join.ts";
import type { DeclineOfferOutcome, LeaveWaitlistOutcome } from "../verbs/waiting-list-leave.ts";

type ReasonOf<Outcome> = Outcome extends { readonly reason: infer Reason extends string } ? Reason : never;

/** Every reason code for which a person may be told why something was not done. */
export type ReasonCode =
  | ReasonOf<PreCheckoutOutcome>
  | ReasonOf<ReserveSlotOutcome>
  | ReasonOf<CancelOutcome>
  | ReasonOf<ConfirmOutcome>
  | ReasonOf<RescheduleOutcome>
  | ReasonOf<TransferOutcome>
  | ReasonOf<AttendOutcome>
  | ReasonOf<JoinWaitlistOutcome>
  | ReasonOf<LeaveWaitlistOutcome>
  | ReasonOf<DeclineOfferOutcome>;

/**
 * Short messages to a customer. Placeholders in braces are filled by {@link fillText}:
 *
 * - `{when}`: the time with whose time it is ("15 January, 15:00, studio time");
 * - `{duration}`: "60 minutes";
 * - `{amount}`: "500 Stars";
 * - `{manage}`: how to move or cancel, such as a command of the bot.
 *
 * `refunded` is for after a refund is `completed`, and never before.
 */
export type MessageCode =
  | "booked"
  | "moved"
  | "hold_expired"
  | "cancelled"
  | "cancelled_refund"
  | "cancelled_no_refund"
  | "payment_late"
  | "payment_surplus"
  | "payment_review"
  | "refunded"
  | "refund_needs_attention";

/** Everything that is said to people in one language. */
export interface Texts {
  readonly reasons: Readonly<Record<ReasonCode, string>>;
  readonly messages: Readonly<Record<MessageCode, string>>;
}
