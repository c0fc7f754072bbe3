import type { Bookonce } from "../../bookonce.ts";
import type { TextBook } from "../../texts/index.ts";
import type { TelegramApi } from "./api.ts";
import type { ExternalRefund } from "./outcomes.ts";
import type { PaymentUpdate } from "./update.ts";

/** The part of a bookonce instance that the Telegram layer uses. */
export type TelegramBookonce = Pick<
  Bookonce,
  "decidePreCheckout" | "confirmPayment" | "voidApproval" | "bookings" | "payments" | "refunds" | "cursors" | "audit"
>;

/** During what an error was reported. */
export type ErrorContext = PaymentUpdate | "reconcile" | "on_handled" | "on_external_refund" | "next";

/** What all parts of the Telegram layer share. */
export interface Settings {
  readonly bookonce: TelegramBookonce;
  readonly api: TelegramApi;
  /** The bot's id, as text. */
  readonly account: string;
  readonly texts: TextBook;
  /** The language of those whose own we do not have. */
  readonly language: string;
  /** How long a decision about a pre-checkout may take, in milliseconds. */
  readonly decideMs: number;
  /** How long answering it may take after that. */
  readonly answerMs: number;
  /** How long one attempt to record a receipt may take. */
  readonly recordMs: number;
  readonly report: (error: unknown, context: ErrorContext) => void;
  readonly onExternalRefund: (refund: ExternalRefund) => Promise<void>;
}
