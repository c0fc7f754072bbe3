import { z } from "zod";
import { callTelegram, TelegramApiError } from "./api.ts";
import { check, signal } from "./check.ts";
import { userIdText } from "./identity.ts";
import type { Settings } from "./settings.ts";

export interface DoctorOptions {
  /** Updates waiting at Telegram from which on it is worth a warning. Default 50. */
  readonly pendingLimit?: number;
  readonly signal?: AbortSignal;
}

/**
 * Everything that {@link Telegram.doctor} can find.
 *
 * - `token_refused` (error): Telegram does not know the token.
 * - `telegram_unreachable` (error): no answer from Telegram.
 * - `wrong_bot` (error): `botId` is another bot's; payments would be booked under a wrong account.
 * - `allowed_updates_missing` (error): Telegram was told not to send what payments need (B05).
 * - `webhook_failing` (warning): the last delivery failed, with Telegram's words.
 * - `webhook_unsynchronised` (warning): Telegram has trouble on its side.
 * - `updates_pending` (warning): updates wait; receipts older than 24 hours are dropped, pre-checkouts after 150 seconds.
 * - `webhook_secret` (info): Telegram does not tell whether a secret is set; check that `setWebhook` gave one.
 * - `polling` (info): no webhook is set; one process at a time must poll, and `drop_pending_updates` would drop receipts.
 */
export type FindingCode =
  | "token_refused"
  | "telegram_unreachable"
  | "wrong_bot"
  | "allowed_updates_missing"
  | "webhook_failing"
  | "webhook_unsynchronised"
  | "updates_pending"
  | "webhook_secret"
  | "polling";

export interface Finding {
  readonly code: FindingCode;
  readonly severity: "error" | "warning" | "info";
  /** What it means and what to do. */
  readonly message: string;
}

export interface DoctorReport {
  readonly findings: readonly Finding[];
  /** No finding is an error or a warning. */
  readonly ok: boolean;
}

const needed = ["message", "pre_checkout_query"];

const webhookSchema = z.looseObject({
  url: z.string().default(""),
  pending_update_count: z.number().default(0),
  last_error_date: z.number().optional(),
  last_error_message: z.string().optional(),
  last_synchronization_error_date: z.number().optional(),
  allowed_updates: z.array(z.string()).optional(),
});

const optionsSchema = z.strictObject({
  pendingLimit: z.number().int().min(1).default(50),
  signal: signal.optional(),
});
type Checked = z.output<typeof optionsSchema>;

/** See {@link Telegram.doctor}. */
export async function doctor(settings: Settings, given: DoctorOptions): Promise<DoctorReport> {
  const options = check("doctor", optionsSchema, given);
  const findings = (await Promise.all([identity(settings, options), delivery(settings, options)])).flat();
  // Both calls fail alike when the token or the network is to blame: said once.
  const unique = findings.filter(({ code }, index) => findings.findIndex((other) => other.code === code) === index);
  return { findings: unique, ok: unique.every(({ severity }) => severity === "info") };
}

const callMs = 10_000;

async function ask(
  { api }: Settings,
  method: string,
  { signal }: Checked,
  judge: (answer: unknown) => Finding[],
): Promise<Finding[]> {
  const deadline = AbortSignal.timeout(callMs);
  try {
    const callSignal = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    return judge(await callTelegram(api, method, {}, callSignal));
  } catch (error) {
    const refused = error instanceof TelegramApiError && (error.errorCode === 401 || error.errorCode === 404);
    const message = error instanceof Error ? error.message : String(error);
    if (refused) {
      return [
        {
          code: "token_refused",
          severity: "error",
          message: `Telegram refuses the bot's token (${message}). Is it revoked, or of the test environment?`,
        },
      ];
    }
    return [
      {
        code: "telegram_unreachable",
        severity: "error",
        message: `Telegram did not answer (${message}). Receipts wait there for 24 hours at most.`,
      },
    ];
  }
}

function identity(settings: Settings, options: Checked): Promise<Finding[]> {
  return ask(settings, "getMe", options, (me) => {
    const id = userIdText(z.looseObject({ id: z.unknown() }).safeParse(me).data?.id);
    if (id === settings.account) return [];
    return [
      {
        code: "wrong_bot",
        severity: "error",
        message: `botId is ${settings.account}, but the token is bot ${id ?? "unknown"}'s: payments would be kept under a wrong account, and refunds would fail.`,
      },
    ];
  });
}

function delivery(settings: Settings, options: Checked): Promise<Finding[]> {
  return ask(settings, "getWebhookInfo", options, (answer) => {
    const info = webhookSchema.safeParse(answer).data ?? webhookSchema.parse({});
    return [
      ...missingUpdates(info),
      ...troubles(info),
      ...pending(info, options.pendingLimit),
      info.url === "" ? polling : secret,
    ];
  });
}

type WebhookInfo = z.output<typeof webhookSchema>;

function missingUpdates({ allowed_updates }: WebhookInfo): Finding[] {
  // Left out or empty: Telegram's default, which has both.
  if (allowed_updates === undefined || allowed_updates.length === 0) return [];
  const missing = needed.filter((type) => !allowed_updates.includes(type));
  if (missing.length === 0) return [];
  const message = `allowed_updates leaves out ${missing.join(" and ")}: Telegram does not send ${missing.length === 1 ? "it" : "them"}, and payments fail or go unnoticed. Name ${missing.length === 1 ? "it" : "them"} in the next setWebhook or getUpdates; leaving the list out keeps the old one.`;
  return [{ code: "allowed_updates_missing", severity: "error", message }];
}

function troubles({
  last_error_date,
  last_error_message = "",
  last_synchronization_error_date,
}: WebhookInfo): Finding[] {
  const findings: Finding[] = [];
  if (last_error_date !== undefined) {
    const message = `The webhook failed last at ${iso(last_error_date)}: ${last_error_message}. A payment that always fails holds up its chat for up to 24 hours.`;
    findings.push({ code: "webhook_failing", severity: "warning", message });
  }
  if (last_synchronization_error_date !== undefined) {
    const message = `Telegram could not fetch the bot's updates at ${iso(last_synchronization_error_date)}; it tries again by itself.`;
    findings.push({ code: "webhook_unsynchronised", severity: "warning", message });
  }
  return findings;
}

function pending({ pending_update_count: count }: WebhookInfo, limit: number): Finding[] {
  if (count < limit) return [];
  const message = `${count} updates wait at Telegram. Pre-checkout queries are dropped after 150 seconds and receipts after 24 hours: is the bot running, and fast enough?`;
  return [{ code: "updates_pending", severity: "warning", message }];
}

const secret: Finding = {
  code: "webhook_secret",
  severity: "info",
  message:
    "Telegram does not tell whether the webhook has a secret_token. Make sure that setWebhook gave one: without it anybody can forge a receipt.",
};

const polling: Finding = {
  code: "polling",
  severity: "info",
  message:
    "No webhook is set: the bot must poll, in one process at a time. Do not start it with drop_pending_updates, which drops receipts.",
};

function iso(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString();
}
