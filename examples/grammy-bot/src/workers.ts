import { setTimeout as sleep } from "node:timers/promises";

/** Runs a piece of work again and again until the signal fires; a failure is reported and tried again later. */
export async function repeat(
  name: string,
  everyMs: number,
  signal: AbortSignal,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) console.error(`${name} failed and will be tried again:`, error);
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
