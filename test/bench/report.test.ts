import { expect, test } from "vitest";
import type { ContestantName } from "../../bench/contestants/contestant.ts";
import type { Round } from "../../bench/measure.ts";
import { ratiosOf, unanswered } from "../../bench/report.ts";
import type { Rounds } from "../../bench/run.ts";

const round = (over: Partial<Round> = {}): Round => ({
  approved: 10,
  declined: 0,
  errors: 0,
  problems: new Map(),
  retries: 0,
  elapsedMs: 1_000,
  perSecond: 10,
  p50Ms: 1,
  p99Ms: 2,
  ...over,
});
const failing = round({ approved: 0, errors: 10, perSecond: 0, problems: new Map([["no such function", 10]]) });
const beside = (six: readonly Round[]): Rounds =>
  new Map<ContestantName, readonly Round[]>([
    ["six", six],
    ["bookonce", [round(), round()]],
  ]);

test("a contestant whose calls have all failed is named, and is compared with nobody", () => {
  const results = new Map([["callers16", beside([failing, failing])]] as const);
  expect(unanswered(results)).toEqual([expect.stringMatching(/^six statements answered nothing in "/)]);
  expect(ratiosOf(results)).toEqual({});
});

test("one that answers, though not always, is compared by the rounds that it answered in", () => {
  const results = new Map([["callers16", beside([failing, round({ declined: 10, perSecond: 20 })])]] as const);
  expect(unanswered(results)).toEqual([]);
  expect(ratiosOf(results)).toEqual({ callers16_vs_six: 0.5 });
});
