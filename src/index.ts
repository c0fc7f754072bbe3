// The public surface, by hand. What is not here may change without notice.

// Making an instance
export { type Bookonce, type BookonceOptions, createBookonce, type Verbs } from "./bookonce.ts";

// Verbs: what they take and answer
export type { CancelInput, CancelOutcome } from "./verbs/cancel.ts";
export type { ConfirmPaymentInput, ConfirmPaymentOutcome } from "./verbs/confirm-payment.ts";
export type { PreCheckoutInput, PreCheckoutOutcome } from "./verbs/decide-pre-checkout.ts";
export type { CallOptions, Duration } from "./verbs/input.ts";
export type { PoliciesInput } from "./verbs/policies.ts";
export type { ReserveSlotInput, ReserveSlotOutcome } from "./verbs/reserve-slot.ts";
export type { VoidApprovalInput, VoidApprovalOutcome } from "./verbs/void-approval.ts";

// The waiting list
export type { EntryState } from "./core/waiting-entry.ts";
export type { Waitlist, WaitlistListInput, WaitlistVerbs } from "./verbs/waiting-list.ts";
export type { JoinWaitlistInput, JoinWaitlistOutcome } from "./verbs/waiting-list-join.ts";
export type {
  DeclineOfferInput,
  DeclineOfferOutcome,
  LeaveWaitlistInput,
  LeaveWaitlistOutcome,
} from "./verbs/waiting-list-leave.ts";
export type { WaitlistReport } from "./verbs/waiting-list-tick.ts";
export type { WaitlistEntryView } from "./verbs/waiting-list-views.ts";

// What there is to see
export type { BookingState, DeclineReason, Disposition, EventType, RefundState, Resource } from "./core/model.ts";
export type { Money } from "./core/money.ts";
export type { Bookings, BusyInterval, BusyWindow, HistoryEntry } from "./verbs/bookings.ts";
export type { Payments } from "./verbs/payments.ts";
export type { Resources } from "./verbs/resources.ts";
export type { BookingView, PaymentView, RefundView } from "./verbs/views.ts";

// Outboxes and people
export type { Cursors } from "./verbs/cursors.ts";
export type { RefundAnswer } from "./core/refund.ts";
export type { ReviewRefusal } from "./core/review.ts";
export type {
  BookonceEvent,
  EventHandler,
  EventRunOptions,
  EventRunReport,
  Events,
  ParkedEvent,
} from "./verbs/events.ts";
export type { Refunder, RefundRunOptions, RefundRunReport, Refunds, RefundTask } from "./verbs/refunds.ts";
export type { ReviewInput, ReviewOutcome, Reviews } from "./verbs/reviews.ts";

// Care
export type { AuditProblem, PaymentPlace } from "./store/audit.ts";
export type { MigrateResult } from "./store/migrate.ts";
export type { AuditReport } from "./verbs/audit.ts";
export type { SweepReport } from "./verbs/sweep.ts";

// Errors
export { BookonceError, type BookonceErrorCode, type InputProblem, isBookonceError } from "./core/error.ts";

// For adapters and providers of your own
export type { ProviderCapabilities, Providers } from "./core/providers.ts";
export { isOurToken } from "./core/token.ts";
export type { Database, Statement, StatementResult, Transaction, TransactionOptions } from "./database/port.ts";
