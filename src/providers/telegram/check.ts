import { z } from "zod";
import { BookonceError } from "../../core/error.ts";

/** Validates what the caller gave, every problem named. @throws BookonceError `invalid_input` */
export function check<Schema extends z.ZodType>(name: string, schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => ({ path: path.join(".") || "input", message }));
  const summary = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new BookonceError("invalid_input", `${name}: ${summary}`, { problems });
}

export const signal: z.ZodType<AbortSignal> = z.instanceof(AbortSignal, { error: "must be an AbortSignal" });

/** A function; its own shape is TypeScript's business. */
export function aFunction<Callable>(): z.ZodType<Callable> {
  return z.custom<Callable>((value) => typeof value === "function", "must be a function");
}

/** Something that has these methods, of whatever class it is. */
export function having<Port>(what: string, ...methods: readonly string[]): z.ZodType<Port> {
  return z.custom<Port>(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      methods.every((method) => typeof Reflect.get(value, method) === "function"),
    `must be ${what}`,
  );
}
