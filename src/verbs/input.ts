import { z } from "zod";
import { BookonceError, type InputProblem } from "../core/error.ts";

/** Validates an input at the door: every problem is named, and nothing is written. */
export function parseInput<Schema extends z.ZodType>(verb: string, schema: Schema, input: unknown): z.output<Schema> {
  const parsed = attempt(verb, () => schema.safeParse(input));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => ({
    path: issue.path.join(".") || "input",
    message: issue.message,
  }));
  throw invalidInput(verb, problems);
}

export function invalidInput(verb: string, problems: readonly InputProblem[]): BookonceError {
  const summary = problems.map((problem) => `${problem.path}: ${problem.message}`).join("; ");
  return new BookonceError("invalid_input", `${verb}: ${summary}`, { problems });
}

/** Looking at an input can fail too: a getter or a proxy that throws. */
function attempt<Result>(verb: string, look: () => Result): Result {
  try {
    return look();
  } catch (cause) {
    const problem = { path: "input", message: "cannot be read" };
    throw new BookonceError("invalid_input", `${verb}: input: cannot be read`, { cause, problems: [problem] });
  }
}

// PostgreSQL's text and jsonb hold neither NUL nor half a surrogate pair.
const storable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed();

/** Text that PostgreSQL can store and a person can read back. */
export function text(maxLength: number): z.ZodType<string> {
  return z
    .string()
    .min(1, "must not be empty")
    .max(maxLength, `must have at most ${maxLength} characters`)
    .refine(storable, "must be well-formed text without NUL");
}

export const identifier: z.ZodType<string> = text(200);

/** Text that somebody else wrote, such as an error's message, made storable rather than refused: cut, whole characters, no NUL. */
export function storableText(value: string, maxLength = 1000): string {
  return value.slice(0, maxLength).replaceAll("\u0000", "").toWellFormed();
}

/** Ids that we make: anything else names nothing. In small letters, as the database gives them back. */
export const uuid: z.ZodType<string> = z.uuid("must be an id that bookonce returned").toLowerCase();

const dayMs = 24 * 3_600_000;
const earliest = Date.UTC(1970, 0, 1);
// What is counted from it (a year of duration, buffers, a hold) still has a year of four digits, as PostgreSQL wants it.
const latest = Date.UTC(9990, 0, 1);

/** A `Date`, or ISO 8601 text with an offset; milliseconds since 1970 from here on. */
export const instant: z.ZodType<number> = z
  .union(
    [
      z.date("must be a valid Date"),
      z.iso.datetime({ offset: true, error: "must be a Date or ISO 8601 text with an offset" }),
    ],
    {
      error: "must be a Date or ISO 8601 text with an offset",
    },
  )
  .transform((value) => (typeof value === "string" ? Date.parse(value) : value.getTime()))
  .refine((value) => value >= earliest && value < latest, "must lie between the years 1970 and 9990");

/** A length of time. Parts add up; days are 24 hours here, never calendar days. */
export interface Duration {
  readonly milliseconds?: number;
  readonly seconds?: number;
  readonly minutes?: number;
  readonly hours?: number;
}

/** The longest time that can be booked, or waited for. */
export const longest: { readonly ms: number; readonly message: string } = {
  ms: 366 * 24 * 3_600_000,
  message: "must be a year at most",
};

const part = z.number().min(0, "must not be negative").max(1e9, "is too long").optional();

export const duration: z.ZodType<number> = z
  .strictObject(
    { milliseconds: part, seconds: part, minutes: part, hours: part },
    { error: "must be like { minutes: 60 }" },
  )
  .transform(
    ({ milliseconds = 0, seconds = 0, minutes = 0, hours = 0 }) =>
      milliseconds + 1_000 * (seconds + 60 * (minutes + 60 * hours)),
  )
  .refine((value) => Number.isSafeInteger(value), "must be a whole number of milliseconds")
  .refine((value) => value <= longest.ms, longest.message);

/** Time kept free around a booking: its column holds milliseconds as an integer. */
export const buffer: z.ZodType<number> = duration.refine((value) => value <= 24 * dayMs, "must be 24 days at most");

export const longDuration: z.ZodType<number> = duration.refine((value) => value > 0, "must be longer than nothing");

export const amount: z.ZodType<number> = z
  .number("must be a whole number of minor units")
  .int("must be a whole number of minor units")
  .positive("must be more than nothing")
  .max(Number.MAX_SAFE_INTEGER, "is too large");

export const currency: z.ZodType<string> = z
  .string()
  .regex(/^[A-Z]{3}$/, "must be an ISO 4217 code or XTR, in capitals");

export const money: z.ZodType<{ amount: number; currency: string }> = z.strictObject({ amount, currency });

const maxDataBytes = 16_384;
const maxDataDepth = 100;

const plainJson = z
  .json({ error: "must be plain JSON" })
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maxDataBytes, "must be at most 16 KiB as JSON")
  .refine((value) => storable(unescaped(value)), "must hold well-formed text without NUL");

/** Any plain JSON of at most 16 KiB. Its depth is looked at first, for the rest walks it by recursion. */
export const json: z.ZodType<unknown> = z
  .unknown()
  .refine((value) => !isDeeperThan(maxDataDepth, value), `must be nested at most ${maxDataDepth} deep`)
  .pipe(plainJson);

const plainData = z
  .record(z.string(), z.json({ error: "must be plain JSON" }))
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maxDataBytes, "must be at most 16 KiB as JSON")
  .refine((value) => storable(unescaped(value)), "must hold well-formed text without NUL");

/** The caller's own data: the same, and an object. */
export const data: z.ZodType<Record<string, unknown>> = z
  .unknown()
  .refine((value) => !isDeeperThan(maxDataDepth, value), `must be nested at most ${maxDataDepth} deep`)
  .pipe(plainData);

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner));
}

// All the strings of a JSON value in one, as they are before escaping.
function unescaped(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([key, inner]) => key + unescaped(inner))
    .join("");
}

const quantity = z
  .number("must be a whole number")
  .int("must be a whole number")
  .min(1, "must be 1 at least")
  .max(100_000, "is too many");
export const quantities: z.ZodType<number> = quantity;

/** What is wanted: resources or pools, each named once, sorted so that the same wants are the same. */
export const wants: z.ZodType<{ resource: string; quantity: number }[]> = z
  .array(z.union([identifier, z.strictObject({ resource: identifier, quantity })]), "must be a list of resource ids")
  .min(1, "must name a resource")
  .max(20, "must name at most 20 resources")
  .transform((list) => list.map((want) => (typeof want === "string" ? { resource: want, quantity: 1 } : want)))
  .refine((list) => new Set(list.map((want) => want.resource)).size === list.length, "must name each resource once")
  .transform((list) => list.sort((left, right) => (left.resource < right.resource ? -1 : 1)));

/** How many at once, or how often, for workers. */
export const times: z.ZodType<number> = z.number().int().min(1).max(100_000);

/** A worker's patience, in milliseconds. */
export const patienceMs: z.ZodType<number> = z
  .number()
  .int()
  .min(1)
  .max(24 * 3_600_000);

/** Options of every call that goes to the database. */
export interface CallOptions {
  /** Gives up when it fires: the call answers as if its time were over. */
  readonly signal?: AbortSignal;
  /** The longest the call may take, in milliseconds, queueing and retries included. `Infinity`: until the signal fires. */
  readonly budgetMs?: number;
}
