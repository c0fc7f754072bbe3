import type { VirtualClock } from "./clock.ts";
import type { Json, JsonObject } from "./json.ts";
import { randomUpdateId } from "./random-ids.ts";

/** How long Telegram keeps an undelivered update: queries live as long as their asker could still be waiting. */
export const RETENTION: { readonly message: number; readonly query: number } = {
  message: 24 * 60 * 60 * 1000,
  query: 150 * 1000,
};

/** An offset further than this past the end of the queue is taken for a mistake, and confirms nothing. */
const OFFSET_TOLERANCE = 10;

/** An update on its way to the bot. */
export interface QueuedUpdate {
  readonly id: number;
  readonly type: string;
  readonly body: JsonObject;
  /** Webhooks deliver one update at a time per lane; lanes run side by side. */
  readonly lane: string;
  readonly expiresAt: number;
  /** How many more times it is handed over before it counts as delivered; more than 1 is a fault. */
  copies: number;
  /** Called once, when the bot has been given the update for the first time. */
  handedOver: (() => void) | undefined;
}

/** What to queue; see {@link QueuedUpdate}. */
export interface NewUpdate {
  type: string;
  content: Json;
  lane: string;
  expiresAt: number;
  copies?: number;
  handedOver?: () => void;
}

/** The updates of one bot, oldest first, until they are confirmed or too old. */
export class UpdateQueue {
  readonly #clock: VirtualClock;
  readonly #entries = new Set<QueuedUpdate>();
  readonly #lanes = new Map<string, Set<QueuedUpdate>>();
  #nextId: number = randomUpdateId();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Adds an update, unless it is already past its retention. */
  push(update: NewUpdate): QueuedUpdate | undefined {
    if (update.expiresAt <= this.#clock.now()) return undefined;
    const id = this.#nextId++;
    const entry: QueuedUpdate = {
      id,
      type: update.type,
      body: { update_id: id, [update.type]: update.content },
      lane: update.lane,
      expiresAt: update.expiresAt,
      copies: update.copies ?? 1,
      handedOver: update.handedOver,
    };
    this.#entries.add(entry);
    const lane = this.#lanes.get(entry.lane);
    if (lane) lane.add(entry);
    else this.#lanes.set(entry.lane, new Set([entry]));
    return entry;
  }

  /** Everything still waiting. */
  waiting(): readonly QueuedUpdate[] {
    const now = this.#clock.now();
    for (const entry of this.#entries) if (entry.expiresAt <= now) this.remove(entry);
    return [...this.#entries];
  }

  /** The lanes in which something waits. */
  lanes(): readonly string[] {
    return [...this.#lanes.keys()];
  }

  /** The first update of a lane that is not too old. */
  head(lane: string): QueuedUpdate | undefined {
    const now = this.#clock.now();
    for (const entry of this.#lanes.get(lane) ?? []) {
      if (entry.expiresAt > now) return entry;
      this.remove(entry);
    }
    return undefined;
  }

  /** Forgets what an offset confirms; a negative one keeps only that many from the end. */
  confirm(offset: number): void {
    const waiting = this.waiting();
    if (offset > this.#nextId + OFFSET_TOLERANCE) return;
    const keep = new Set(offset < 0 ? waiting.slice(offset) : waiting.filter((entry) => entry.id >= offset));
    for (const entry of waiting) if (!keep.has(entry)) this.remove(entry);
  }

  remove(update: QueuedUpdate): void {
    this.#entries.delete(update);
    const lane = this.#lanes.get(update.lane);
    if (lane?.delete(update) && lane.size === 0) this.#lanes.delete(update.lane);
  }

  clear(): void {
    this.#entries.clear();
    this.#lanes.clear();
  }

  /** After a week of silence Telegram starts again from a random id, which may be lower. Only an empty queue can jump. */
  jump(to: number): void {
    if (this.waiting().length > 0) throw new Error("update_id only jumps while no update is waiting.");
    this.#nextId = to;
  }

  get nextId(): number {
    return this.#nextId;
  }
}
