import { createHash } from "node:crypto";
import { z } from "zod";
import {
  type JoinOutcome as CoreOutcome,
  joinWaitingList as decide,
  type JoinWaitingList,
} from "../core/join-waiting-list.ts";
import { offersOf } from "../core/state.ts";
import { keys } from "../store/keys.ts";
import { identifier, instant, parseInput, quantities, text, wants } from "./input.ts";
import { expectCountable } from "./party.ts";
import { type Patience, patienceWithin } from "./patience.ts";
import type { Runner } from "./runner.ts";
import type { ServiceSource, WantInput } from "./services.ts";
import { partyOf } from "./waiting-list-candidates.ts";
import { viewEntry, type WaitlistEntryView } from "./waiting-list-views.ts";

/** What `waitlist.join` takes. */
export interface JoinWaitlistInput {
  readonly customer: string;
  readonly service: string;
  /** Instead of the resources that the service names ("Anna, not just anyone"). */
  readonly resources?: readonly WantInput[];
  /** The size of the party: so many places at once, or none. Default 1. */
  readonly quantity?: number;
  /** The visit lies within the window, from its start to its end. 62 days at most. */
  readonly from: Date | string;
  readonly to: Date | string;
  /** What she agreed to: your text or its version. `at`: when; default: now. */
  readonly consent: { readonly text: string; readonly at?: Date | string };
  /** An idempotency key of yours. */
  readonly requestId?: string;
  /** Who does it, for the history. Default: the customer. */
  readonly actor?: string;
}

/**
 * What `waitlist.join` answers.
 *
 * - `joined`. `existing`: the same customer waits for the same already, or the request id is known; the entry keeps its place in line.
 * - `refused`: `unknown_service` (or switched off), `in_past`, `window_too_short` (shorter than the service), `too_many_entries`
 *   (policy), `idempotency_conflict` (the request id is known with other content).
 */
export type JoinWaitlistOutcome =
  | { readonly outcome: "joined" | "existing"; readonly entry: WaitlistEntryView }
  | { readonly outcome: "refused"; readonly reason: "too_many_entries"; readonly limit: number }
  | {
      readonly outcome: "refused";
      readonly reason: "unknown_service" | "in_past" | "window_too_short" | "idempotency_conflict";
    };

const longestWindowMs = 62 * 86_400_000;

const schema = z
  .strictObject({
    customer: identifier,
    service: identifier,
    resources: wants.optional(),
    quantity: quantities.default(1),
    from: instant,
    to: instant,
    consent: z.strictObject({ text: text(2000), at: instant.optional() }),
    requestId: identifier.optional(),
    actor: identifier.optional(),
  })
  .refine(({ from, to }) => from < to, { path: ["to"], message: "must be after from" })
  .refine(({ from, to }) => to - from <= longestWindowMs, {
    path: ["to"],
    message: "must be at most 62 days after from",
  });

const defaultBudgetMs = 10_000;

export async function joinWaitlist(
  runner: Runner,
  services: ServiceSource,
  input: JoinWaitlistInput,
  given: Patience = {},
): Promise<JoinWaitlistOutcome> {
  const options = patienceWithin(given, defaultBudgetMs);
  const asked = parseInput("waitlist.join", schema, input);
  const service = await services(runner, asked.service, options);
  if (service?.active !== true) return { outcome: "refused", reason: "unknown_service" };
  const wanted = toCommand(asked, service.durationMs);
  expectCountable("waitlist.join", partyOf(service, wanted));
  const { customer, requestId } = wanted;
  return runner.run(
    {
      keys: keys({ customers: [customer], waiters: [{ customer, requestId }] }),
      decide(state, context) {
        const { outcome, changes } = decide(state, wanted, context);
        return { outcome: view(outcome, (entry) => viewEntry(entry, offersOf(state, entry.id), context.now)), changes };
      },
    },
    options,
    defaultBudgetMs,
  );
}

function toCommand(asked: z.output<typeof schema>, durationMs: number): JoinWaitingList {
  const { customer, service, resources = null, quantity, from, to, consent } = asked;
  return {
    customer,
    service,
    wants: resources,
    quantity,
    window: { start: from, end: to },
    durationMs,
    consent: { text: consent.text, at: consent.at ?? null },
    requestId: asked.requestId ?? null,
    digest: createHash("sha256")
      .update(JSON.stringify([service, resources, quantity, from, to]))
      .digest("base64url"),
    actor: asked.actor ?? customer,
  };
}

function view(
  outcome: CoreOutcome,
  viewOf: (entry: Exclude<CoreOutcome, { outcome: "refused" }>["entry"]) => WaitlistEntryView,
): JoinWaitlistOutcome {
  if (outcome.outcome !== "refused") return { outcome: outcome.outcome, entry: viewOf(outcome.entry) };
  return outcome.reason === "too_many_entries"
    ? { outcome: "refused", reason: outcome.reason, limit: outcome.limit }
    : { outcome: "refused", reason: outcome.reason };
}
