import type { Policies } from "./policies.ts";
import type { Providers } from "./providers.ts";
import type { Instant, Interval } from "./time.ts";

/** What a decision may know besides the state and the command. Nothing here is read by the core itself: no clock, no randomness. */
export interface Context {
  /** PostgreSQL's clock, read once after the locks were held (S4). */
  readonly now: Instant;
  readonly policies: Policies;
  readonly providers: Providers;
  /** Whether opening hours, notice and horizon allow a time: the calendar's own pure function, the same for lists and claims (B16). */
  readonly admitTime: AdmitTime;
  /** Fresh random ids, drawn by the engine. */
  readonly newId: () => string;
  readonly newToken: () => string;
}

/** Opening hours, notice, horizon: data that only the calendar reads. */
export type TimeRules = Readonly<Record<string, unknown>>;

export type AdmitTime = (rules: TimeRules, interval: Interval, now: Instant) => TimeRefusal | null;

/** Why a time is not offered, and so cannot be claimed either. */
export type TimeRefusal =
  | { readonly reason: "too_soon"; readonly earliest: Instant }
  | { readonly reason: "too_far"; readonly latest: Instant }
  | { readonly reason: "closed"; readonly because: string };
