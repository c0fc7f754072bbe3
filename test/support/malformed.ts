import { isBookonceError } from "bookonce";
import { expect } from "vitest";
import type { TestDatabase } from "./database.ts";
import { digestOf } from "./fixtures.ts";

/** What JavaScript may pass, whatever the types say. */
// biome-ignore lint/suspicious/noExplicitAny: the point of these tests
export type Anything = any;

export const NUL = "\u0000";
export const HALF = "\ud83d";
/** An id like ours that names nothing. */
export const nobodysId = "00000000-0000-4000-8000-000000000000";
export const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
export const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
export const throwing: unknown = Object.defineProperty({}, "trap", {
  enumerable: true,
  get() {
    throw new Error("a getter that throws");
  },
});

/** O6: a clear typed refusal that names the problem, and nothing is written. */
export async function expectRefusal(
  db: TestDatabase,
  call: () => Promise<unknown>,
  path: string,
  before: string,
): Promise<void> {
  const outcome = await call().then(
    (value: unknown) => ({ value }),
    (error: unknown) => error,
  );
  if (!isBookonceError(outcome))
    throw outcome instanceof Error ? outcome : new Error(`accepted: ${JSON.stringify(outcome)}`);
  expect(outcome.code).toBe("invalid_input");
  expect(outcome.retryable).toBe(false);
  const paths = outcome.problems.map((problem) => problem.path);
  expect(paths.some((one) => one === path || one.startsWith(`${path}.`) || path === "")).toBe(true);
  for (const problem of outcome.problems) expect(outcome.message).toContain(problem.message);
  expect(await digestOf(db)).toBe(before);
}

/** Own keys win, whatever they are called; a key that is given as undefined is left out. */
export function merged(base: object, over: Record<string, unknown>): unknown {
  const all = Object.create(null);
  for (const [key, value] of [...Object.entries(base), ...Object.entries(over)]) {
    if (value === undefined) delete all[key];
    else Object.defineProperty(all, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return all;
}
