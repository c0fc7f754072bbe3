import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { createDatabase, startEmbedded } from "../../scripts/postgres.ts";
import { patient } from "../support/bot-buyer.ts";
import { openWorld } from "../support/bot-world.ts";
import { Random, seedOfRun } from "../support/random.ts";
import { Crowd, crowded } from "./crowd.ts";
import { VerbLoad } from "./verb-load.ts";

const restarts = ["fast", "kill", "immediate", "kill", "fast", "immediate"] as const;

// Windows has no signals to stop a server with.
test.skipIf(process.platform === "win32")(
  "PostgreSQL restarted under load, politely and with SIGKILL: nothing is lost, doubled or stuck",
  async () => {
    const random = new Random(seedOfRun("postgres-restart"));
    const server = await startEmbedded();
    onTestFinished(() => server.stop());
    const verbs = new VerbLoad((await createDatabase(server.url, "verbs")).url, random.fork(), 2);
    onTestFinished(() => verbs.close());
    await verbs.prepare();
    const { url: databaseUrl } = await createDatabase(server.url, "bot");
    const world = await openWorld({ delivery: "webhook", databaseUrl, ...crowded });
    onTestFinished(() => world.close());
    await world.start();

    let over = false;
    const crowd = new Crowd(world, random.fork(), 4);
    const load = Promise.all([verbs.runUntil(() => over), crowd.buyUntil(() => over)]);
    try {
      for (const how of restarts) {
        await sleep(500 + random.next() * 2_000);
        await server.restart(how, async () => {
          await expect(verbs.migrate()).rejects.toMatchObject({ code: "unavailable" });
          await sleep(random.next() * 1_000);
        });
        await vi.waitFor(() => world.clock.advance(6 * 60_000), patient);
        await world.telegram.clock.advance({ minutes: 10 });
      }
      await sleep(1_000);
    } finally {
      over = true;
    }
    const [, purchases] = await load;

    expect(verbs.strange).toEqual([]);
    const stored = await verbs.expectAllAccounted();
    // The process has lived through it all; started again, it looks at Telegram's ledger.
    expect(await world.stopAll()).toEqual([0]);
    await world.start();
    await crowd.settle();
    const sold = await crowd.expectAllAccounted();
    console.log(JSON.stringify({ restarts, verbs: verbs.outcomes, stored, purchases, sold }));
    const unavailable = Object.entries(verbs.outcomes).filter(([name]) => name.endsWith("unavailable"));
    expect(unavailable.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(0);
    for (const counts of [stored, sold]) {
      expect(counts.bookings).toBeGreaterThan(0);
      expect(counts.refunds).toBeGreaterThan(0);
    }
  },
  300_000,
);
