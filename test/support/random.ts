/** A stream of numbers that a seed repeats: what a run chose can be chosen again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 (inclusive) to 1 (exclusive). Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }

  /** Another stream, for somebody who draws at a pace of their own. */
  fork(): Random {
    return new Random(this.below(2 ** 32));
  }
}

/** The seed of a run: `FAULT_SEED`, or a new one. Printed, so that a failure can be tried again. */
export function seedOfRun(name: string): number {
  const seed = Number(process.env["FAULT_SEED"] ?? Math.floor(Math.random() * 2 ** 32));
  console.log(`${name}: FAULT_SEED=${seed}`);
  return seed;
}
