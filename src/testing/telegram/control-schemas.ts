import { z } from "zod";
import type { CommandInput, ControlCommands } from "./control-types.ts";
import type { Duration } from "./duration.ts";
import type { Fault, MethodFault, PaymentFaults } from "./faults.ts";
import type { Json, JsonObject } from "./json.ts";
import type { PayOptions } from "./payment-types.ts";

const id = z.number().int();
const count = z.number().int().min(0);
const text = z.string();
const none = z.object({});
const json: z.ZodType<Json> = z.lazy(() =>
  z.union([text, z.number(), z.boolean(), z.null(), z.array(json), z.record(text, json.optional())]),
);
const jsonObject: z.ZodType<JsonObject> = z.record(text, json.optional());
const chargeId = z.object({ chargeId: text });
const someBot = z.object({ bot: id.optional() });
const personal = someBot.extend({ userId: id, chatId: id.optional() });
const waitMs = z.number().min(0).max(60_000);

const part = z.number().optional();
const duration: z.ZodType<Duration> = z.strictObject({
  days: part,
  hours: part,
  minutes: part,
  seconds: part,
  milliseconds: part,
});

const times = z.union([z.number().int().min(1), z.literal("always")]).optional();
const flag = z.boolean().optional();

const methodFault = z.strictObject({
  error: z.strictObject({ code: id, description: text, retryAfter: count.optional() }).optional(),
  reply: z.enum(["lost", "hang", "true"]).optional(),
  effect: z.enum(["none", "done"]).optional(),
  delay: duration.optional(),
  times,
}) satisfies z.ZodType<MethodFault>;

const paymentFaults = z.strictObject({
  neverCharge: flag,
  chargeDelay: duration.optional(),
  charges: z.number().int().min(1).optional(),
  clientSeesFailure: flag,
  receipt: z.enum(["lost", "twice-same-update-id", "twice-new-update-id"]).optional(),
  receiptDelay: duration.optional(),
  receiptBeforeAnswerReturns: flag,
  ignoreAnswer: flag,
  skipPreCheckout: flag,
  preCheckoutTwice: flag,
}) satisfies z.ZodType<PaymentFaults>;

const fault: z.ZodType<Fault> = z.discriminatedUnion("kind", [
  methodFault.extend({ kind: z.literal("method"), method: text, bot: id.optional() }),
  paymentFaults.extend({ kind: z.literal("payment"), user: id.optional(), times }),
  z.strictObject({ kind: z.literal("short_pages"), max: count, times }),
]);

const payOptions: z.ZodType<PayOptions> = z.strictObject({
  faults: paymentFaults.optional(),
  formAge: duration.optional(),
  tip: count.optional(),
  shippingOption: text.optional(),
  affiliate: z.strictObject({ commissionPerMille: count }).optional(),
});

/** What each command takes, checked for callers in this process as for those beyond HTTP. */
export const controlSchemas: { readonly [K in keyof ControlCommands]: z.ZodType<CommandInput<K>> } = {
  "bot.create": z.strictObject({
    token: text.optional(),
    username: text.optional(),
    firstName: text.optional(),
    environment: z.enum(["production", "test"]).optional(),
  }),
  "bot.list": none,
  "user.create": z.strictObject({
    id: id.positive().optional(),
    firstName: text.optional(),
    lastName: text.optional(),
    username: text.optional(),
    stars: count.optional(),
    language_code: text.optional(),
  }),
  "user.read": z.object({ id }),
  "user.give-stars": z.object({ id, stars: count }),
  "user.block": personal.extend({ blocked: z.boolean() }),
  "group.create": z.object({ title: text }),
  "chat.read": z.object({ chatId: id, bot: id.optional(), afterRevision: count.optional(), waitMs: waitMs.optional() }),
  "chat.send": personal.extend({ content: jsonObject }),
  "chat.press": personal.extend({
    button: text,
    on: z.object({ messageId: id, data: text }).optional(),
    waitMs: waitMs.optional(),
  }),
  "callback.answer": z.object({ callbackQueryId: text, waitMs }),
  "payment.start": personal.extend({
    invoice: z.object({ link: text.optional(), messageId: id.optional() }),
    options: payOptions,
    waitMs: waitMs.optional(),
  }),
  "payment.outcome": z.object({ paymentId: text, waitMs }),
  "subscription.renew": chargeId,
  "subscription.cancel": chargeId.extend({ canceled: z.boolean() }),
  "refund.external": chargeId.extend({ notice: flag, ledgerEntry: flag }),
  "fault.add": z.object({ fault }),
  "fault.clear": none,
  "clock.now": none,
  "clock.advance": z.object({ by: duration }),
  "ledger.read": someBot,
  "ledger.add-foreign": z.object({
    kind: z.enum([
      "gift",
      "withdrawal",
      "withdrawal_failed",
      "paid_media",
      "telegram_ads",
      "telegram_api",
      "other_incoming",
      "other_outgoing",
    ]),
    amount: count,
    bot: id.optional(),
    user: id.optional(),
  }),
  "updates.pending": someBot,
  "updates.push": someBot.extend({ type: text, content: jsonObject }),
  "updates.jump": someBot.extend({ to: id.positive().optional() }),
  "calls.read": z.object({ bot: id.optional(), method: text.optional() }),
};
