import { BookonceError } from "../core/error.ts";

/** Looks at what an adapter or `within()` was given, where the mistake is, and not by the first query. */
export function expectGiven(where: string, given: unknown, method: string, wanted: string): void {
  const isThere = typeof given === "object" && given !== null && typeof Reflect.get(given, method) === "function";
  if (isThere) return;
  const message = `must be ${wanted}`;
  throw new BookonceError("invalid_input", `${where}: ${message}`, { problems: [{ path: "", message }] });
}
