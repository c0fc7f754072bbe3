import { z } from "zod";
import { BookonceError } from "../../core/error.ts";
import { mergeTexts, type TextOverrides } from "../../texts/index.ts";
import type { TelegramApi } from "./api.ts";
import { auditLedger, type LedgerAudit, type LedgerAuditOptions } from "./audit-ledger.ts";
import { aFunction, check, having, signal } from "./check.ts";
import { type DoctorOptions, type DoctorReport, doctor } from "./doctor.ts";
import { accountOf } from "./identity.ts";
import { type ExternalRefund, type HandledUpdate, handled, passedOn } from "./outcomes.ts";
import type { Patience } from "./persist.ts";
import { declineMalformed, handlePreCheckout } from "./pre-checkout.ts";
import { handleReceipt, handleRefundNotice } from "./receipt.ts";
import { type ReconcileOptions, type ReconcileReport, reconcile } from "./reconcile.ts";
import type { ErrorContext, Settings, TelegramBookonce } from "./settings.ts";
import { decodeUpdate } from "./update.ts";

/** What {@link createTelegram} takes. */
export interface TelegramOptions {
  readonly bookonce: TelegramBookonce;
  /** `grammyApi(bot.api)`, `telegrafApi(bot.telegram)` or `fetchApi({ token })`. */
  readonly api: TelegramApi;
  /** The bot's own id: the number before the colon of its token. */
  readonly botId: number | string;
  /** Your own wording, by language and code; what is left out stays. */
  readonly texts?: TextOverrides;
  /** The language of people whose own we do not have. Default `"en"`. */
  readonly language?: string;
  /**
   * Deadlines in milliseconds. `decideMs` and `answerMs` are shares of Telegram's ten seconds: for the database (default 4 000) and for
   * answering (default and maximum 3 000, so that the first pause of a retry plugin does not fit in it); together at most 9 000.
   * `recordMs` is for one attempt to record a receipt (default 10 000).
   */
  readonly deadlines?: { readonly decideMs?: number; readonly answerMs?: number; readonly recordMs?: number };
  /** Told about what went wrong and was dealt with. Default: the message to `console.error`, without its cause. */
  readonly onError?: (error: unknown, context: ErrorContext) => void;
  /** Money went back without a refund of ours. Decide what becomes of the booking; may be called again for the same charge. */
  readonly onExternalRefund?: (refund: ExternalRefund) => void | Promise<void>;
}

/** How an update came, for {@link Telegram.handleUpdate}. */
export interface HandleOptions {
  /** Gives up waiting for the database. An answer that is due is sent all the same. */
  readonly signal?: AbortSignal;
  /** Default `"none"`. Under long polling: `"until_stored"`. */
  readonly patience?: Patience;
}

/** Bookonce at one Telegram bot. */
export interface Telegram {
  /** The bot's id, as text: the `account` of its payments. */
  readonly account: string;
  /**
   * Takes a raw update as Telegram sent it, and deals with it if it is a payment of ours: answers pre-checkout queries in time,
   * records receipts and refunds (S1–S17). Whatever the update is, it never throws. Everything else comes back with `handled: false`.
   *
   * @example
   * ```ts
   * import type { Telegram } from "bookonce/telegram";
   *
   * export async function receive(telegram: Telegram, update: unknown) {
   *   const result = await telegram.handleUpdate(update);
   *   if (result.outcome === "booked") console.log(`booked ${result.booking.id}`);
   *   return result.ack === "ok" ? 200 : 503;
   * }
   * ```
   */
  handleUpdate(update: unknown, options?: HandleOptions): Promise<HandledUpdate>;
  /**
   * Reads what is new in the bot's Stars ledger and repairs what was missed: receipts that never came, refunds whose answer was lost,
   * refunds that others made. Run it every few minutes, in one process or in several.
   *
   * @throws BookonceError `unavailable` (the database), `provider` (Telegram); run it again, it continues where it was.
   */
  reconcile(options?: ReconcileOptions): Promise<ReconcileReport>;
  /**
   * Compares the whole of the bot's Stars ledger with our payments (O2). Reads only.
   *
   * @throws BookonceError `unavailable`, `provider`
   */
  auditLedger(options?: LedgerAuditOptions): Promise<LedgerAudit>;
  /** Finds what makes bots lose payments (O3). Never throws for what it finds. */
  doctor(options?: DoctorOptions): Promise<DoctorReport>;
  /** Where middlewares and webhooks report what the bot's own code threw. */
  report(error: unknown, context: ErrorContext): void;
}

