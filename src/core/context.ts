import type { Policies } from "./policies.ts";
import type { Providers } from "./providers.ts";
import type { Instant } from "./time.ts";

/** What a decision may know besides the state and the command. Nothing here is read by the core itself: no clock, no randomness. */
export interface Context {
  /** PostgreSQL's clock, read once after the locks were held (S4). */
  readonly now: Instant;
  readonly policies: Policies;
  readonly providers: Providers;
  /** Fresh random ids, drawn by the engine. */
  readonly newId: () => string;
  readonly newToken: () => string;
}
