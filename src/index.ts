// The public surface, by hand. What is not here may change without notice.

// Making an instance
export { type Bookonce, type BookonceOptions, createBookonce, type RepeatOptions, repeat } from "./bookonce.ts";
export type { Verbs } from "./verbs/verbs.ts";
export type { PoliciesInput } from "./verbs/policies.ts";

// Verbs: what they take and answer
export type { CallOptions, Duration } from "./verbs/input.ts";
export type { Who } from "./verbs/who.ts";
export type { ReserveSlotInput, ReserveSlotOutcome } from "./verbs/reserve-slot.ts";
export type { PreCheckoutInput, PreCheckoutOutcome } from "./verbs/decide-pre-checkout.ts";
export type { ConfirmPaymentInput, ConfirmPaymentOutcome } from "./verbs/confirm-payment.ts";
export type { VoidApprovalInput, VoidApprovalOutcome } from "./verbs/void-approval.ts";
export type { ConfirmInput, ConfirmOutcome } from "./verbs/confirm.ts";
export type { CancelInput, CancelOutcome, CancelPreview } from "./verbs/cancel.ts";
export type { CancellationTerms } from "./core/cancellation-terms.ts";
export type { RescheduleInput, RescheduleOutcome } from "./verbs/reschedule.ts";
export type { TransferInput, TransferOutcome } from "./verbs/transfer.ts";
export type { AttendInput, AttendOutcome } from "./verbs/attend.ts";
export type { TimeRefused } from "./verbs/time-refused.ts";

// What is offered, and when
export type { ResourceInput, Resources } from "./verbs/resources.ts";
export type { ServiceInput, Services, ServiceView, WantInput } from "./verbs/services.ts";
export type { TimeRulesInput } from "./verbs/time-rules.ts";
export type {
  ExplainQuery,
  FindSlotsQuery,
  NextQuery,
  Slot,
  SlotExplanation,
  SlotQuery,
  Slots,
} from "./verbs/find-slots.ts";
export type { Buffers, Fairness, Resource, Want } from "./core/model.ts";
export type { DayLimits } from "./core/limits.ts";

// What there is to see
export type { BookingState, DeclineReason, Disposition, EventType, RefundState } from "./core/model.ts";
export type { Money } from "./core/money.ts";
export type { BookingView, PaymentView, RefundView } from "./verbs/views.ts";
export type { Bookings, BusyInterval, BusyWindow, HistoryEntry, Holder, HoldersQuery } from "./verbs/bookings.ts";
export type { Payments, PaymentTotals } from "./verbs/payments.ts";

// Outboxes: refunds, notifications, reminders
export type { RefundAnswer } from "./core/refund.ts";
export type { Refunder, RefundRunOptions, RefundRunReport, RefundTask } from "./verbs/refund-run.ts";
export type { ExternalRefundInput, ExternalRefundOutcome, Refunds } from "./verbs/refunds.ts";
export type {
  BookonceEvent,
  EventHandler,
  EventRunOptions,
  EventRunReport,
  Events,
  ParkedEvent,
} from "./verbs/events.ts";
export type { Consent, ReminderReport, ReminderRule, Reminders } from "./verbs/reminders.ts";

// People who look at payments
export type { ReviewRefusal } from "./core/review.ts";
export type { ReviewInput, ReviewOutcome, Reviews } from "./verbs/reviews.ts";

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

// Care
export type { MigrateResult } from "./store/migrate.ts";
export type { AuditProblem, PaymentPlace } from "./store/audit.ts";
export type { AuditReport } from "./verbs/audit.ts";
export type { Wait } from "./store/health.ts";
export type { DoctorFinding, DoctorReport } from "./verbs/doctor.ts";
export type { Reanchored, ReanchorInput } from "./verbs/reanchor.ts";
export type { SweepReport } from "./verbs/sweep.ts";
export type { Cursors } from "./verbs/cursors.ts";

// Errors
export { BookonceError, type BookonceErrorCode, type InputProblem, isBookonceError } from "./core/error.ts";

// For adapters and providers of your own
export type { ProviderCapabilities, Providers } from "./core/providers.ts";
export { isOurToken } from "./core/token.ts";
export { type QueryClient, type QueryDriver, queryDatabase } from "./database/query.ts";
export type { Database, Statement, StatementResult, Transaction, TransactionOptions } from "./database/port.ts";
