import type { Context } from "./context.ts";
import type { Want } from "./model.ts";
import { settledEntry } from "./settle-entry.ts";
import { type Decision, offersOf, type State, unchanged } from "./state.ts";
import type { Instant, Interval } from "./time.ts";
import { entryEvent, entryStateAt, isInLine, type WaitingEntry } from "./waiting-entry.ts";

/** What is waited for, after validation. */
export interface JoinWaitingList {
  readonly customer: string;
  readonly service: string;
  readonly wants: readonly Want[] | null;
  readonly quantity: number;
  readonly window: Interval;
  /** How long the service takes now: the window must have room for it. */
  readonly durationMs: number;
  /** `at` null: at the instant of joining. */
  readonly consent: { readonly text: string; readonly at: Instant | null };
  readonly requestId: string | null;
  readonly digest: string;
  readonly actor: string;
}

export type JoinRefusal =
  | { readonly reason: "in_past" | "window_too_short" | "idempotency_conflict" }
  | { readonly reason: "too_many_entries"; readonly limit: number };

export type JoinOutcome =
  | { readonly outcome: "joined" | "existing"; readonly entry: WaitingEntry }
  | ({ readonly outcome: "refused" } & JoinRefusal);

/** One entry for one wish, however often it is asked for. */
export function joinWaitingList(state: State, command: JoinWaitingList, context: Context): Decision<JoinOutcome> {
  const { now, policies } = context;
  const own = [...state.entries.values()].filter((entry) => entry.customer === command.customer);
  const inLine = own.filter((entry) => isInLine(entryStateAt(entry, offersOf(state, entry.id), now)));

  const known = own.find((entry) => command.requestId !== null && entry.requestId === command.requestId);
  if (known !== undefined && known.digest !== command.digest) return refused({ reason: "idempotency_conflict" });
  const same = known ?? inLine.find((entry) => entry.digest === command.digest);
  if (same !== undefined) return unchanged({ outcome: "existing", entry: same });

  const { window, durationMs } = command;
  if (window.end - window.start < durationMs) return refused({ reason: "window_too_short" });
  if (window.end - durationMs <= now) return refused({ reason: "in_past" });
  const limit = policies.waitingList.maxEntriesPerCustomer;
  if (inLine.length >= limit) return refused({ reason: "too_many_entries", limit });

  // An entry whose turn is over and that nobody has written down yet makes room for the new one of the same kind.
  const over = own
    .filter((entry) => entry.digest === command.digest)
    .map((entry) => settledEntry(entry, offersOf(state, entry.id), now))
    .filter((entry) => entry !== null);
  const entry = newEntry(command, context);
  return {
    outcome: { outcome: "joined", entry },
    changes: { entries: [...over, entry], events: [entryEvent("waitlist_joined", entry, command.actor, now)] },
  };
}

function refused(refusal: JoinRefusal): Decision<JoinOutcome> {
  return unchanged({ outcome: "refused", ...refusal });
}

function newEntry(command: JoinWaitingList, { now, newId }: Context): WaitingEntry {
  const { customer, service, wants, quantity, window, consent, requestId, digest } = command;
  return {
    id: newId(),
    customer,
    service,
    wants,
    quantity,
    window,
    state: "waiting",
    consent: { text: consent.text, at: consent.at ?? now },
    requestId,
    digest,
    joinedAt: now,
    closedAt: null,
    closedBy: null,
  };
}