const deadlinesSchema = z
  .strictObject({
    decideMs: z.number().int().min(1).max(8_000).default(4_000),
    answerMs: z.number().int().min(1).max(3_000).default(3_000),
    recordMs: z.number().int().min(1).max(60_000).default(10_000),
  })
  .refine(
    ({ decideMs, answerMs }) => decideMs + answerMs <= 9_000,
    "together at most 9 000 ms: Telegram counts the way there too",
  );

const optionsSchema = z.strictObject({
  bookonce: having<TelegramBookonce>("an instance of bookonce", "decidePreCheckout", "confirmPayment", "voidApproval"),
  api: having<TelegramApi>("an API port: grammyApi(…), telegrafApi(…), fetchApi(…)", "call"),
  // It and the texts have checks of their own.
  botId: z.unknown().optional(),
  texts: z.unknown().optional(),
  language: z.string().min(1, "must not be empty").default("en"),
  deadlines: deadlinesSchema.prefault({}),
  onError: aFunction<NonNullable<TelegramOptions["onError"]>>().default(() => logError),
  onExternalRefund: aFunction<NonNullable<TelegramOptions["onExternalRefund"]>>().optional(),
});

const handleSchema = z.strictObject({
  signal: signal.optional(),
  patience: z.enum(["none", "until_stored"]).default("none"),
});

/**
 * Connects a bookonce instance with a bot. Opens no connection, needs no session and keeps no state: any number of processes may have
 * one for the same bot (O1).
 *
 * @example
 * ```ts
 * import type { Bookonce } from "bookonce";
 * import { createTelegram, grammyApi, grammyMiddleware } from "bookonce/telegram";
 * import type { Bot } from "grammy";
 *
 * export async function install(bookonce: Bookonce, bot: Bot) {
 *   await bot.init();
 *   const telegram = createTelegram({ bookonce, api: grammyApi(bot.api), botId: bot.botInfo.id });
 *   bot.use(grammyMiddleware(telegram));
 *   return telegram;
 * }
 * ```
 *
 * @throws BookonceError `invalid_input`: a bot id, a text or a deadline that cannot be right.
 */
export function createTelegram(options: TelegramOptions): Telegram {
  const settings = settingsOf(options);
  return {
    account: settings.account,
    handleUpdate: (update, handleOptions = {}) => handleUpdate(settings, update, handleOptions),
    reconcile: (reconcileOptions = {}) => reconcile(settings, reconcileOptions),
    auditLedger: (auditOptions = {}) => auditLedger(settings, auditOptions),
    doctor: (doctorOptions = {}) => doctor(settings, doctorOptions),
    report: settings.report,
  };
}

/** Only the message: the cause of a network error may hold the address of the call, and with it the bot's token. */
function logError(error: unknown, context: ErrorContext): void {
  console.error(`bookonce/telegram (${context}): ${error instanceof Error ? error.message : String(error)}`);
}

function settingsOf(options: TelegramOptions): Settings {
  const { bookonce, api, language, deadlines, onError, onExternalRefund } = check(
    "createTelegram",
    optionsSchema,
    options,
  );
  const report = (error: unknown, context: ErrorContext): void => {
    try {
      onError(error, context);
    } catch {
      // Whoever reports errors must not become one.
    }
  };
  return {
    bookonce,
    api,
    account: accountOf(options.botId),
    texts: mergeTexts(options.texts),
    language,
    ...deadlines,
    report,
    async onExternalRefund(refund) {
      try {
        await onExternalRefund?.(refund);
      } catch (error) {
        report(error, "on_external_refund");
      }
    },
  };
}

async function handleUpdate(settings: Settings, raw: unknown, options: HandleOptions): Promise<HandledUpdate> {
  const { signal, patience } = check("handleUpdate", handleSchema, options);
  const update = decodeUpdate(settings.account, raw);
  switch (update.kind) {
    case "pre_checkout_query":
      return handlePreCheckout(settings, update.input, update.language, signal);
    case "successful_payment":
      return handleReceipt(settings, update.input, { patience, signal });
    case "refunded_payment":
      return handleRefundNotice(settings, update.input, { patience, signal });
    case "subscription":
      return passedOn({ outcome: "subscription", state: update.state });
    case "malformed": {
      const { of, problems, ours, queryId, language } = update;
      const summary = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
      settings.report(new BookonceError("invalid_input", `malformed ${of}: ${summary}`, { problems }), of);
      if (queryId !== null) await declineMalformed(settings, queryId, language);
      return ours ? handled({ outcome: "malformed", of, problems }) : passedOn({ outcome: "malformed", of, problems });
    }
    case "not_ours":
      return passedOn({ outcome: "not_ours" });
    case "other":
      return passedOn({ outcome: "ignored" });
  }
}
