import type { Context } from "../core/context.ts";
import type { Decision, State } from "../core/state.ts";
import type { Keys } from "../store/keys.ts";

/** A decision waiting for its state: what to lock and read, and the pure function that answers. */
export interface Command<Outcome> {
  readonly keys: Keys;
  readonly decide: (state: State, context: Context) => Decision<Outcome>;
}
