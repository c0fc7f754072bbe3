import { setTimeout as sleep } from "node:timers/promises";
import type { Transformer } from "grammy";
import { report } from "./errors.ts";

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

/** Runs a piece of work again and again until `stop` fires; a failure is reported and tried again later. */
export async function repeat(
  name: string,
  everyMs: number,
  stop: AbortSignal,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!stop.aborted) {
    try {
      await work();
    } catch (error) {
      report(`${name} failed and will be tried again`, error);
    }
    await sleep(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** No call to Telegram waits for ever: in polling, one that hangs would hold up everybody. Only `getUpdates` is meant to wait. */
export function deadlines(): Transformer {
  return (call, method, payload, signal) => {
    if (method === "getUpdates" || signal !== undefined) return call(method, payload, signal);
    return call(method, payload, AbortSignal.timeout(patienceMs) as NonNullable<typeof signal>);
  };
}
