import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from "kysely";
import { listed } from "./query-builder.ts";
import type { Tables } from "./tables.ts";

/**
 * The bookings that a batch names, by id or token, and the offers that are held for its entries of the waiting list. These are locked
 * and read with all that is theirs. Batches that touch no entry, nearly all of them, do not ask for the latter.
 */
export function isNamed(
  eb: ExpressionBuilder<Tables, "bookings">,
  entries: boolean,
): ExpressionWrapper<Tables, "bookings", SqlBool> {
  const named = [eb("id", "=", listed("bookingIds", "uuid")), eb("token", "=", listed("tokens", "text"))];
  const offered = eb.and([eb("state", "=", sql.lit("held")), eb("waitlist_entry_id", "=", listed("entryIds", "uuid"))]);
  return eb.or(entries ? [...named, offered] : named);
}
