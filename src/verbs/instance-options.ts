import { z } from "zod";
import type { Providers } from "../core/providers.ts";
import type { Database } from "../database/port.ts";
import { identifier, parseInput } from "./input.ts";

/** What an instance is made with, besides policies and reminders, which have checks of their own. */
interface CheckedOptions {
  readonly schema: string;
  readonly providers: Providers;
  readonly batch: { readonly size: number; readonly inFlight: number };
  readonly timeouts: { readonly lockMs: number; readonly statementMs: number; readonly idleMs: number };
}

const has = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === "object" && value !== null && names.every((name) => typeof Reflect.get(value, name) === "function");

// A batch of none would never start, and a time-out of zero is PostgreSQL's word for none at all.
const positive = z
  .number("must be a whole number above zero")
  .int("must be a whole number above zero")
  .min(1, "must be a whole number above zero")
  .max(2 ** 31 - 1, "is too large");

// The migrations put the name into a comment and into function bodies quoted with $$.
const isSchemaName = (name: string): boolean =>
  name.length > 0 && Buffer.byteLength(name) <= 63 && !/\p{Cc}|\$\$/u.test(name) && name.isWellFormed();

const schema = z.strictObject({
  database: z.custom<Database<never>>(
    (value) => has(value, "transaction", "join"),
    "must be a database, such as pgDatabase(…) makes one",
  ),
  schema: z
    .string()
    .refine(isSchemaName, "must be a PostgreSQL name of 1 to 63 bytes, without control characters or $$")
    .default("bookonce"),
  policies: z.unknown().optional(),
  reminders: z.unknown().optional(),
  providers: z
    .record(identifier, z.strictObject({ refund: z.enum(["api", "person"]), partialRefund: z.boolean() }))
    .default({}),
  batch: z.strictObject({ size: positive.default(128), inFlight: positive.default(2) }).prefault({}),
  timeouts: z
    .strictObject({
      lockMs: positive.default(1_000),
      statementMs: positive.default(3_000),
      idleMs: positive.default(5_000),
    })
    .prefault({}),
});

export function checkInstanceOptions(options: unknown): CheckedOptions {
  return parseInput("createBookonce", schema, options);
}

/** What `within()` takes is the adapter's business, but nothing at all is nobody's transaction. */
export function expectCaller(caller: unknown): void {
  parseInput(
    "within",
    z.custom((value) => value !== null && value !== undefined, "must be a transaction of yours"),
    caller,
  );
}
