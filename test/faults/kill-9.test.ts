import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFailed, onTestFinished, test } from "vitest";
import { type BotProcess, startBot } from "../../examples/demo/bot-process.ts";
import { freePort } from "../../scripts/postgres.ts";
import { type BotWorld, cleanEnd, openWorld } from "../support/bot-world.ts";
import { type Gate, startGate, type Trap } from "../support/gate.ts";
import { Random, seedOfRun } from "../support/random.ts";
import { Crowd, crowded } from "./crowd.ts";

/** A moment at which a process is killed. Without a trap: at any. */
interface Moment {
  readonly name: string;
  readonly trap?: { readonly at: "api" | "webhook" } & Trap;
  /** Killed so many milliseconds after the moment, at most. */
  readonly within: number;
}

const calls = (method: string, when: "before" | "after"): Moment => ({
  name: `${method}, ${when === "before" ? "not heard" : "heard"}`,
  trap: { at: "api", when, matches: (path) => path.endsWith(`/${method}`) },
  within: 0,
});
const receives = (what: string): Moment => ({
  name: `${what} in hand`,
  trap: { at: "webhook", when: "pass", matches: (_, body) => body.includes(`"${what}"`) },
  within: 25,
});

const apiMoments = [
  calls("answerPreCheckoutQuery", "before"),
  calls("answerPreCheckoutQuery", "after"),
  calls("refundStarPayment", "before"),
  calls("refundStarPayment", "after"),
  calls("sendMessage", "before"),
  calls("sendMessage", "after"),
  calls("sendInvoice", "after"),
];
const webhookMoments = [receives("pre_checkout_query"), receives("successful_payment"), receives("callback_query")];
const anyMoment: Moment = { name: "any moment", within: 1_500 };

/** One bot process with its gates, killed and started again. */
class Victim {
  readonly #world: BotWorld;
  readonly #api: Gate;
  readonly #webhook: Gate;
  readonly #port: number;
  #process: BotProcess | undefined;

  private constructor(world: BotWorld, api: Gate, webhook: Gate, port: number) {
    this.#world = world;
    this.#api = api;
    this.#webhook = webhook;
    this.#port = port;
  }

  static async start(world: BotWorld): Promise<Victim> {
    const port = await freePort();
    const api = await startGate({ port: Number(new URL(world.telegram.url).port) });
    const webhook = await startGate({ port });
    const victim = new Victim(world, api, webhook, port);
    onTestFinished(async () => {
      await victim.end("SIGKILL");
      await Promise.all([api.close(), webhook.close()]);
    });
    await victim.restart();
    return victim;
  }

  get webhookPort(): number {
    return this.#webhook.port;
  }

  async restart(): Promise<void> {
    this.#process = await startBot({ ...this.#world.settings, API_ROOT: this.#api.url, PORT: String(this.#port) });
  }

  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined> {
    return this.#process?.stop(signal);
  }

  said(): string {
    return this.#process?.output() ?? "";
  }

  /** Waits for the moment, or until it has kept everybody waiting for too long, and kills. Resolves to what was hit. */
  async killAt({ name, trap, within }: Moment, random: Random): Promise<string> {
    let hit = name;
    if (trap !== undefined) {
      const gate = trap.at === "api" ? this.#api : this.#webhook;
      const waited = new AbortController();
      const late = sleep(8_000, "late", { signal: waited.signal }).catch(() => "late");
      if ((await Promise.race([gate.trap(trap), late])) === "late") hit = "any moment";
      waited.abort();
    }
    await sleep(random.next() * within);
    expect(await this.end("SIGKILL")).toBe("SIGKILL");
    return hit;
  }
}

async function killingSpree(victim: Victim, moments: readonly Moment[], random: Random): Promise<string[]> {
  const hits: string[] = [];
  for (const moment of moments) {
    hits.push(await victim.killAt(moment, random));
    await victim.restart();
  }
  return hits;
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function timeFlies(world: BotWorld, over: () => boolean): Promise<void> {
  while (!over()) {
    await sleep(6_000);
    await world.clock.advance(6 * 60_000);
    await world.telegram.clock.advance({ minutes: 10 });
  }
}

test.each([
  { delivery: "webhook", processes: 2, people: 6, moments: [...apiMoments, ...webhookMoments, anyMoment] },
  { delivery: "polling", processes: 1, people: 4, moments: [...apiMoments, anyMoment] },
] as const)(
  "killed with SIGKILL at any moment, $delivery: nothing is lost, doubled or stuck",
  async (set) => {
    const random = new Random(seedOfRun(`kill-9, ${set.delivery}`));
    const world = await openWorld({ delivery: set.delivery, ...crowded });
    onTestFinished(() => world.close());
    const victims = await Promise.all(Array.from({ length: set.processes }, () => Victim.start(world)));
    world.balancer.setTargets(victims.map((victim) => victim.webhookPort));
    // Refunds whose answers are lost, so that kills meet refunds in doubt too.
    await world.telegram.faults.replyLost("refundStarPayment", { times: 2 });
    await world.telegram.faults.serverError("refundStarPayment", { effect: "done", times: 2 });

    let phase = "the killing";
    onTestFailed(() => {
      console.log(`failed in: ${phase}`);
      for (const victim of victims) console.log(victim.said().slice(-2_000));
    });
    let over = false;
    const crowd = new Crowd(world, random.fork(), set.people);
    const buying = crowd.buyUntil(() => over);
    const flying = timeFlies(world, () => over);
    const sprees = victims.map((victim) => killingSpree(victim, shuffled(set.moments, random), random.fork()));
    const hits = (await Promise.all(sprees).finally(() => (over = true))).flat();
    phase = "the last purchases";
    const purchases = await buying;
    await flying;

    phase = "the end of the processes";
    // Every process ends cleanly when asked to, and looks at Telegram's ledger when it starts.
    expect(await Promise.all(victims.map((victim) => victim.end("SIGTERM")))).toEqual(victims.map(() => cleanEnd));
    await Promise.all(victims.map((victim) => victim.restart()));
    phase = "settling";
    await crowd.settle();
    phase = "the books";
    const counts = await crowd.expectAllAccounted();
    console.log(JSON.stringify({ kills: hits.length, hits: hits.sort(), purchases, ...counts }));
    expect(hits).toHaveLength(set.processes * set.moments.length);
    expect(counts.bookings).toBeGreaterThan(0);
    expect(counts.refunds).toBeGreaterThan(0);
  },
  400_000,
);
