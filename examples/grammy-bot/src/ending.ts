import type { Transformer } from "grammy";

const patienceMs = 5_000;

/**
 * How the process ends. `stop` fires at once: nothing new is begun, and what is in hand is finished. `giveUp` fires some seconds later:
 * what is still waiting, for a database that is away, say, waits no longer.
 */
export interface Ending {
  readonly stop: AbortSignal;
  readonly giveUp: AbortSignal;
  begin(): void;
}

/** Ends on SIGINT and SIGTERM, or when told so. */
export function shutdown(): Ending {
  const stop = new AbortController();
  const giveUp = new AbortController();
  const begin = (): void => {
    if (stop.signal.aborted) return;
    stop.abort();
    setTimeout(() => giveUp.abort(), patienceMs).unref();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      console.log("stopping: what is in hand is finished first");
      begin();
    });
  }
  return { stop: stop.signal, giveUp: giveUp.signal, begin };
}

/** No call to Telegram waits for ever: in polling, one that hangs would hold up everybody. Only `getUpdates` is meant to wait. */
export function deadlines(): Transformer {
  return (call, method, payload, signal) => {
    if (method === "getUpdates" || signal !== undefined) return call(method, payload, signal);
    return call(method, payload, AbortSignal.timeout(patienceMs) as NonNullable<typeof signal>);
  };
}
