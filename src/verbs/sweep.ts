import { expire } from "../core/expire.ts";
import type { Engine } from "../engine/engine.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import type { Patience } from "./patience.ts";
import { read } from "./reader.ts";
import { command, ownRunner } from "./runner.ts";

/** What a sweep did. */
export interface SweepReport {
  /** Bookings whose lapse was written down, so that their customers are told. */
  readonly expired: number;
}

const page = 500;
const budgetMs = 30_000;

/** Tidies only: a lapsed hold blocks nobody from the instant it lapses, whether or not this runs (B6). */
export async function sweep(engine: Engine, store: Store, options: Patience = {}): Promise<SweepReport> {
  const runner = ownRunner(engine);
  let expired = 0;
  for (;;) {
    const lapsed = await read<{ id: string }[]>(engine, store.lookups.lapsed(page), options);
    const outcomes = await Promise.all(
      lapsed.map(({ id }) =>
        runner.run(
          command(
            keys({ bookingIds: [id] }),
            (state, context) => expire(state, { bookingId: id }, context),
            (outcome) => outcome.outcome,
          ),
          options,
          budgetMs,
        ),
      ),
    );
    const done = outcomes.filter((outcome) => outcome === "expired").length;
    expired += done;
    if (lapsed.length < page || done === 0) return { expired };
  }
}
