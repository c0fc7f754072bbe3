import { inspect } from "node:util";
import { isBookonceError } from "bookonce";
import { BotError, GrammyError, HttpError } from "grammy";
import { ConfigError } from "./config.ts";

/** The customer has blocked the bot or is gone: there is nobody to tell, now or later. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === 403;
}

/** Telegram has said no to what was sent, and would say no again. */
export function isRefused(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code !== 429 && error.error_code < 500;
}

/**
 * Whether delivering the update once more is in vain: Telegram has refused what the bot said, or the bot is wrong. It would fail in the
 * same way for a day, and hold up the later messages of the same chat. Everything else may pass: a database that is away, a time-out.
 */
export function isHopeless(error: unknown): boolean {
  const cause = causeOf(error);
  if (isBookonceError(cause)) return cause.code === "invalid_input";
  return isRefused(cause) || cause instanceof TypeError || cause instanceof RangeError;
}

/** Writes to the log, without the bot's token: an error of a call to Telegram holds the address, and that holds the token. */
export function report(what: string, error: unknown): void {
  console.error(`${what}:`, inspect(causeOf(error)).replaceAll(/\d+:[\w-]{30,}/g, "<token>"));
}

/** grammY wraps what a handler threw together with the whole context. */
function causeOf(error: unknown): unknown {
  return error instanceof BotError ? error.error : error;
}

/** Why the bot cannot start, in one sentence; undefined for a mistake of ours, whose stack trace somebody needs. */
export function whyNotStarted(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.message;
  if (isBookonceError(error)) {
    const cause = error.cause instanceof Error ? ` (${reasonOf(error.cause)})` : "";
    return `The database at DATABASE_URL does not work: ${error.message}${cause}`;
  }
  if (error instanceof GrammyError) return `Telegram refused ${error.method}: ${error.description}.`;
  if (error instanceof HttpError) return `Telegram cannot be reached: ${error.message} (${codeOf(error.error)})`;
  if (isSystemError(error) && error.code === "EADDRINUSE")
    return `The port ${error.port} is in use; set PORT to another one.`;
  return undefined;
}

/** An error of several addresses that were tried has no message of its own. */
function reasonOf(error: Error): string {
  return error.message === "" ? codeOf(error) : error.message;
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "unknown";
}

function isSystemError(error: unknown): error is Error & { code: string; port: number } {
  return error instanceof Error && "code" in error && "port" in error;
}
