import { GrammyError } from "grammy";

/** The customer has blocked the bot or is gone: there is nobody to tell, now or later. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === 403;
}
