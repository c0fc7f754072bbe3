import type { NewBot } from "./bot-account.ts";
import type { CallbackAnswer } from "./callbacks.ts";
import type { ChatMessage } from "./chat.ts";
import type { Duration } from "./duration.ts";
import type { Fault } from "./faults.ts";
import type { ForeignEntry } from "./foreign-entries.ts";
import type { JsonObject } from "./json.ts";
import type { PaymentOutcome, PayOptions } from "./payment-types.ts";
import type { NewUser } from "./people.ts";
import type { CallFilter, RecordedCall } from "./recorded-calls.ts";
import type { ExternalRefund } from "./refunds.ts";
import type { LedgerSnapshot } from "./star-ledger.ts";

/** A bot as tests know it. */
export interface BotRecord {
  readonly id: number;
  readonly token: string;
  readonly username: string;
}

/** A person as tests know them. */
export interface UserRecord {
  readonly id: number;
  readonly firstName: string;
  /** Whole Stars in the wallet now. */
  readonly stars: number;
}

/** A chat as seen with one bot: a person's private chat, or a group. */
export interface ChatAddress {
  chatId: number;
  bot?: number | undefined;
}

/** What one person does in one chat. */
export interface PersonalAction {
  userId: number;
  bot?: number | undefined;
  chatId?: number | undefined;
}

/** Which invoice is paid: a link, a message, or (neither) the newest invoice in the chat. */
export interface InvoiceReference {
  link?: string | undefined;
  messageId?: number | undefined;
}

/**
 * Everything that can be asked of the fake besides the Bot API, by name: the same commands in one process and, as
 * `POST /_fake/<name>` with a JSON body, from any other. `waitMs` is real time.
 */
export interface ControlCommands {
  "bot.create"(input: NewBot): BotRecord;
  "bot.list"(input: object): BotRecord[];
  "user.create"(input: NewUser): UserRecord;
  "user.read"(input: { id: number }): UserRecord;
  "user.give-stars"(input: { id: number; stars: number }): UserRecord;
  "user.block"(input: PersonalAction & { blocked: boolean }): null;
  "group.create"(input: { title: string }): { id: number };
  "chat.read"(input: ChatAddress & { afterRevision?: number | undefined; waitMs?: number | undefined }): Promise<{
    revision: number;
    messages: ChatMessage[];
  }>;
  "chat.send"(input: PersonalAction & { content: JsonObject }): ChatMessage;
  "chat.press"(
    input: PersonalAction & {
      button: string;
      /** Presses this button of this message as remembered, shown still or not. */
      on?: { messageId: number; data: string } | undefined;
      waitMs?: number | undefined;
    },
  ): Promise<{ callbackQueryId: string }>;
  "callback.answer"(input: { callbackQueryId: string; waitMs: number }): Promise<CallbackAnswer | null>;
  "payment.start"(
    input: PersonalAction & { invoice: InvoiceReference; options: PayOptions; waitMs?: number | undefined },
  ): Promise<{ paymentId: string }>;
  "payment.outcome"(input: { paymentId: string; waitMs: number }): Promise<PaymentOutcome | null>;
  "subscription.renew"(input: { chargeId: string }): { chargeId: string };
  "subscription.cancel"(input: { chargeId: string; canceled: boolean }): null;
  "refund.external"(input: ExternalRefund): null;
  "fault.add"(input: { fault: Fault }): null;
  "fault.clear"(input: object): null;
  "clock.now"(input: object): number;
  "clock.advance"(input: { by: Duration }): Promise<number>;
  "ledger.read"(input: { bot?: number | undefined }): LedgerSnapshot;
  "ledger.add-foreign"(input: ForeignEntry): JsonObject;
  "updates.pending"(input: { bot?: number | undefined }): JsonObject[];
  "updates.push"(input: { bot?: number | undefined; type: string; content: JsonObject }): { updateId: number | null };
  "updates.jump"(input: { bot?: number | undefined; to?: number | undefined }): { nextUpdateId: number };
  "calls.read"(input: CallFilter): RecordedCall[];
}

/** The input of a command. */
export type CommandInput<K extends keyof ControlCommands> = Parameters<ControlCommands[K]>[0];
/** The output of a command. */
export type CommandOutput<K extends keyof ControlCommands> = Awaited<ReturnType<ControlCommands[K]>>;

/** A way to give commands to a fake: directly, or over HTTP. */
export interface ControlPort {
  call<K extends keyof ControlCommands>(name: K, input: CommandInput<K>): Promise<CommandOutput<K>>;
}
