import { type RawBuilder, sql } from "kysely";
import type { Keys } from "./keys.ts";
import { document, listed } from "./query-builder.ts";

/** By what a batch names bookings. */
export type NamedBy = "id" | "token" | "entry";

/** Nearly always one way only: then the condition is one look-up, and not a choice of them. */
export function namedBy(keys: Keys): NamedBy[] {
  const by: NamedBy[] = [];
  if (keys.bookingIds.length > 0) by.push("id");
  if (keys.tokens.length > 0) by.push("token");
  if (keys.entryIds.length > 0) by.push("entry");
  return by;
}

/**
 * The condition for the bookings that a batch names, by id or token, and for the offers that are held for its entries of the waiting
 * list. These are locked and read with all that is theirs.
 */
export function isNamed(by: readonly NamedBy[], from: RawBuilder<unknown> = document): RawBuilder<unknown> {
  const conditions = {
    id: sql`id = ${listed("bookingIds", "uuid", from)}`,
    token: sql`token = ${listed("tokens", "text", from)}`,
    entry: sql`(state = 'held' and waitlist_entry_id = ${listed("entryIds", "uuid", from)})`,
  };
  return by.length === 0
    ? sql`false`
    : sql.join(
        by.map((way) => conditions[way]),
        sql` or `,
      );
}
