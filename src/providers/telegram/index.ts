// The public surface of bookonce/telegram, by hand.

// Words for people
export {
  defaultTexts,
  fillText,
  type MessageCode,
  mergeTexts,
  type ReasonCode,
  type TextBook,
  type TextOverrides,
  type Texts,
  textFor,
} from "../../texts/index.ts";
// The Bot API
export { type TelegramApi, TelegramApiError, TelegramCallError } from "./api.ts";
export type { LedgerAudit, LedgerAuditOptions, LedgerTotals } from "./audit-ledger.ts";
export { fromPreCheckoutQuery, fromSuccessfulPayment, type RefundNotice } from "./decode.ts";
export type { DoctorOptions, DoctorReport, Finding, FindingCode } from "./doctor.ts";
export { type FetchApiOptions, fetchApi } from "./fetch-api.ts";
export { type GrammyApiLike, grammyApi, type TelegrafLike, telegrafApi } from "./framework-apis.ts";
export { telegramCustomer, telegramUserId } from "./identity.ts";
// Asking for money
export {
  type InvoiceChat,
  type InvoiceLinkParams,
  type InvoiceText,
  type ProviderInvoiceInput,
  providerInvoice,
  type SendInvoiceParams,
  type StarsInvoiceInput,
  starsInvoice,
} from "./invoices.ts";
export {
  grammyMiddleware,
  type MiddlewareOptions,
  telegrafMiddleware,
  type UpdateContext,
} from "./middleware.ts";
// What comes of an update
export type { AnswerState, ExternalRefund, HandledUpdate, TelegramOutcome } from "./outcomes.ts";
export type { Patience } from "./persist.ts";
export type { ReconcileOptions, ReconcileReport } from "./reconcile.ts";
export type { ErrorContext, TelegramBookonce } from "./settings.ts";
// Returning it, and checking Telegram's books
export { type StarsRefunderOptions, starsRefunder } from "./stars-refunder.ts";
// Connecting a bot
export { createTelegram, type HandleOptions, type Telegram, type TelegramOptions } from "./telegram.ts";
export { type DecodedUpdate, decodeUpdate, type PaymentUpdate } from "./update.ts";
export { telegramWebhook, type WebhookOptions } from "./webhook.ts";
