import { createBookonce, repeat } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTestDatabase } from "../support/database.ts";

const every = { seconds: 1 };
const unexpected = (what: unknown): void => {
  throw new Error("not expected", { cause: what });
};

describe("a worker's loop", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("runs one at a time, rests, and ends with the signal after what is running", async () => {
    const stop = new AbortController();
    const runs: (() => void)[] = [];
    const work = () => new Promise<void>((resolve) => runs.push(resolve));
    let ended = false;
    const loop = repeat(work, { every, onError: unexpected, signal: stop.signal }).then(() => {
      ended = true;
    });
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(runs).toHaveLength(1);
    runs[0]?.();
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(2);
    stop.abort();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ended).toBe(false);
    runs[1]?.();
    await loop;
    expect(runs).toHaveLength(2);
  });

  test("tells of failures and tries again, more and more slowly, until it works", async () => {
    const stop = new AbortController();
    const told: unknown[] = [];
    const at: number[] = [];
    const work = async () => {
      at.push(Date.now());
      if (at.length <= 7) throw new Error(`failure ${at.length}`);
    };
    const loop = repeat(work, { every, onError: (error) => told.push(error), signal: stop.signal });
    await vi.advanceTimersByTimeAsync(120_000);
    stop.abort();
    await loop;
    expect(told).toHaveLength(7);
    const rests = at.slice(1).map((one, index) => (one - (at[index] ?? 0)) / 1_000);
    expect(rests.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 30, 30, 1]);
  });

  test("a rest is over when the signal fires, and what fails because of it is not told", async () => {
    const stop = new AbortController();
    const loop = repeat(async () => undefined, {
      every: { hours: 1 },
      onError: unexpected,
      signal: stop.signal,
    });
    await vi.advanceTimersByTimeAsync(10);
    stop.abort();
    await loop;

    const again = new AbortController();
    const giveUp = () =>
      new Promise<void>((_, reject) => again.signal.addEventListener("abort", () => reject(new Error("given up"))));
    const ending = repeat(giveUp, { every, onError: unexpected, signal: again.signal });
    again.abort();
    await ending;
    await repeat(async () => unexpected("run"), { every, onError: unexpected, signal: again.signal });
  });
});

const wrong: readonly (readonly [work: unknown, options: unknown])[] = [
  [null, { every, onError: () => undefined }],
  [async () => undefined, null],
  [async () => undefined, { every }],
  [async () => undefined, { every: {}, onError: () => undefined }],
  [async () => undefined, { every: { hours: 24 * 25 }, onError: () => undefined }],
  [async () => undefined, { every: { seconds: 0 }, onError: () => undefined }],
  [async () => undefined, { every, onError: () => undefined, signal: "stop" }],
];

test.each(wrong)("O6: %o with %o is refused, and nothing is run", async (work, options) => {
  await expect(repeat(work as never, options as never)).rejects.toMatchObject({ code: "invalid_input" });
});

test("a database that is away is waited for", async () => {
  const db = await createTestDatabase();
  const away = pgDatabase({ connectionString: "postgres://127.0.0.1:1/none" });
  const stop = new AbortController();
  const told: unknown[] = [];
  const work = async (): Promise<void> => {
    const shop = told.length < 2 ? createBookonce({ database: away }) : db.bookonce;
    await shop.sweep();
    stop.abort();
  };
  const onError = (error: unknown): void => {
    told.push(error);
  };
  await repeat(work, { every: { milliseconds: 1 }, onError, signal: stop.signal });
  expect(told).toMatchObject([{ code: "unavailable" }, { code: "unavailable" }]);
  await away.close();
  await db.drop();
});
