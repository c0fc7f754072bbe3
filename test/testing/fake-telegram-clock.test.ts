import { expect, test } from "vitest";
import { VirtualClock } from "../../src/testing/telegram/clock.ts";
import { call, fakeTelegram } from "./bots.ts";

test("timers fire in the order of their time, each at its own time", async () => {
  const clock = new VirtualClock("manual", 10);
  const start = clock.now();
  const fired: [string, number][] = [];
  const note = (name: string) => () => fired.push([name, clock.now() - start]);
  clock.schedule(300, note("c"));
  clock.schedule(100, () => {
    note("a")();
    clock.schedule(50, note("b"));
  });
  clock.schedule(300, note("d"));
  clock.schedule(301, note("too late"));
  clock.schedule(200, note("cancelled")).cancel();
  await clock.advance(300);
  expect(fired).toEqual([
    ["a", 100],
    ["b", 150],
    ["c", 300],
    ["d", 300],
  ]);
  expect(clock.now() - start).toBe(300);
});

test("a manual clock stands still, and still runs what is due at once", async () => {
  const clock = new VirtualClock("manual", 10);
  const start = clock.now();
  await new Promise<void>((resolve) => clock.schedule(0, resolve));
  expect(clock.now()).toBe(start);
});

test("a real clock runs by itself and jumps when advanced", async () => {
  const clock = new VirtualClock("real", 10);
  await clock.sleep(5);
  const before = clock.now();
  let fired = false;
  clock.schedule(3_600_000, () => {
    fired = true;
  });
  await clock.advance(3_600_000);
  expect(fired).toBe(true);
  expect(clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
  clock.close();
});

test("advances queue up, and none goes back", async () => {
  const clock = new VirtualClock("manual", 10);
  const start = clock.now();
  await Promise.all([clock.advance(10), clock.advance(20)]);
  expect(clock.now() - start).toBe(30);
  expect(() => clock.advance(-1)).toThrow(RangeError);
});

test("dates in messages follow the fake's clock", async () => {
  const telegram = await fakeTelegram({ clock: "manual" });
  const { token } = telegram.bot();
  const alice = telegram.user();
  const first = await alice.send("now");
  await telegram.clock.advance({ days: 30 });
  await call(telegram, token, "sendMessage", { chat_id: alice.id, text: "a month later" });
  expect((await alice.chat.lastFromBot())?.date).toBe(first.date + 30 * 24 * 3600);
});
