import { randomInt } from "node:crypto";
import type { BotAccount, WebhookSettings } from "./bot-account.ts";
import type { ClockTimer } from "./clock.ts";
import type { QueuedUpdate } from "./update-queue.ts";
import { type DeliveryResult, deliver } from "./webhook-delivery.ts";
import type { World } from "./world.ts";

/** A webhook that answers 410 Gone for this long is closed by Telegram. */
const GONE_FOR = 23 * 60 * 60 * 1000;
const LONGEST_RETRY_AFTER = 3600;

interface Lane {
  inFlight: Promise<void> | undefined;
  /** The update at the head that has failed, and how it is being retried. */
  failing: QueuedUpdate | undefined;
  failures: number;
  delay: number;
  wakeAt: number;
  timer: ClockTimer | undefined;
}

/**
 * Pushes one bot's updates to one webhook: oldest first and one at a time in each lane, lanes side by side. A failure is
 * retried after 0, 2, 4, 8… seconds, up to a random 60 to 120, or after what `Retry-After` asks; an update whose next try
 * would come after its end is dropped.
 */
export class WebhookPusher {
  readonly #world: World;
  readonly #bot: BotAccount;
  readonly #webhook: WebhookSettings;
  readonly #execute: (method: string, params: Record<string, unknown>) => void;
  readonly #lanes = new Map<string, Lane>();
  readonly #stopped = new AbortController();
  /** Lanes that could send but for the limit of connections, longest waiting first. */
  readonly #ready = new Set<string>();
  #connections = 0;
  #draining = false;
  #goneSince: number | undefined;

  constructor(
    world: World,
    bot: BotAccount,
    webhook: WebhookSettings,
    execute: (method: string, params: Record<string, unknown>) => void,
  ) {
    this.#world = world;
    this.#bot = bot;
    this.#webhook = webhook;
    this.#execute = execute;
  }

  get webhook(): WebhookSettings {
    return this.#webhook;
  }

  /** Settles when nothing is in flight. */
  async idle(): Promise<void> {
    const inFlight = [...this.#lanes.values()].flatMap((lane) => lane.inFlight ?? []);
    await Promise.all(inFlight);
    // A delivery often leads to the next one.
    if (inFlight.length > 0) await this.idle();
  }

  /** Sends nothing new; what is in flight may finish. */
  drain(): void {
    this.#draining = true;
    for (const lane of this.#lanes.values()) lane.timer?.cancel();
  }

  stop(): void {
    this.drain();
    this.#stopped.abort();
  }

  /** Sends what can be sent now, in one lane or in all. */
  wake(lane?: string): void {
    for (const name of lane === undefined ? this.#bot.queue.lanes() : [lane]) this.#ready.add(name);
    for (const name of this.#ready) {
      if (this.#draining || this.#connections >= this.#webhook.maxConnections) return;
      this.#ready.delete(name);
      this.#consider(name);
    }
  }

  #consider(name: string): void {
    const head = this.#bot.queue.head(name);
    if (!head) return;
    const lane = this.#lane(name, head);
    if (lane.inFlight !== undefined) return;
    lane.timer?.cancel();
    const wait = lane.wakeAt - this.#world.clock.now();
    if (wait > 0) lane.timer = this.#world.clock.schedule(wait, () => this.wake(name));
    else this.#send(name, lane, head);
  }

  #lane(name: string, head: QueuedUpdate): Lane {
    const known = this.#lanes.get(name);
    if (known && (known.inFlight !== undefined || known.failing === head)) return known;
    known?.timer?.cancel();
    const fresh: Lane = { inFlight: undefined, failing: undefined, failures: 0, delay: 1, wakeAt: 0, timer: undefined };
    this.#lanes.set(name, fresh);
    return fresh;
  }

  #send(name: string, lane: Lane, update: QueuedUpdate): void {
    update.handedOver?.();
    update.handedOver = undefined;
    this.#connections++;
    lane.inFlight = deliver(this.#world, this.#webhook, update.body, this.#stopped.signal).then((result) => {
      this.#connections--;
      lane.inFlight = undefined;
      if (this.#stopped.signal.aborted) return;
      if (result.ok) this.#delivered(name, update, result);
      else this.#failed(lane, update, result);
      this.wake(name);
    });
  }

  #delivered(name: string, update: QueuedUpdate, result: DeliveryResult & { ok: true }): void {
    this.#goneSince = undefined;
    this.#lanes.delete(name);
    if (--update.copies <= 0) this.#bot.queue.remove(update);
    if (result.method) this.#execute(result.method, result.params);
  }

  #failed(lane: Lane, update: QueuedUpdate, failure: DeliveryResult & { ok: false }): void {
    const { clock } = this.#world;
    this.#webhook.lastError = { date: clock.unix(), message: failure.error };
    if (failure.status === 410) this.#gone();
    else this.#goneSince = undefined;
    const retryAfter = Math.min(Math.max(failure.retryAfter, 0), LONGEST_RETRY_AFTER);
    let wait = retryAfter;
    if (retryAfter === 0 && lane.failures > 0) {
      lane.delay = Math.min(randomInt(60, 121), lane.delay * 2);
      wait = lane.delay;
    }
    lane.failing = update;
    lane.failures++;
    lane.wakeAt = clock.now() + wait * 1000;
    if (lane.wakeAt > update.expiresAt) this.#bot.queue.remove(update);
  }

  #gone(): void {
    const now = this.#world.clock.now();
    this.#goneSince ??= now;
    if (now <= this.#goneSince + GONE_FOR) return;
    this.#bot.webhook = undefined;
    this.stop();
  }
}
