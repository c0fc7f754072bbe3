/** A fake Telegram server for tests of bots that take payments. */

// Starting one, or driving one in another process

export { connectFakeTelegram } from "./control-client.ts";
export type { CommandInput, CommandOutput, ControlCommands, ControlPort } from "./control-types.ts";
export type {
  FakeClock,
  FakeGroup,
  FakeLedger,
  FakeTelegramControls,
  FakeUpdates,
  RemoteFakeTelegram,
} from "./fake-telegram.ts";
export { type FakeTelegram, type FakeTelegramOptions, startFakeTelegram } from "./start.ts";

// Bots, people and chats

export type { NewBot } from "./bot-account.ts";
export type { CallbackAnswer } from "./callbacks.ts";
export type { ChatButton, ChatMessage, ShownInvoice } from "./chat.ts";
export type { BotRecord, ChatAddress, InvoiceReference, PersonalAction, UserRecord } from "./control-types.ts";
export type { FakeChat, WaitOptions } from "./fake-chat.ts";
export type { FakeUser, PressedButton, Where } from "./fake-user.ts";
export type { NewUser } from "./people.ts";

// Payments and the ledger

export type { ForeignEntry, ForeignEntryKind } from "./foreign-entries.ts";
export type { PaymentFailure, PaymentOutcome, PayOptions } from "./payment-types.ts";
export type { ExternalRefund } from "./refunds.ts";
export type { Charge, LedgerSnapshot, Refund, StarEntry } from "./star-ledger.ts";

// Faults, calls, time

export type { Duration } from "./duration.ts";
export type { FakeFaults, HowOften } from "./fake-faults.ts";
export type { Fault, MethodFault, PaymentFaults, Times } from "./faults.ts";
export type { Json, JsonObject } from "./json.ts";
export type { CallFilter, RecordedCall } from "./recorded-calls.ts";
