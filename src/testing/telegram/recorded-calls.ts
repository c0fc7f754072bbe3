import type { JsonObject } from "./json.ts";

/** A call that a bot made. */
export interface RecordedCall {
  readonly bot: number;
  /** The method's name as Telegram spells it. */
  readonly method: string;
  /** The parameters as they came: text for form bodies, typed for JSON. */
  readonly params: JsonObject;
  /** The fake's clock, in milliseconds since 1970. */
  readonly at: number;
  /** Undefined until the call has been answered, and for replies that a fault swallowed. */
  reply?: { readonly ok: boolean; readonly code: number; readonly description?: string | undefined } | undefined;
}

/** Which calls to list; everything that is left out matches. */
export interface CallFilter {
  bot?: number | undefined;
  method?: string | undefined;
}

/** Keeps the newest calls; enough for any test, bounded for a demo that runs all day. */
const LIMIT = 20_000;

/** Every call that the bots made, oldest first. Polls are left out: they would drown the rest. */
export class CallBook {
  #calls: RecordedCall[] = [];

  add(call: RecordedCall): RecordedCall {
    this.#calls.push(call);
    if (this.#calls.length > LIMIT) this.#calls = this.#calls.slice(LIMIT / 2);
    return call;
  }

  list(filter: CallFilter): RecordedCall[] {
    const method = filter.method?.toLowerCase();
    return this.#calls.filter(
      (call) =>
        (filter.bot === undefined || call.bot === filter.bot) &&
        (method === undefined || call.method.toLowerCase() === method),
    );
  }
}
